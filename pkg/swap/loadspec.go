package swap

// Load is the stepped load. Every step is cut into blocks, the unit of statistics; blocks alternate between the arms
// (ABBA, BAAB, …).
type Load struct {
	// The steps, in order. Left out beside gradient, there are none but its own.
	Steps []Step `json:"steps,omitempty" jsonschema:"minItems=1,maxItems=100"`
	// Adds a step for each of several prompt lengths, from short to long, after the steps that are listed. A resolved
	// specification holds these steps and no gradient.
	Gradient *Gradient `json:"gradient,omitempty"`
	// Measured length of a block.
	Block Duration `json:"block,omitempty"`
	// Time at the start of each block that is driven but not measured. Less than five blocks.
	Settle Duration `json:"settle,omitempty"`
	// Load workers that share every step. Each sends a part of the same plan, from a common start. At most the concurrency of
	// a step.
	Shards int `json:"shards,omitempty" jsonschema:"minimum=1,maximum=256"`
	// Prolongs a step until its tail is steady. Left out, a step ends when its hold is over.
	Extend *Extend `json:"extend,omitempty"`
	// When a step ends early because it cannot be held.
	Limits Limits `json:"limits,omitzero"`
	// Which step is the highest that keeps three limits: the growth of the P99 with the prompt, the knee of the throughput, and the
	// cost of tokens. It changes no verdict. Left out, it is not asked.
	Reaction *Reaction `json:"reaction,omitempty"`
	// The check of the load client against a server of known truth before each step.
	Calibration Calibration `json:"calibration,omitzero"`
}

// Step is one load level. Exactly one of concurrency, kv_share and rate is set.
type Step struct {
	// Closed loop: requests in flight at a time.
	Concurrency int `json:"concurrency,omitempty" jsonschema:"minimum=1,maximum=20000"`
	// Closed loop: as many requests in flight as fill this share of the engine's whole KV cache, from the engine's own
	// metrics and the planned lengths; of the arms' caches the smaller one counts.
	KVShare float64 `json:"kv_share,omitempty" jsonschema:"exclusiveMinimum=0,maximum=2"`
	// Closed loop: mean pause before the next request of a slot, exponentially distributed.
	ThinkTime Duration `json:"think_time,omitempty"`
	// Open loop: mean requests per second.
	Rate float64 `json:"rate,omitempty" jsonschema:"exclusiveMinimum=0,maximum=100000"`
	// Open loop: how requests arrive. Left out, Poisson.
	Arrival *Arrival `json:"arrival,omitempty"`
	// Open loop: the rate rises or falls in a straight line to rate over the block, settle time included.
	Ramp *Ramp `json:"ramp,omitempty"`
	// Open loop: a short time at another rate.
	Spike *Spike `json:"spike,omitempty"`
	// Open loop: most requests in flight. What is due waits in the client's queue, and its time there is reported.
	MaxInFlight int `json:"max_in_flight,omitempty" jsonschema:"minimum=1,maximum=20000"`
	// Most tokens per second that are asked for, prompts and answers together; requests wait for their turn.
	TokenRate *TokenRate `json:"token_rate,omitempty"`
	// Length of synthetic prompts in this step, instead of the workload's. It needs a median.
	InputTokens *Lengths `json:"input_tokens,omitempty"`
	// Length of the answers asked for in this step, instead of the workload's. It needs a median.
	OutputTokens *Lengths `json:"output_tokens,omitempty"`
	// Measured time per arm; a whole number of blocks.
	Hold Duration `json:"hold,omitempty"`
}

// Process is a kind of arrival process.
type Process string

// The arrival processes.
const (
	ArrivalPoisson  Process = "poisson"
	ArrivalConstant Process = "constant"
	ArrivalGamma    Process = "gamma"
	ArrivalWeibull  Process = "weibull"
	ArrivalTrace    Process = "trace"
)

// Arrival is how the requests of an open loop follow each other. The mean rate is always the step's.
type Arrival struct {
	// poisson: independent arrivals; constant: equal gaps; gamma: gaps with a given cv; weibull: a mixture of two Weibull
	// distributions of gaps; trace: the gaps of a recording.
	Process Process `json:"process,omitempty" jsonschema:"enum=poisson,enum=constant,enum=gamma,enum=weibull,enum=trace"`
	// gamma, required there: coefficient of variation of the gaps; 1 is Poisson, above 1 is bursty.
	CV float64 `json:"cv,omitempty" jsonschema:"exclusiveMinimum=0,maximum=20"`
	// weibull, required there: one or two components; their scales are relative to each other.
	Weibull []WeibullPart `json:"weibull,omitempty" jsonschema:"minItems=1,maxItems=2"`
	// trace, required there: the recording.
	Trace *Trace `json:"trace,omitempty"`
}

// WeibullPart is one component of a mixture of gaps.
type WeibullPart struct {
	// Share of the gaps; the shares sum to 1.
	Weight float64 `json:"weight" jsonschema:"required,exclusiveMinimum=0,maximum=1"`
	// Shape k.
	Shape float64 `json:"shape" jsonschema:"required,minimum=0.1,maximum=20"`
	// Scale, in any unit that is the same for both.
	Scale float64 `json:"scale" jsonschema:"required,exclusiveMinimum=0,maximum=1000000"`
}

