package swap

import "time"

// WorkflowWatchBaseline measures the serving model alone and compares it with its stored baseline. Its argument is a Request.
const WorkflowWatchBaseline = "WatchBaseline"

// Activities of a watch.
const (
	ActivityCheckIdle    = "CheckIdle"
	ActivityCompareDrift = "CompareDrift"
	ActivityRecordDrift  = "RecordDrift"
)

// WatchWorkflowID is the workflow id of a target's watch, and the id of the schedule that starts it. Temporal appends the time of
// the start to the workflow id of a scheduled run.
func WatchWorkflowID(target string) string { return "watch-" + target }

// Watch says when a change of the serving model against its stored baseline is worth a word, a failed run, or a halt.
type Watch struct {
	// bounds acts on the confidence bounds of a change. classic_3_8 compares the bare estimate with the limits. With a standard error
	// of 2 % that is off by more than 3 % on 13 % of all days although nothing changed.
	Rule DriftRule `json:"rule,omitempty" jsonschema:"enum=bounds,enum=classic_3_8"`
	// Relative worsening that people are told of. For a gate with an absolute margin the three limits are taken relative to fail,
	// which stands for the margin itself.
	Notify float64 `json:"notify,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	// Relative worsening that fails the watch.
	Fail float64 `json:"fail,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	// Relative worsening that blocks the target: a rollout is refused until a later watch finds the model well, or block_for is over.
	Block float64 `json:"block,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	// How distributions are compared. blocks resamples and permutes whole blocks. classic_ks_adaptive compares the distance with
	// 1.632/√n, which independent requests of two equal runs exceed on 13 % of all days, and correlated ones far more often.
	Distribution DistributionRule `json:"distribution,omitempty" jsonschema:"enum=blocks,enum=classic_ks_adaptive"`
	// Largest tolerated Kolmogorov-Smirnov distance between the distribution now and the stored one. People are told where its
	// lower bound is above. Only for distribution blocks.
	Distance float64 `json:"distance,omitempty" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	// How long a block lasts if no later watch ends it.
	BlockFor Duration `json:"block_for,omitempty"`
}

// DriftRule says what a response acts on.
type DriftRule string

// The rules of a watch.
const (
	DriftByBounds   DriftRule = "bounds"
	DriftClassic3_8 DriftRule = "classic_3_8"
)

// DistributionRule says how distributions are compared.
type DistributionRule string

// The comparisons of distributions.
const (
	DistributionByBlocks   DistributionRule = "blocks"
	DistributionKSAdaptive DistributionRule = "classic_ks_adaptive"
)

// DriftResponse is what a change of the serving model calls for.
type DriftResponse string

// The responses, each more severe than the one before. Inconclusive says that more blocks, or more runs of the baseline, are
// needed to tell.
const (
	DriftSilent       DriftResponse = "silent"
	DriftInconclusive DriftResponse = "inconclusive"
	DriftNotify       DriftResponse = "notify"
	DriftFail         DriftResponse = "fail"
	DriftBlock        DriftResponse = "block"
)

// driftResponses in ascending order of severity.
var driftResponses = [...]DriftResponse{DriftSilent, DriftInconclusive, DriftNotify, DriftFail, DriftBlock}

// Severity ranks the responses from 0 for silent; -1 is none of them.
func (r DriftResponse) Severity() int {
	for i, known := range driftResponses {
		if r == known {
			return i
		}
	}
	return -1
}

// Reason codes of a watch.
const (
	ReasonDrifted         = "DRIFTED"
	ReasonDistribution    = "DISTRIBUTION_DRIFTED"
	ReasonNoBaseline      = "NO_BASELINE"
	ReasonBaselineDiffers = "BASELINE_NOT_COMPARABLE"
	ReasonRepeatDisagrees = "REPEAT_DISAGREES"
	ReasonTargetBusy      = "TARGET_BUSY"
)

// DriftMetric is one watched statistic against the baseline. Change, Low and High are worsenings: 0.04 is 4 % worse, relative to
// the baseline, or in the metric's unit where the gate's margin is absolute.
type DriftMetric struct {
	Gate Gate   `json:"gate"`
	Name string `json:"name"`
	Unit string `json:"unit"`
	// Baseline and Now are the statistic's levels then and now.
	Baseline Value `json:"baseline"`
	Now      Value `json:"now"`
	// Change is the worsening; Low and High are one-sided bounds, each at Level.
	Change Value   `json:"change"`
	Low    Value   `json:"low"`
	High   Value   `json:"high"`
	Level  float64 `json:"level"`
	// NowError is the standard error of Now by its blocks: of its logarithm, or in the metric's unit where the margin is absolute.
	NowError Value `json:"now_error"`
	// Blocks and BaselineBlocks are what the bounds rest on.
	Blocks         int `json:"blocks"`
	BaselineBlocks int `json:"baseline_blocks"`
	// RunToRun is the standard deviation between runs, on the scale of Change; it widens the bounds. Absent where it is not known.
	RunToRun Value         `json:"run_to_run"`
	Response DriftResponse `json:"response"`
	// NeedBlocks is the estimated number of blocks that would decide an inconclusive metric; 0 if none would.
	NeedBlocks int    `json:"need_blocks,omitempty"`
	Message    string `json:"message"`
}

