package swap

// Rollout moves live traffic to the candidate after the offline gates passed.
type Rollout struct {
	// The gateway that splits traffic between the arms.
	Route Route `json:"route" jsonschema:"required"`
	// Percent of traffic on the candidate, step by step: ascending, and the last is 100.
	Weights []int `json:"weights,omitempty" jsonschema:"minItems=1,maxItems=100"`
	// What a weight has to have seen before the next. Left out, an entry for each weight below 100, with sees 1 up to 1 %, 0.5 up to
	// 5 %, 0.25 up to 20 % and 0.15 above. A weight without an entry asks for windows_per_weight alone.
	Steps []RolloutStep `json:"steps,omitzero" jsonschema:"maxItems=100"`
	// Length of one observation window.
	Window Duration `json:"window,omitempty"`
	// Windows at each weight before the next.
	WindowsPerWeight int `json:"windows_per_weight,omitempty" jsonschema:"minimum=1,maximum=1000"`
	// How often an inconclusive window is repeated before the rollout stops and waits for a person.
	MaxExtensions int `json:"max_extensions,omitempty" jsonschema:"minimum=0,maximum=1000"`
	// Time after a change of weights until requests count, beside what the gateway needs to tell its processes: requests that were
	// sent before end meanwhile. The guard watches all the same.
	Settle Duration `json:"settle,omitempty"`
	// Requests per second that swapgate itself sends through the gateway during a window. 0 sends none and relies on live traffic.
	ProbeRate float64 `json:"probe_rate,omitempty" jsonschema:"minimum=0,maximum=100000"`
	// Fewest requests per arm in a window before its latency is judged.
	MinRequests int `json:"min_requests,omitempty" jsonschema:"minimum=1,maximum=1000000000"`
	// The guard: what rolls back at once.
	Guard Guard `json:"guard,omitzero"`
	// What follows the windows and raises an alarm where one is unlike those before it.
	Decay Decay `json:"decay,omitzero"`
	// What live traffic shows of each arm, by Prometheus. Left out, probes and the gateway's counters are what there is.
	Prometheus *Prometheus `json:"prometheus,omitempty"`
	// What the application reports of its answers: conversion, and scores of quality. Left out, reports are refused.
	Feedback *Feedback `json:"feedback,omitempty"`
	// Weights (percent) before which a person must approve; each is one of weights.
	ApproveAt []int `json:"approve_at,omitempty" jsonschema:"maxItems=100"`
	// How long an approval is awaited before the run rolls back.
	ApproveTimeout Duration `json:"approve_timeout,omitempty"`
}

// RolloutStep is what a weight has to have seen before the next.
type RolloutStep struct {
	// The weight, in percent: one of weights.
	Weight int `json:"weight" jsonschema:"required,minimum=1,maximum=100"`
	// The relative rise of P99 that this weight shall see, four times in five: 0.5 is 50 %. A smaller one passes unseen here.
	Sees float64 `json:"sees,omitempty" jsonschema:"minimum=0.01,maximum=100"`
	// Fewest requests that the candidate answers at this weight, live ones that the gateway counts included. Left out, as many as
	// sees needs.
	MinRequests int `json:"min_requests,omitempty" jsonschema:"minimum=1,maximum=1000000000"`
	// Shortest time at this weight, in windows that count.
	MinTime Duration `json:"min_time,omitempty"`
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

// DecayRule names what follows the windows of a rollout.
type DecayRule string

// The rules of decay.
const (
	DecayACI   DecayRule = "aci"
	DecayAlpha DecayRule = "classic_alpha"
)

// Decay adapts a coefficient to what the windows show. The fields beside rule belong to classic_alpha, which does not say them itself
// and means something else with each.
type Decay struct {
	// aci: adaptive conformal inference on the candidate's TTFT P95 over the baseline's; it raises an alarm and decides nothing.
	// classic_alpha: a coefficient that falls with conversion, and rolls back when it fell by more than 40 % over three windows while
	// errors rose by 15 %.
	Rule DecayRule `json:"rule,omitempty" jsonschema:"enum=aci,enum=classic_alpha"`
	// classic_alpha: the unit of the difference in conversion.
	DeltaUnit string `json:"delta_unit,omitempty" jsonschema:"enum=fraction,enum=percentage_point,enum=relative_percent,enum=basis_point"`
	// classic_alpha: a fall of 40 % over three windows, or in each of them.
	DropSemantics string `json:"drop_semantics,omitempty" jsonschema:"enum=cumulative3,enum=each"`
	// classic_alpha: whether errors rise by 15 % of what they were, or by 15 percentage points.
	ErrorRiseUnit string `json:"error_rise_unit,omitempty" jsonschema:"enum=relative_percent,enum=percentage_point"`
	// classic_alpha: the coefficient before the first window.
	Start float64 `json:"start,omitempty" jsonschema:"minimum=0.1,maximum=0.9"`
	// Accept a rule that can never ask for a rollback. Otherwise it is an error of the file.
	AllowUnreachable bool `json:"allow_unreachable,omitempty"`
}
