package swap

import "encoding/json"

// Names of the activities, each a verb and a noun. They are a wire contract: renaming one breaks runs in flight.
const (
	ActivityPreflight        = "Preflight"
	ActivityTakeSnapshot     = "TakeSnapshot"
	ActivityMarkHealthy      = "MarkSnapshotHealthy"
	ActivityWarmUp           = "WarmUp"
	ActivityLoadStep         = "LoadStep"
	ActivityCaptureTelemetry = "CaptureTelemetry"
	ActivityFitBaseline      = "FitBaseline"
	ActivityCompareArms      = "CompareArms"
	ActivitySetWeights       = "SetWeights"
	ActivityObserveWindow    = "ObserveWindow"
	ActivityRestoreSnapshot  = "RestoreSnapshot"
	ActivityPublishReport    = "PublishReport"
	ActivityNotifySlack      = "NotifySlack"
)

// PreflightInput asks whether a run can be measured and undone at all.
type PreflightInput struct {
	Spec Spec `json:"spec"`
}

// TakeSnapshotInput asks for the state to go back to.
type TakeSnapshotInput struct {
	Spec       Spec             `json:"spec"`
	SpecSHA256 string           `json:"spec_sha256"`
	Arms       PerArm[ArmFacts] `json:"arms"`
	// RequestedBy is who asked for the run.
	RequestedBy string `json:"requested_by,omitempty"`
	// Engine is what the one server of a swap in place serves.
	Engine *EngineState `json:"engine,omitempty"`
}

// WarmUpInput asks for the warm-up of one arm.
type WarmUpInput struct {
	Spec  Spec     `json:"spec"`
	Arm   Arm      `json:"arm"`
	Facts ArmFacts `json:"facts"`
}

// LoadStepInput asks for one load step on both arms. With several load workers each gets one, with its own Shard: shard 0
// conducts the others and has the StepResult, which is empty for them.
type LoadStepInput struct {
	Spec Spec `json:"spec"`
	// Step counts from 1.
	Step int `json:"step"`
	// Shard is the load worker's part of the step, from 0, of Spec.Load.Shards.
	Shard int              `json:"shard,omitempty"`
	Facts PerArm[ArmFacts] `json:"facts"`
	// TPOTms is the time between tokens that the warm-up saw; absent where it saw none.
	TPOTms PerArm[Value] `json:"tpot_ms"`
	// Known is what identifies each arm of a swap in place: before each block its arm is made to be served, and proven.
	Known PerArm[*EngineState] `json:"known,omitzero"`
}

// CaptureTelemetryInput asks for samples until the activity is cancelled. Host is empty for the sources that are read over
// HTTP, and names the GPU host otherwise.
type CaptureTelemetryInput struct {
	Spec  Spec             `json:"spec"`
	Facts PerArm[ArmFacts] `json:"facts"`
	Host  string           `json:"host,omitempty"`
}

// FitBaselineInput asks for the distribution of the baseline arm.
type FitBaselineInput struct {
	Spec      Spec        `json:"spec"`
	Facts     ArmFacts    `json:"facts"`
	Manifests []ObjectRef `json:"manifests"`
}

// CompareInput asks for the judgement of the load stage.
type CompareInput struct {
	Spec Spec `json:"spec"`
	// Facts tell which entry of the target's history is of the baseline arm.
	Facts     PerArm[ArmFacts]  `json:"facts,omitzero"`
	Manifests []ObjectRef       `json:"manifests"`
	Telemetry []TelemetryResult `json:"telemetry,omitempty"`
	// Steps are the results of the load steps that ran, for the capacity of the arms.
	Steps []StepResult `json:"steps,omitempty"`
}

// SetWeightsInput asks for a split of live traffic.
type SetWeightsInput struct {
	Route   Route   `json:"route"`
	Weights Weights `json:"weights"`
}

// ObserveWindowInput asks for one rollout window at the given weights. State belongs to the rollout's planner; the
// workflow carries it from window to window without reading it.
type ObserveWindowInput struct {
	Spec    Spec             `json:"spec"`
	Facts   PerArm[ArmFacts] `json:"facts"`
	Index   int              `json:"index"`
	Weights Weights          `json:"weights"`
	// Extensions is how many more repetitions a person granted.
	Extensions int `json:"extensions,omitempty"`
	// Waiting asks to keep watch only, while a person is waited for: the window is short and advances nothing.
	Waiting bool `json:"waiting,omitempty"`
	// Changed says that the weights were changed since the window before: first the change has to reach everywhere.
	Changed bool `json:"changed,omitempty"`
	// Feedback is of earlier windows whose events are all there now.
	Feedback []WindowFeedback `json:"feedback,omitempty"`
	State    json.RawMessage  `json:"state,omitempty"`
}

// ObserveWindowResult is the window with its decision, and the planner's next state.
type ObserveWindowResult struct {
	Window Window          `json:"window"`
	State  json.RawMessage `json:"state,omitempty"`
}

// RestoreSnapshotInput asks for the state of a snapshot. Without Snapshot and SnapshotID it is the newest one of Target.
type RestoreSnapshotInput struct {
	Target   string     `json:"target"`
	Store    Store      `json:"store"`
	Snapshot *ObjectRef `json:"snapshot,omitempty"`
	// SnapshotID is the id of one of the target's snapshots, or its beginning.
	SnapshotID string `json:"snapshot_id,omitempty"`
	// Fallback is the gateway that gives all traffic to the baseline if the snapshot cannot be read: going back never waits
	// for the store. Without it an unreadable snapshot is an error.
	Fallback *Route `json:"fallback,omitempty"`
}

// PublishReportInput asks for report.html and verdict.json of a run.
type PublishReportInput struct {
	Spec    Spec    `json:"spec"`
	Verdict Verdict `json:"verdict"`
}

// NotifyInput asks for the verdict, or an alarm, to be posted.
type NotifyInput struct {
	Spec    Spec    `json:"spec"`
	Verdict Verdict `json:"verdict"`
	// Alarm is set for a message that is not a verdict: a rollback that does not get through.
	Alarm string `json:"alarm,omitempty"`
}
