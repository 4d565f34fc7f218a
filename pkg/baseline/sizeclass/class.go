package sizeclass

// Limits are what a model of a class should keep.
type Limits struct {
	// LatencyP90MS is the largest P90 of a request's latency, in ms.
	LatencyP90MS float64 `json:"latency_p90_ms"`
	// TokensPerSecond is the lowest rate at which an answer comes, in tokens per second.
	TokensPerSecond float64 `json:"tokens_per_s"`
	// OutOfMemory is the largest share of requests that fail for want of memory.
	OutOfMemory float64 `json:"out_of_memory_rate"`
}

// Class is a range of model sizes.
type Class struct {
	Name string `json:"class"`
	// Below is the size in 10⁹ parameters at which the next class begins; 0 for the last one.
	Below  float64 `json:"below_billions,omitempty"`
	Limits Limits  `json:"limits"`
	// Example is a model of the class as it was measured when the limits were set.
	Example string `json:"example"`
}

// Classes are in ascending order. Their limits are stated defaults: up to 13, from 14 to 34, and from 35·10⁹ parameters; what
// lies between two of them belongs to the lower one. All parameters count, also those of experts that a token does not pass.
func Classes() []Class {
	return []Class{
		{"small", 14, Limits{850, 18, .0005}, "Llama3-8B: 782 ms, 21.4 tok/s, 24 GB"},
		{"medium", 35, Limits{1420, 9.5, .0005}, "Qwen2.5-14B: 1296 ms, 10.7 tok/s, 40 GB"},
		{"large", 0, Limits{2300, 4.2, .0003}, "Qwen2.5-72B: 2184 ms, 4.6 tok/s, 128 GB"},
	}
}

// ClassOf is the class of a size in 10⁹ parameters.
func ClassOf(billions float64) Class {
	classes := Classes()
	for _, c := range classes[:len(classes)-1] {
		if billions < c.Below {
			return c
		}
	}
	return classes[len(classes)-1]
}