// DriftDistance is the distance of a metric's distribution now from the baseline's.
type DriftDistance struct {
	Metric Metric `json:"metric"`
	// D is the Kolmogorov-Smirnov distance, with one-sided bounds at Level by resampling blocks.
	D     Value   `json:"d"`
	Low   Value   `json:"low"`
	High  Value   `json:"high"`
	Level float64 `json:"level"`
	// P is by permutation of blocks, of D and of the energy distance.
	P       Value `json:"p"`
	EnergyP Value `json:"energy_p"`
	// Drifted says that Low is above the tolerated distance; Larger, that the values grew where the distance is reached.
	Drifted bool   `json:"drifted"`
	Larger  bool   `json:"larger"`
	Message string `json:"message"`
}

// DriftChange is a change of level in the history of a metric over the runs of a target.
type DriftChange struct {
	Name string `json:"name"`
	// At and RunID are the first run after the change.
	At    time.Time `json:"at"`
	RunID string    `json:"run_id"`
	// Before and After are the typical levels on either side; Relative is After over Before minus 1.
	Before   Value  `json:"before"`
	After    Value  `json:"after"`
	Relative Value  `json:"relative"`
	P        Value  `json:"p"`
	Runs     int    `json:"runs"`
	Message  string `json:"message"`
}

// WatchBaselineRef says what a watch compared with.
type WatchBaselineRef struct {
	// Version in the registry.
	Version  int       `json:"version"`
	Measured time.Time `json:"measured"`
	RunID    string    `json:"run_id"`
	Model    string    `json:"model"`
	Ref      ObjectRef `json:"ref"`
}

// WatchResult is the document of one watch: what the workflow returns and what is kept as history.
type WatchResult struct {
	SchemaVersion string        `json:"schema_version"`
	Target        string        `json:"target"`
	Response      DriftResponse `json:"response"`
	WorkSHA256    string        `json:"work_sha256"`
	// Summary is one sentence.
	Summary string   `json:"summary"`
	Reasons []Reason `json:"reasons"`

	Facts    ArmFacts          `json:"facts"`
	Baseline *WatchBaselineRef `json:"baseline,omitempty"`
	Metrics  []DriftMetric     `json:"metrics"`
	// Distances are absent where the baseline's raw records are gone.
	Distances []DriftDistance   `json:"distances,omitempty"`
	Changes   []DriftChange     `json:"changes,omitempty"`
	Findings  []Finding         `json:"findings,omitempty"`
	Steps     []StepResult      `json:"steps"`
	Telemetry []TelemetryResult `json:"telemetry,omitempty"`
	// Blocked is the block that the watch set or left in force.
	Blocked *TargetBlock `json:"blocked,omitempty"`
	// Slack is the message, Stored this document in the store.
	Slack      *ObjectRef `json:"slack_message,omitempty"`
	Stored     *ObjectRef `json:"stored,omitempty"`
	Provenance Provenance `json:"provenance"`
}

// WatchSchemaVersion is the current version of the document of a watch.
const WatchSchemaVersion = "1"

// TargetBlock is why rollouts of a target are refused, and until when.
type TargetBlock struct {
	Target string    `json:"target"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"`
	RunID  string    `json:"run_id"`
}

// CheckIdleInput asks whether a validation of the target runs: its load would be measured as drift.
type CheckIdleInput struct {
	Target string `json:"target"`
}

// CheckIdleResult names the workflow that keeps the target busy; empty where none does.
type CheckIdleResult struct {
	Busy string `json:"busy,omitempty"`
}

// CompareDriftInput asks for the comparison of a watch's load with the stored baseline.
type CompareDriftInput struct {
	Spec      Spec              `json:"spec"`
	Facts     ArmFacts          `json:"facts"`
	Manifests []ObjectRef       `json:"manifests"`
	Telemetry []TelemetryResult `json:"telemetry,omitempty"`
}

// Drift is what the comparison of a watch found.
type Drift struct {
	Response  DriftResponse     `json:"response"`
	Reasons   []Reason          `json:"reasons,omitempty"`
	Baseline  *WatchBaselineRef `json:"baseline,omitempty"`
	Metrics   []DriftMetric     `json:"metrics"`
	Distances []DriftDistance   `json:"distances,omitempty"`
	Changes   []DriftChange     `json:"changes,omitempty"`
	Findings  []Finding         `json:"findings,omitempty"`
	// WorkSHA256 is the hash of workload and load: only runs with the same one are compared.
	WorkSHA256 string `json:"work_sha256"`
	// EvidenceSHA256 is the hash of the manifests compared.
	EvidenceSHA256 string `json:"evidence_sha256"`
}

// RecordDriftInput asks to keep a watch's result, and to set or end the block of its target.
type RecordDriftInput struct {
	Spec   Spec        `json:"spec"`
	Result WatchResult `json:"result"`
}

// RecordedDrift says what was kept.
type RecordedDrift struct {
	Stored  ObjectRef    `json:"stored"`
	Blocked *TargetBlock `json:"blocked,omitempty"`
}
