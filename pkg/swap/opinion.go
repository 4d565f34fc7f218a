package swap

// RuleName names an older rule of judging. docs/classic-rules.md says what each does and where it goes wrong.
type RuleName string

// The rules that can be asked of the load stage.
const (
	RuleFivePercent RuleName = "classic_5pct"
	RuleThreeEight  RuleName = "classic_3_8"
	RuleKSAdaptive  RuleName = "classic_ks_adaptive"
	RuleCVR99       RuleName = "classic_cv_r99"
	RuleHybrid      RuleName = "classic_hybrid"
	RuleSecondDiff  RuleName = "classic_second_diff"
	RuleErrors3x    RuleName = "error_3x"
)

// RuleIQRFilter is the filter that some of them may look through.
const RuleIQRFilter RuleName = "classic_iqr_p995"

// OpinionRule asks an older rule for a second opinion on the load stage. It decides nothing.
type OpinionRule struct {
	// classic_5pct: a change for the worse of more than 5 %. classic_3_8: silent below 3 %, mail up to 8 %, block above.
	// classic_ks_adaptive: Kolmogorov-Smirnov distance of all requests. classic_cv_r99: whether the P99 of the blocks settles.
	// classic_hybrid: blocks above a mix of moving average and moving P95. classic_second_diff: a knee of the throughput.
	// error_3x: a block whose error rate is more than three times the baseline's mean.
	Rule RuleName `json:"rule" jsonschema:"required,enum=classic_5pct,enum=classic_3_8,enum=classic_ks_adaptive,enum=classic_cv_r99,enum=classic_hybrid,enum=classic_second_diff,enum=error_3x"` //nolint:lll // a struct tag cannot be broken
	// All but classic_second_diff and error_3x: the latency that is looked at, of answered requests only. Left out, ttft.
	Metric Metric `json:"metric,omitempty" jsonschema:"enum=ttft,enum=ttft_scheduled,enum=tpot,enum=e2e"`
	// classic_5pct, classic_3_8 and classic_hybrid: the statistic. Left out, p99.
	Stat Stat `json:"stat,omitempty" jsonschema:"enum=p50,enum=p90,enum=p95,enum=p99,enum=mean"`
	// classic_5pct, classic_3_8 and classic_ks_adaptive: first delete outliers, on each arm by its own fences. Left out, nothing is
	// deleted.
	Filter RuleName `json:"filter,omitempty" jsonschema:"enum=classic_iqr_p995"`
	// classic_cv_r99: the limit of the coefficient of variation. Left out, 0.15.
	CV float64 `json:"cv,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Accept a rule that cannot say anything under this plan. Otherwise it is an error of the file.
	AllowUnreachable bool `json:"allow_unreachable,omitempty"`
}

// Subject is what the rule looks at, such as ttft_p99; empty for a rule that has nothing to choose.
func (r OpinionRule) Subject() string { return Gate{Metric: r.Metric, Stat: r.Stat}.Name() }

// Says is what a rule says.
type Says string

// What a rule can say: that it found what it looks for, that it did not, or that it cannot be computed.
const (
	SaysFires      Says = "fires"
	SaysSilent     Says = "silent"
	SaysCannotTell Says = "cannot_tell"
)

// Opinion is what an older rule says of the load stage, beside the verdict. It decided nothing.
type Opinion struct {
	Rule RuleName `json:"rule"`
	// Subject is what the rule looked at, such as ttft_p99 or throughput.
	Subject string `json:"subject"`
	Says    Says   `json:"says"`
	// Value is the number that the rule held against Threshold. Both are absent where it cannot tell.
	Value     Value `json:"value"`
	Threshold Value `json:"threshold"`
	// Message is one sentence, and Weakness one on why the rule is not the one that decides.
	Message  string `json:"message"`
	Weakness string `json:"weakness"`
}
