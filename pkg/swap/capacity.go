package swap

// Capacity is what some load steps say of where each arm saturates. The steps differ in their load level and hold only, so
// that they are points of one curve.
type Capacity struct {
	// Steps counts from 1: which steps of the load are on the curve, in their order.
	Steps []int               `json:"steps"`
	Arms  PerArm[ArmCapacity] `json:"arms"`
}

// ArmCapacity is the capacity of one arm, as far as its steps reached.
type ArmCapacity struct {
	// Knee is the last level up to which throughput grows with the load; absent where growth lasts to the last step.
	Knee *LoadLevel `json:"knee,omitempty"`
	// Peak is the level of the highest throughput; absent where no throughput is known.
	Peak *LoadLevel `json:"peak,omitempty"`
	// Saturation is the first level that adds no throughput or that a limit ended; absent where the range does not reach it.
	Saturation *LoadLevel `json:"saturation,omitempty"`
	// KneeMessage and SaturationMessage are one sentence each, for a person.
	KneeMessage       string `json:"knee_message"`
	SaturationMessage string `json:"saturation_message"`
}

// LoadLevel is one point of a curve: what an arm did at one load level.
type LoadLevel struct {
	// Step counts from 1.
	Step int `json:"step"`
	// Label names the level, as Step.Label does.
	Label string `json:"label"`
	// Load is the concurrency, the share of the KV cache or the offered rate.
	Load Value `json:"load"`
	// Throughput of good requests, in tokens per second.
	Throughput Value `json:"throughput_tokens_per_s"`
	TTFTP95ms  Value `json:"ttft_p95_ms"`
}
