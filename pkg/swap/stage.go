package swap

import "time"

// Stage is a phase of the pipeline.
type Stage string

// The stages in the order in which they run. StageRollback happens instead of the rest when something must be undone.
const (
	StagePreflight Stage = "preflight"
	StageSnapshot  Stage = "snapshot"
	StageWarmUp    Stage = "warm_up"
	StageLoad      Stage = "load"
	StageBaseline  Stage = "baseline"
	StageCompare   Stage = "compare"
	StageRollout   Stage = "rollout"
	StageRollback  Stage = "rollback"
	StageReport    Stage = "report"
	StageNotify    Stage = "notify"
	StageDone      Stage = "done"
)

// Stages lists the stages of a run that goes well, in order.
var Stages = []Stage{
	StagePreflight, StageSnapshot, StageWarmUp, StageLoad, StageBaseline, StageCompare,
	StageRollout, StageReport, StageNotify,
}

// StageState is where one stage stands.
type StageState struct {
	Stage Stage `json:"stage"`
	// State is pending, running, done, failed or skipped.
	State   string     `json:"state"`
	Started *time.Time `json:"started,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
	Note    string     `json:"note,omitempty"`
}

// Progress is the heartbeat of a long activity: what an operator sees beside a pending activity, and a hint (never the
// truth) for resuming it.
type Progress struct {
	What string `json:"what"`
	// Done and Total count blocks, requests or windows, as What says.
	Done  int `json:"done"`
	Total int `json:"total"`
	// Offered and Achieved are requests per second.
	Offered   Value  `json:"offered_rps"`
	Achieved  Value  `json:"achieved_rps"`
	Requests  int    `json:"requests"`
	Failed    int    `json:"failed"`
	TTFTP95ms Value  `json:"ttft_p95_ms"`
	ETA       string `json:"eta,omitempty"`
	// Pending counts objects not yet accepted by the run store.
	Pending int `json:"uploads_pending"`
	// Note says what is out of the plan, such as why a step is prolonged.
	Note string `json:"note,omitempty"`
	// Problem is what holds the activity up although it goes on, such as a store that does not answer.
	Problem string `json:"problem,omitempty"`
}

// Severity grades a finding.
type Severity string

// The severities of a finding. A blocking finding stops the run before anything is changed.
const (
	Harmless Severity = "harmless"
	Notable  Severity = "notable"
	Blocking Severity = "blocking"
)

// Finding is one thing noticed about the system under test or about the measurement.
type Finding struct {
	Severity Severity `json:"severity"`
	// Subject is what it is about: "candidate", "route", "gate ttft_p99", ….
	Subject string `json:"subject"`
	Message string `json:"message"`
	// Next says what a person can do about it.
	Next string `json:"next,omitempty"`
}

// ArmFacts is what an inference server says of itself.
type ArmFacts struct {
	URL     string `json:"url"`
	Engine  string `json:"engine"`
	Version string `json:"version,omitempty"`
	Model   string `json:"model"`
	// Fingerprint is the server's system_fingerprint, where it sends one.
	Fingerprint string `json:"fingerprint,omitempty"`
	// MaxModelLen is the context length in tokens; absent where the server does not say.
	MaxModelLen Value `json:"max_model_len"`
	// Billions is the number of the model's parameters in 10⁹; left out where the server does not say.
	Billions Value `json:"parameters_billions,omitzero"`
	// UsageInStream says whether the server reports token counts at the end of a stream.
	UsageInStream bool `json:"usage_in_stream"`
	// RunningUsage says whether the server reports token counts with every chunk of a stream, if it is asked to.
	RunningUsage bool `json:"running_usage,omitempty"`
	// TokenLimitKey is the request field that limits a chat answer: max_tokens, or max_completion_tokens where it is refused.
	TokenLimitKey string `json:"token_limit_key,omitempty"`
	// MetricsPage is the path of the Prometheus page; empty if there is none.
	MetricsPage string `json:"metrics_page,omitempty"`
	// Setup is what the server says of its configuration.
	Setup Setup `json:"setup,omitzero"`
}

// PreflightResult is what was found before anything was changed.
type PreflightResult struct {
	Arms     PerArm[ArmFacts] `json:"arms"`
	Findings []Finding        `json:"findings,omitempty"`
	// Compatibility is how the two servers differ; absent where an older worker looked.
	Compatibility *Compatibility `json:"compatibility,omitempty"`
	// Weights are the live weights, where there is a route.
	Weights *Weights `json:"weights,omitempty"`
	// PlannedRequests is the expected number of measured requests per arm; absent where it depends on how fast the servers answer.
	PlannedRequests Value `json:"planned_requests_per_arm"`
	PlannedBlocks   int   `json:"planned_blocks_per_arm"`
	// Version of swapgate on the worker that looked.
	Version string `json:"version"`
}

// Weights is the share of traffic of each arm, in percent.
type Weights struct {
	Baseline  int `json:"baseline"`
	Candidate int `json:"candidate"`
}

// Of is the percentage of an arm.
func (w Weights) Of(a Arm) int {
	if a == Candidate {
		return w.Candidate
	}
	return w.Baseline
}

// AllBaseline is the state that every rollback ends in.
var AllBaseline = Weights{Baseline: 100}

// Restored says what is live after a restore, as read back from the gateway.
type Restored struct {
	// Snapshot that was restored; absent where weights were set without one.
	Snapshot *ObjectRef `json:"snapshot,omitempty"`
	// Weights as read back; absent where there is no route.
	Weights *Weights `json:"weights,omitempty"`
	// InPlace is what has to be restored inside the one server of a swap in place, by RestoreModel; absent where
	// there is no such, and never in a verdict.
	InPlace *RestoreModelInput `json:"in_place,omitempty" jsonschema:"-"`
	// Changed says whether anything had to be changed.
	Changed bool      `json:"changed"`
	At      time.Time `json:"at"`
	TookMS  float64   `json:"took_ms"`
	// SinceEvidenceMS is how long after the last request that was seen it was done; only of a brake that the guard pulled.
	SinceEvidenceMS Value `json:"since_evidence_ms,omitzero"`
}

// WarmUpResult is the warm-up of one arm.
type WarmUpResult struct {
	Arm      Arm           `json:"arm"`
	Requests int           `json:"requests"`
	Outcomes OutcomeCounts `json:"outcomes"`
	// ColdTTFTms is the first request's time to first token, HotTTFTms the median once stable.
	ColdTTFTms Value `json:"cold_ttft_ms"`
	HotTTFTms  Value `json:"hot_ttft_ms"`
	// HotTPOTms is the median time between tokens after the first request; left out where the server counts no tokens.
	HotTPOTms Value `json:"hot_tpot_ms,omitzero"`
	// Stable says whether latency settled before a cap was reached.
	Stable bool   `json:"stable"`
	Ended  string `json:"ended"`
	TookMS int64  `json:"took_ms"`
}
