package swap

// Rollout moves live traffic to the candidate after the offline gates passed.
type Rollout struct {
	// The gateway that splits traffic between the arms.
	Route Route `json:"route" jsonschema:"required"`
	// Percent of traffic on the candidate, step by step: ascending, and the last is 100.
	Weights []int `json:"weights,omitempty" jsonschema:"minItems=1,maxItems=100"`
	// Length of one observation window.
	Window Duration `json:"window,omitempty"`
	// Windows at each weight before the next.
	WindowsPerWeight int `json:"windows_per_weight,omitempty" jsonschema:"minimum=1,maximum=1000"`
	// How often an inconclusive window is repeated before the rollout stops and waits for a person.
	MaxExtensions int `json:"max_extensions,omitempty" jsonschema:"minimum=0,maximum=1000"`
	// Requests per second that swapgate itself sends through the gateway during a window. 0 sends none and relies on live traffic.
	ProbeRate float64 `json:"probe_rate,omitempty" jsonschema:"minimum=0,maximum=100000"`
	// Fewest requests per arm in a window before its latency is judged.
	MinRequests int `json:"min_requests,omitempty" jsonschema:"minimum=1,maximum=1000000000"`
	// The guard: what rolls back at once.
	Guard Guard `json:"guard,omitzero"`
	// Weights (percent) before which a person must approve; each is one of weights.
	ApproveAt []int `json:"approve_at,omitempty" jsonschema:"maxItems=100"`
	// How long an approval is awaited before the run rolls back.
	ApproveTimeout Duration `json:"approve_timeout,omitempty"`
}

// Guard holds the limits that roll back at once, without statistics on margins.
type Guard struct {
	// Highest tolerated rise of the error rate over the baseline's, as a fraction (0.05 is 5 percentage points).
	ErrorRateRise float64 `json:"error_rate_rise,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Fewest candidate requests before the error rate is believed.
	ErrorMinRequests int `json:"error_min_requests,omitempty" jsonschema:"minimum=1,maximum=1000000000"`
	// Highest tolerated ratio of TTFT P95 between candidate and baseline in a window.
	LatencyRatio float64 `json:"latency_ratio,omitempty" jsonschema:"exclusiveMinimum=1,maximum=1000"`
	// Consecutive failed candidate requests that roll back whatever the rate.
	ConsecutiveFailures int `json:"consecutive_failures,omitempty" jsonschema:"minimum=1,maximum=1000000"`
}