// TraceFormat is a layout of recorded arrivals.
type TraceFormat string

// The trace formats.
const (
	TraceAzure    TraceFormat = "azure"
	TraceMooncake TraceFormat = "mooncake"
	TraceBurstGPT TraceFormat = "burstgpt"
	TraceVidur    TraceFormat = "vidur"
)

// Trace is recorded arrivals. Its times are scaled to the step's rate; it is repeated from its beginning when it is shorter
// than the block.
type Trace struct {
	// File on the load worker.
	File string `json:"file" jsonschema:"required,minLength=1"`
	// azure, burstgpt and vidur are CSV, mooncake is JSON Lines. Left out, it is recognised from the first line.
	Format TraceFormat `json:"format,omitempty" jsonschema:"enum=azure,enum=mooncake,enum=burstgpt,enum=vidur"`
	// Take the lengths of prompts and answers from the recording too, instead of the workload's.
	Lengths bool `json:"lengths,omitempty"`
	// Spread arrivals over the ticks of a recording whose times are rounded.
	Jitter bool `json:"jitter,omitempty"`
}

// Ramp is a rate that changes in a straight line, from the start of the block to its end.
type Ramp struct {
	// Requests per second at the start.
	From float64 `json:"from" jsonschema:"required,exclusiveMinimum=0,maximum=100000"`
}

// Spike is a short time at another rate.
type Spike struct {
	// Requests per second during the spike.
	Rate float64 `json:"rate" jsonschema:"required,exclusiveMinimum=0,maximum=100000"`
	// When it begins, after the start of the measured time. It ends within the block.
	After Duration `json:"after,omitempty"`
	// How long it lasts.
	For Duration `json:"for" jsonschema:"required"`
}

// TokenRate limits the tokens asked for.
type TokenRate struct {
	// Tokens per second.
	Limit float64 `json:"limit" jsonschema:"required,exclusiveMinimum=0,maximum=100000000"`
	// How much of the limit may be used at once, as time.
	Burst Duration `json:"burst,omitempty"`
}

// Gradient is a series of steps whose prompts grow by a constant factor.
type Gradient struct {
	// Requests in flight in each of its steps.
	Concurrency int `json:"concurrency,omitempty" jsonschema:"minimum=1,maximum=20000"`
	// Shortest prompt, in tokens.
	From int `json:"from,omitempty" jsonschema:"minimum=1,maximum=1000000"`
	// Longest prompt, in tokens.
	To int `json:"to,omitempty" jsonschema:"minimum=1,maximum=1000000"`
	// Number of lengths.
	Levels int `json:"levels,omitempty" jsonschema:"minimum=2,maximum=50"`
	// Blocks per arm at each length.
	Rounds int `json:"rounds,omitempty" jsonschema:"minimum=1,maximum=100"`
}

// SteadyRule says when a tail is steady.
type SteadyRule string

// The rules of steadiness.
const (
	// SteadyTrend asks that the block means have no trend and that the interval of the P99 is narrow.
	SteadyTrend SteadyRule = "trend"
	// SteadyCV asks for a coefficient of variation of the blocks' P99 below a limit.
	SteadyCV SteadyRule = "cv"
)

// Extend prolongs a step until its tail is steady on both arms.
type Extend struct {
	// trend: no trend over the blocks and an interval of the P99 of TTFT that is narrow enough; cv: coefficient of variation
	// of the blocks' P99 below cv.
	Rule SteadyRule `json:"rule,omitempty" jsonschema:"enum=trend,enum=cv"`
	// Rule trend: largest half-width of the interval of the P99, relative to it.
	Precision float64 `json:"precision,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Rule cv: the limit.
	CV float64 `json:"cv,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Longest measured time of a step per arm; a whole number of blocks, and at least every hold.
	MaxHold Duration `json:"max_hold,omitempty"`
}

// Limits end a step that cannot be held, and the load stage with it. Each is judged per arm over the latest pair of blocks.
type Limits struct {
	// Largest share of failed requests.
	ErrorRate float64 `json:"error_rate,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Steps with a rate: smallest rate at which requests end well, as a share of the planned rate. Answers may be long; what
	// lowers it is failures, requests that are not sent, and answers that take longer and longer.
	AchievedRate float64 `json:"achieved_rate,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Largest P95 of the time to the first token.
	TTFTP95 Duration `json:"ttft_p95,omitempty"`
	// Largest P95 of the end-to-end latency.
	E2EP95 Duration `json:"e2e_p95,omitempty"`
	// Largest share of the engine's KV cache in use, from its own metrics.
	KVUsage float64 `json:"kv_usage,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Largest utilisation of a GPU, from the telemetry sources of kind dcgm.
	GPUUtilization float64 `json:"gpu_utilization,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
}

// Calibration is the check of the load client. It always runs; the fields bound it.
type Calibration struct {
	// How long the client drives the server of known truth before each step.
	Duration Duration `json:"duration,omitempty"`
	// Largest P99 of the error of a token's arrival that is tolerated. Left out, the instrument's own limit.
	TokenError Duration `json:"token_error,omitempty"`
	// Largest P99 of the lateness of a send that is tolerated, before and during the step. Left out, the instrument's own
	// limit.
	SendLateness Duration `json:"send_lateness,omitempty"`
}
