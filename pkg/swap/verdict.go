package swap

import "time"

// Decision is the outcome of a run. A failed gate is pass's opposite and a result; only a run that could not be judged is an error.
type Decision string

// The decisions.
const (
	Pass         Decision = "pass"
	Fail         Decision = "fail"
	Inconclusive Decision = "inconclusive"
	Aborted      Decision = "aborted"
	Errored      Decision = "error"
)

// Reason explains a decision: a stable code, the object, and one sentence for a person.
type Reason struct {
	// Code is stable, such as GATE_FAILED, LOW_N, NO_DATA, GUARD_ERRORS.
	Code    string `json:"code"`
	Subject string `json:"subject"`
	Message string `json:"message"`
}

// Stable reason codes.
const (
	ReasonGateFailed        = "GATE_FAILED"
	ReasonRegressionInside  = "REGRESSION_WITHIN_MARGIN"
	ReasonAddsUp            = "REGRESSIONS_ADD_UP"
	ReasonNotDecided        = "NOT_DECIDED"
	ReasonLowN              = "LOW_N"
	ReasonNoData            = "NO_DATA"
	ReasonPartialData       = "PARTIAL_DATA"
	ReasonUnstable          = "UNSTABLE"
	ReasonContaminated      = "CONTAMINATED"
	ReasonSampleRatio       = "SRM"
	ReasonSelfCompare       = "AA_FAILED"
	ReasonClock             = "CLOCK"
	ReasonSlowConnect       = "SLOW_CONNECT"
	ReasonInstrument        = "INSTRUMENT"
	ReasonIncomplete        = "INCOMPLETE"
	ReasonPlanMismatch      = "PLAN_MISMATCH"
	ReasonNotHeld           = "NOT_HELD"
	ReasonTelemetryMissing  = "TELEMETRY_MISSING"
	ReasonShareMismatch     = "SHARE_MISMATCH"
	ReasonGuardErrors       = "GUARD_ERRORS"
	ReasonGuardLatency      = "GUARD_LATENCY"
	ReasonGuardUnreachable  = "GUARD_UNREACHABLE"
	ReasonGuardGate         = "GUARD_GATE"
	ReasonDecay             = "DECAY"
	ReasonWindowNotDecided  = "WINDOW_NOT_DECIDED"
	ReasonNotApproved       = "NOT_APPROVED"
	ReasonAborted           = "ABORTED"
	ReasonCancelled         = "CANCELLED"
	ReasonRolledBack        = "ROLLED_BACK_BY_REQUEST"
	ReasonPreflightBlocking = "PREFLIGHT"
	ReasonCouldNotMeasure   = "COULD_NOT_MEASURE"
)

// Method is how the bounds of a gate came about. All but MethodSummary take blocks for the unit and not requests.
type Method string

// The methods.
const (
	// MethodBootstrap is Student's t on the standard error of a block bootstrap, widened to its percentiles.
	MethodBootstrap Method = "block_bootstrap"
	// MethodPercentiles are the percentiles of a block bootstrap alone, where a value is a failed request.
	MethodPercentiles Method = "block_bootstrap_percentiles"
	// MethodScore is Newcombe's hybrid score interval, or Wilson's against a limit, on counts deflated by the design effect.
	MethodScore Method = "score_interval"
	// MethodShares inverts the test of the share of requests below a value (Woodruff 1952), for a quantile against a limit.
	MethodShares Method = "share_inversion"
	// MethodExact compares values that do not vary between blocks.
	MethodExact Method = "exact"
	// MethodSummary has no blocks: it tells the spread from the percentiles or counts that another tool reported, widened by a design
	// effect for the dependence of requests that these do not show. It is weaker than all others.
	MethodSummary Method = "summary"
)

// GateResult is one gate with the evidence that decided it. For relative gates Change, Low and High are relative changes
// (0.04 is +4 % as measured, candidate over baseline minus 1); for absolute gates they are differences in the metric's unit, for
// gates against an SLO from the limit. The interval is two one-sided bounds at Level.
type GateResult struct {
	Gate      Gate   `json:"gate"`
	Name      string `json:"name"`
	Baseline  Value  `json:"baseline"`
	Candidate Value  `json:"candidate"`
	// Unit of Baseline and Candidate, such as ms, tok/s, tokens, fraction.
	Unit string `json:"unit"`
	// Change is candidate against baseline, or against the limit; Low and High bound it.
	Change Value   `json:"change"`
	Low    Value   `json:"low"`
	High   Value   `json:"high"`
	Level  float64 `json:"level"`
	// N counts the samples of each arm, Blocks the blocks of each arm.
	N      PerArm[int] `json:"n"`
	Blocks int         `json:"blocks_per_arm"`
	// DesignEffect is the variance inflation of blocks against independent requests.
	DesignEffect Value `json:"design_effect"`
	// Method is how Low and High came about; empty where there are none. DegreesOfFreedom are Student's, absent without them.
	Method           Method `json:"method,omitempty"`
	DegreesOfFreedom Value  `json:"degrees_of_freedom"`
	// Seed of the resampling: with the evidence of the run it gives the same numbers again.
	Seed     uint64   `json:"seed"`
	Decision Decision `json:"decision"`
	// Regressed marks a pass whose worsening is real but inside the margin.
	Regressed bool   `json:"regressed,omitempty"`
	Reason    Reason `json:"reason"`
	// NeedBlocks is the estimated number of blocks per arm that would decide an inconclusive gate; 0 if none would.
	NeedBlocks int `json:"need_blocks,omitempty"`
}

