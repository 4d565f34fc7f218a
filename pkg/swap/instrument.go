package swap

// InstrumentReading is how well a load client measured over some time. Errors are known only against a server of known
// truth; the other signals are watched whenever the client works.
type InstrumentReading struct {
	// Requests and Tokens are how many the reading rests on.
	Requests int `json:"requests"`
	Tokens   int `json:"tokens"`
	// TTFTErrorMeanMS and TTFTErrorP99MS are measured minus true time to the first token.
	TTFTErrorMeanMS Value `json:"ttft_error_mean_ms"`
	TTFTErrorP99MS  Value `json:"ttft_error_p99_ms"`
	// TokenErrorP99MS is the absolute error of a token's arrival.
	TokenErrorP99MS Value `json:"token_error_p99_ms"`
	// SendLatenessP99MS is how late requests were written, against the plan.
	SendLatenessP99MS Value `json:"send_lateness_p99_ms"`
	// LagP99MS is the time from the kernel's receipt of bytes to the client's look at them.
	LagP99MS Value `json:"lag_p99_ms"`
	// KernelStamped is the share of tokens whose time is the kernel's.
	KernelStamped Value `json:"kernel_stamped"`
	// RateAchieved is requests sent in time over requests planned.
	RateAchieved Value `json:"rate_achieved"`
	// CPUShare is the client's CPU time over the CPU time that it may use.
	CPUShare Value `json:"cpu_share"`
	// GCPauseMaxMS is the longest stop of the client by its garbage collector.
	GCPauseMaxMS Value `json:"gc_pause_max_ms"`
	// SchedLatencyP99MS is how long a goroutine that could run had to wait.
	SchedLatencyP99MS Value `json:"sched_latency_p99_ms"`
	// Throttled is the share of time in which the container's CPU quota stopped the client.
	Throttled Value `json:"throttled"`
	// Stolen is the share of CPU time that the hypervisor gave to others.
	Stolen Value `json:"stolen"`
}

// InstrumentFault is one way in which the load client was not good enough to be believed.
type InstrumentFault struct {
	// Signal is the field of the reading at fault.
	Signal string `json:"signal"`
	// Message says what was measured, against which limit; Next what to do about it.
	Message string `json:"message"`
	Next    string `json:"next"`
}

// InstrumentState is the load client's account of itself for one step.
type InstrumentState struct {
	// Calibration is the reading against the server of known truth, just before the step; During is the reading of the step.
	Calibration InstrumentReading `json:"calibration"`
	During      InstrumentReading `json:"during"`
	// Faults is empty for a client that can be believed.
	Faults []InstrumentFault `json:"faults,omitempty"`
}

// Worse keeps the worse of two readings, signal by signal, and adds their counts: what several load workers are together.
func (r InstrumentReading) Worse(o InstrumentReading) InstrumentReading {
	return InstrumentReading{
		Requests: r.Requests + o.Requests, Tokens: r.Tokens + o.Tokens,
		TTFTErrorMeanMS:   larger(r.TTFTErrorMeanMS, o.TTFTErrorMeanMS),
		TTFTErrorP99MS:    larger(r.TTFTErrorP99MS, o.TTFTErrorP99MS),
		TokenErrorP99MS:   larger(r.TokenErrorP99MS, o.TokenErrorP99MS),
		SendLatenessP99MS: larger(r.SendLatenessP99MS, o.SendLatenessP99MS),
		LagP99MS:          larger(r.LagP99MS, o.LagP99MS),
		KernelStamped:     smaller(r.KernelStamped, o.KernelStamped),
		RateAchieved:      smaller(r.RateAchieved, o.RateAchieved),
		CPUShare:          larger(r.CPUShare, o.CPUShare),
		GCPauseMaxMS:      larger(r.GCPauseMaxMS, o.GCPauseMaxMS),
		SchedLatencyP99MS: larger(r.SchedLatencyP99MS, o.SchedLatencyP99MS),
		Throttled:         larger(r.Throttled, o.Throttled),
		Stolen:            larger(r.Stolen, o.Stolen),
	}
}

// larger is the larger of the values that are there.
func larger(a, b Value) Value {
	if a.ok && (!b.ok || a.v >= b.v) {
		return a
	}
	return b
}

// smaller is the smaller of the values that are there.
func smaller(a, b Value) Value {
	if a.ok && (!b.ok || a.v <= b.v) {
		return a
	}
	return b
}
