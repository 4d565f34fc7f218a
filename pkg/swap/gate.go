package swap

import "math"

// Metric is a quantity that a gate can hold the candidate to. pkg/load/rawlog defines how each is derived from raw records.
type Metric string

// The metrics of gates.
const (
	// TTFT is time to first token, from the actual send, in ms.
	MetricTTFT Metric = "ttft"
	// TTFTScheduled is time to first token from the planned send, in ms: it includes the client's queue.
	MetricTTFTScheduled Metric = "ttft_scheduled"
	// TPOT is time per output token after the first, per request, in ms.
	MetricTPOT Metric = "tpot"
	// E2E is the time to the last token, from the actual send, in ms.
	MetricE2E Metric = "e2e"
	// OutputTokens is the number of tokens that the server says it generated, per request.
	MetricOutputTokens Metric = "output_tokens"
	// Throughput is generated tokens per second of measured time.
	MetricThroughput Metric = "throughput"
	// ErrorRate is the share of planned requests that did not end well.
	MetricErrorRate Metric = "error_rate"
	// Quality is the share of a prompt's expectations that its answer meets, per request.
	MetricQuality Metric = "quality"
)

// IsShare reports whether the metric lies between 0 and 1 and is compared as a difference: a ratio of shares near 0 or 1 says
// little.
func (m Metric) IsShare() bool { return m == MetricErrorRate || m == MetricQuality }

// Stat is the summary of a metric that a gate compares.
type Stat string

// The statistics of gates. Rate belongs to throughput and error_rate alone.
const (
	StatP50  Stat = "p50"
	StatP90  Stat = "p90"
	StatP95  Stat = "p95"
	StatP99  Stat = "p99"
	StatMean Stat = "mean"
	StatRate Stat = "rate"
)

// Quantile returns the probability of a statistic that is a quantile, and false for every other one.
func (s Stat) Quantile() (p float64, ok bool) {
	switch s {
	case StatP50:
		return 0.5, true
	case StatP90:
		return 0.9, true
	case StatP95:
		return 0.95, true
	case StatP99:
		return 0.99, true
	case StatMean, StatRate:
	}
	return 0, false
}

// Direction says which way is worse.
type Direction string

// The directions of a gate. Either means that a change both ways is bad (output length).
const (
	LowerIsBetter  Direction = "lower"
	HigherIsBetter Direction = "higher"
	Either         Direction = "either"
)

// MarginUnit says how a margin is read.
type MarginUnit string

// The units of a margin: a fraction of the baseline, or the metric's own unit.
const (
	Relative MarginUnit = "relative"
	Absolute MarginUnit = "absolute"
)

// Reference is what a gate holds the candidate against.
type Reference string

// The references of a gate.
const (
	AgainstBaseline Reference = "baseline"
	AgainstSLO      Reference = "slo"
)

// Gate is one requirement. Against the baseline it is non-inferiority: the candidate may be worse by less than the margin. Against
// an SLO the candidate alone must keep the limit.
type Gate struct {
	// What is compared. quality is the share of a prompt's expectations (workload.prompt_file) that its answer meets.
	Metric Metric `json:"metric" jsonschema:"required,enum=ttft,enum=ttft_scheduled,enum=tpot,enum=e2e,enum=output_tokens,enum=throughput,enum=error_rate,enum=quality"` //nolint:lll // a struct tag cannot be broken
	// Which statistic of it. throughput and error_rate have rate, the default there; quality has mean; output_tokens has mean by
	// default; the latencies need one.
	Stat Stat `json:"stat,omitempty" jsonschema:"enum=p50,enum=p90,enum=p95,enum=p99,enum=mean,enum=rate"`
	// What the candidate is held against: the baseline in the same run, or with slo an absolute limit alone, as for a model of another
	// size. Left out, baseline.
	VS Reference `json:"vs,omitempty" jsonschema:"enum=baseline,enum=slo"`
	// With vs slo: the value to keep, in the metric's unit (latencies in ms; error_rate and quality: 0.01 is 1 %). The candidate must be
	// certainly below it, or above it where higher is better.
	Limit float64 `json:"limit,omitempty" jsonschema:"exclusiveMinimum=0"`
	// With vs baseline: largest tolerated worsening, relative as a fraction (0.1 is 10 %), absolute in the metric's unit (latencies in
	// ms; error_rate and quality: 0.005 is 0.5 percentage points). A relative margin is below 1. Left out, a margin by metric and statistic.
	Margin float64 `json:"margin,omitempty" jsonschema:"exclusiveMinimum=0"`
	// relative or absolute. Default: absolute for error_rate, quality and with vs slo, relative for all others.
	Unit MarginUnit `json:"unit,omitempty" jsonschema:"enum=relative,enum=absolute"`
	// Which way is better. Default: higher for throughput and quality, either for output_tokens, lower for all others. vs slo needs lower
	// or higher.
	Better Direction `json:"better,omitempty" jsonschema:"enum=lower,enum=higher,enum=either"`
}

// Name is the gate's stable name, such as "ttft_p99", or "ttft_p99_slo" against an SLO.
func (g Gate) Name() string {
	name := string(g.Metric)
	if g.Stat != StatRate && g.Stat != "" {
		name += "_" + string(g.Stat)
	}
	if g.HasLimit() {
		name += "_slo"
	}
	return name
}

// HasLimit reports whether the candidate is held to a limit and not to the baseline.
func (g Gate) HasLimit() bool { return g.VS == AgainstSLO }

// LogScale reports whether differences are judged on the logarithm of candidate over baseline, or over the limit, and not in the
// metric's own unit.
func (g Gate) LogScale() bool {
	if g.HasLimit() {
		return !g.Metric.IsShare()
	}
	return g.Unit != Absolute
}

// MarginUp is the margin against a rise on the scale that differences are judged on; a limit has none.
func (g Gate) MarginUp() float64 {
	if !g.LogScale() {
		return g.Margin
	}
	return math.Log1p(g.Margin)
}

// MarginDown is the margin against a fall on the same scale, as a positive number: a fall by a fraction δ is ln(1−δ).
func (g Gate) MarginDown() float64 {
	if !g.LogScale() {
		return g.Margin
	}
	if g.Margin >= 1 {
		return math.Inf(1)
	}
	return -math.Log1p(-g.Margin)
}

// Judge holds the statistical settings.
type Judge struct {
	// Confidence of each one-sided bound.
	Level float64 `json:"level,omitempty" jsonschema:"minimum=0.5,exclusiveMaximum=1"`
	// Bootstrap resamples.
	Resamples int `json:"resamples,omitempty" jsonschema:"minimum=199,maximum=100000"`
	// Fewest blocks per arm that can be judged.
	MinBlocks int `json:"min_blocks,omitempty" jsonschema:"minimum=10,maximum=10000"`
	// Fewest requests per arm beyond a quantile: n·(1−p). Checked against the plan where every step is open loop.
	MinTail int `json:"min_tail,omitempty" jsonschema:"minimum=5,maximum=10000"`
	// Seed of the bootstrap.
	Seed uint64 `json:"seed,omitempty" jsonschema:"minimum=0,maximum=18446744073709551615"`
	// What older rules would have said. They are reported beside the verdict and decide nothing.
	Opinions []OpinionRule `json:"opinions,omitempty" jsonschema:"maxItems=20"`
}