// Comparison is the judgement of the load stage.
type Comparison struct {
	Decision Decision     `json:"decision"`
	Reasons  []Reason     `json:"reasons,omitempty"`
	Gates    []GateResult `json:"gates"`
	// Findings are what the pre-checks noticed without deciding anything.
	Findings []Finding `json:"findings,omitempty"`
	// Capacity is what the load steps say of where the arms saturate, one entry per curve.
	Capacity []Capacity `json:"capacity,omitempty"`
	// Reaction is which load step is the highest that keeps three limits; absent where it was not asked. It decided nothing.
	Reaction *ReactionResult `json:"reaction,omitempty"`
	// Jitter is what the unusually slow first tokens look like; absent where there is no first token.
	Jitter *Jitter `json:"jitter,omitempty"`
	// Attribution is which layer carries the difference of latency; absent for fewer than 4 pairs of blocks. It decided nothing.
	Attribution *Attribution `json:"attribution,omitempty"`
	// Opinions are what older rules say of the load stage. They decided nothing.
	Opinions []Opinion `json:"opinions,omitempty"`
	// Evidence is the hash of the manifests judged.
	EvidenceSHA256 string `json:"evidence_sha256"`
}

// WindowStats is one arm in one rollout window.
type WindowStats struct {
	Requests  int           `json:"requests"`
	Outcomes  OutcomeCounts `json:"outcomes"`
	TTFTP50ms Value         `json:"ttft_p50_ms"`
	TTFTP95ms Value         `json:"ttft_p95_ms"`
	TPOTP50ms Value         `json:"tpot_p50_ms"`
	// LongestFailureRun is the longest run of consecutive failed requests.
	LongestFailureRun int `json:"longest_failure_run"`
	// GatewayRequests and GatewayErrors are the gateway's own counters over the window; absent where it has none.
	GatewayRequests Value `json:"gateway_requests"`
	GatewayErrors   Value `json:"gateway_errors"`
	// Conversion is the share of requests that led to what the business wants, Quality the mean score of answers, as the application
	// reported them for the time of the window.
	Conversion Tally `json:"conversion,omitzero"`
	Quality    Tally `json:"quality,omitzero"`
}

// Tally is a mean that was reported from outside, of N events. The mean is absent for none.
type Tally struct {
	N    int   `json:"n"`
	Mean Value `json:"mean"`
}

// Window is what was seen in one rollout window.
type Window struct {
	Index   int     `json:"index"`
	Weights Weights `json:"weights"`
	// ReadBack is what the gateway said at the end of the window.
	ReadBack Weights `json:"read_back"`
	// Rewritten says that somebody wrote the gateway's weights while the window ran, even where they are as set again.
	Rewritten bool                `json:"rewritten,omitempty"`
	Started   time.Time           `json:"started"`
	Ended     time.Time           `json:"ended"`
	Arms      PerArm[WindowStats] `json:"arms"`
	// Unattributed counts probes whose arm the gateway did not name.
	Unattributed int       `json:"unattributed"`
	Raw          ObjectRef `json:"raw"`
	// GuardFired and Brake say that the observer itself set the weights back the moment a guard fired.
	GuardFired *Reason   `json:"guard_fired,omitempty"`
	Brake      *Restored `json:"brake,omitempty"`
	// Waiting says that the window only kept watch while a person was waited for.
	Waiting bool `json:"waiting,omitempty"`
	// Step is how far this weight has come, Closest the gate that is closest to an alarm of the guard, Decay what the rule of decay
	// says. Each is absent where there is nothing to say.
	Step    *WindowStep   `json:"step,omitempty"`
	Closest *GuardReading `json:"closest,omitempty"`
	Decay   *DecayReading `json:"decay,omitempty"`
	// Online is what Prometheus said, in the order of the queries.
	Online []OnlineReading `json:"online,omitempty"`
	// Decision is what rollout.Next made of it.
	Decision WindowDecision `json:"decision"`
}

// Action is what the rollout does next.
type Action string

