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
	// Bend is a second reading of the knee, which needs no limit; absent for fewer than 3 levels with a throughput.
	Bend *Bend `json:"bend,omitempty"`
	// KneeMessage and SaturationMessage are one sentence each, for a person.
	KneeMessage       string `json:"knee_message"`
	SaturationMessage string `json:"saturation_message"`
}

// Bend is where throughput over load bends: by Kneedle, which reads it off the curve, and by the universal scalability law, whose
// fit has a highest throughput only where throughput really ends. The intervals hold 95 % of the resamples of the blocks; they are
// absent where the throughputs of the blocks are not known.
type Bend struct {
	// Knee is the level of Kneedle; absent where it sees none.
	Knee *LoadLevel `json:"knee,omitempty"`
	// KneeLow and KneeHigh are loads. KneeHigh is absent too where some resamples have no knee.
	KneeLow  Value `json:"knee_low"`
	KneeHigh Value `json:"knee_high"`
	// PeakLoad is the load of the highest throughput by the law; absent where throughput grows to ten times the loads measured
	// and further. So are the ends of its interval.
	PeakLoad Value `json:"peak_load"`
	PeakLow  Value `json:"peak_low"`
	PeakHigh Value `json:"peak_high"`
	// FitError is the root mean square of what the law does not explain, over the mean throughput.
	FitError Value `json:"fit_error"`
	// Confirmed says that Kneedle sees a knee and the law a highest throughput, not below the knee and within the loads measured,
	// in 95 % of the resamples where there are any.
	Confirmed bool `json:"confirmed"`
	// Message is one sentence for a person.
	Message string `json:"message"`
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