// The actions of a rollout.
const (
	ActionHold     Action = "hold"
	ActionAdvance  Action = "advance"
	ActionPromote  Action = "promote"
	ActionRollback Action = "rollback"
	ActionStop     Action = "stop"
)

// WindowDecision is the action after a window and why.
type WindowDecision struct {
	Action Action `json:"action"`
	// Weight is the candidate's next weight in percent.
	Weight int      `json:"weight"`
	Reason []Reason `json:"reasons,omitempty"`
}

// RolloutResult is the whole rollout.
type RolloutResult struct {
	Windows []Window `json:"windows"`
	// Watched counts the windows that only kept watch while a person was waited for. Windows has the last one of each wait.
	Watched int `json:"watched,omitempty"`
	// Feedback is what became of the events that the application reported; absent where none came.
	Feedback *FeedbackCounts `json:"feedback,omitempty"`
	// Final is what the gateway said at the end.
	Final Weights `json:"final"`
}

// Verdict is the document that release pipelines read: verdict.json, schema in docs/schema/verdict.json.
type Verdict struct {
	// SchemaVersion of this document.
	SchemaVersion string   `json:"schema_version"`
	Verdict       Decision `json:"verdict"`
	// Summary is one sentence.
	Summary string   `json:"summary"`
	Reasons []Reason `json:"reasons"`
	Target  string   `json:"target"`
	// Stage is the last stage that ran.
	Stage Stage `json:"stage"`

	Arms     PerArm[ArmFacts] `json:"arms"`
	Gates    []GateResult     `json:"gates"`
	Findings []Finding        `json:"findings,omitempty"`
	// Compatibility is how the two servers differ; absent where the preflight did not get so far.
	Compatibility *Compatibility        `json:"compatibility,omitempty"`
	WarmUp        *PerArm[WarmUpResult] `json:"warm_up,omitempty"`
	Steps         []StepResult          `json:"steps"`
	// Capacity is where the arms saturate, one entry for each curve that has two load steps or more.
	Capacity []Capacity `json:"capacity,omitempty"`
	// Reaction is which load step is the highest that keeps three limits; absent where it was not asked. It decided nothing.
	Reaction *ReactionResult `json:"reaction,omitempty"`
	// Jitter is what the unusually slow first tokens look like; absent where there is no first token. It decided nothing.
	Jitter *Jitter `json:"jitter,omitempty"`
	// Attribution is which layer carries the difference of latency; absent for fewer than 4 pairs of blocks. It decided nothing.
	Attribution *Attribution `json:"attribution,omitempty"`
	// Opinions are what older rules say of the load stage. They decided nothing.
	Opinions []Opinion      `json:"opinions,omitempty"`
	Rollout  *RolloutResult `json:"rollout,omitempty"`
	// InPlace is what was done to the one server of a swap in place.
	InPlace *InPlaceResult `json:"in_place,omitempty"`
	// FinalWeights is the last read-back of the gateway; absent without a route.
	FinalWeights *Weights   `json:"final_weights,omitempty"`
	Snapshot     *ObjectRef `json:"snapshot,omitempty"`
	Baseline     *ObjectRef `json:"baseline,omitempty"`
	// Registered is the version of the target's baseline that a passing run wrote.
	Registered *RegisteredBaseline `json:"registered_baseline,omitempty"`
	Telemetry  []TelemetryResult   `json:"telemetry,omitempty"`

	Provenance Provenance `json:"provenance"`
	Artifacts  Artifacts  `json:"artifacts"`
}

// VerdictSchemaVersion is the current version of the verdict document.
const VerdictSchemaVersion = "1"

// Provenance says where a verdict comes from.
type Provenance struct {
	WorkflowID string    `json:"workflow_id"`
	RunID      string    `json:"run_id"`
	Started    time.Time `json:"started"`
	Ended      time.Time `json:"ended"`
	SpecSHA256 string    `json:"spec_sha256"`
	Seed       uint64    `json:"seed"`
	// Version of swapgate that judged.
	Version     string            `json:"version"`
	RequestedBy string            `json:"requested_by,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	// EvidenceSHA256 is the hash of the manifests judged.
	EvidenceSHA256 string `json:"evidence_sha256,omitempty"`
}

// Artifacts are the documents of a run in the store.
type Artifacts struct {
	Report  *ObjectRef `json:"report,omitempty"`
	Verdict *ObjectRef `json:"verdict,omitempty"`
	Slack   *ObjectRef `json:"slack_message,omitempty"`
	// Chart is a picture (PNG) of the verdict's main charts; absent where nothing was measured.
	Chart *ObjectRef `json:"chart,omitempty"`
	// ReportURL and TemporalURL are for people; empty where no base URL is configured.
	ReportURL   string `json:"report_url,omitempty"`
	TemporalURL string `json:"temporal_url,omitempty"`
}
