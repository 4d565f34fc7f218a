package swap

import "time"

// BlockPlan places one block in a step. A block is a stretch of load on one arm and the unit of statistics.
type BlockPlan struct {
	// Step counts from 1.
	Step int `json:"step"`
	// Block counts from 1 within the step, over both arms, in the order of time.
	Block int `json:"block"`
	Arm   Arm `json:"arm"`
	// Pair counts from 1 within the step; the two blocks of a pair run the same schedule, one on each arm.
	Pair int `json:"pair"`
}

// BlockResult is what came of one block.
type BlockResult struct {
	BlockPlan
	Started time.Time `json:"started"`
	// MeasuredMS is the measured time, settle time left out.
	MeasuredMS int64 `json:"measured_ms"`
	// Planned requests equal the sum of all outcomes.
	Planned  int           `json:"planned"`
	Outcomes OutcomeCounts `json:"outcomes"`
	// ScheduleSHA256 is the hash of what was to be sent; equal for the two blocks of a pair.
	ScheduleSHA256 string `json:"schedule_sha256"`
	// TTFTP95ms and TPOTP50ms are for watching; verdicts use the raw records.
	TTFTP95ms Value `json:"ttft_p95_ms"`
	TPOTP50ms Value `json:"tpot_p50_ms"`
	// SendLatenessP99ms is how late the client sent, against its plan.
	SendLatenessP99ms Value `json:"send_lateness_p99_ms"`
	// Slices are the load workers' parts of the block, in the order of shards. Together they hold every planned request once.
	Slices []BlockSlice `json:"slices"`
}

// BlockSlice is what one load worker drove of a block; all of it where there is one load worker.
type BlockSlice struct {
	// Shard is the load worker, from 0. Attempt is its try at the block.
	Shard   int    `json:"shard"`
	Attempt string `json:"attempt"`
	// Raw is the table of the slice's requests.
	Raw ObjectRef `json:"raw"`
	// ClockOffsetMS is what to add to times of this load worker to have them on the clock of shard 0; ClockUncertaintyMS is
	// how far the truth may be from it.
	ClockOffsetMS      Value `json:"clock_offset_ms"`
	ClockUncertaintyMS Value `json:"clock_uncertainty_ms"`
	// Client is what the load worker said of itself.
	Client SliceClient `json:"client"`
}

// SliceClient is a load worker's account of itself over one block. What its records tell is not in it.
type SliceClient struct {
	// Calibrated names the attempt that the load worker was calibrated in, with Calibration as its reading. Problem is why
	// there is none.
	Calibrated  string            `json:"calibrated"`
	Calibration InstrumentReading `json:"calibration"`
	Problem     string            `json:"problem,omitempty"`
	// Process is what was watched of its process during the block.
	Process InstrumentReading `json:"process"`
}

// StepResult is one load step on both arms. It stays small: the blocks are in the manifest.
type StepResult struct {
	Step     int                   `json:"step"`
	Label    string                `json:"label"`
	Blocks   int                   `json:"blocks"`
	Planned  PerArm[int]           `json:"planned"`
	Outcomes PerArm[OutcomeCounts] `json:"outcomes"`
	// TTFTP50ms, TTFTP95ms and Throughput (tokens/s) are point estimates per arm, for watching.
	TTFTP50ms  PerArm[Value] `json:"ttft_p50_ms"`
	TTFTP95ms  PerArm[Value] `json:"ttft_p95_ms"`
	Throughput PerArm[Value] `json:"throughput_tokens_per_s"`
	// Ended says why the step ended when it did.
	Ended StepEnd `json:"ended"`
	// Instrument is the load client's account of itself.
	Instrument InstrumentState `json:"instrument"`
	// Findings are what was noticed of the engines while they were full.
	Findings []Finding `json:"findings,omitempty"`
	// Discarded counts attempts at a block, or at a slice of one, that were not sealed; the manifest lists them.
	Discarded int `json:"discarded"`
	// Manifest is the StepManifest.
	Manifest ObjectRef `json:"manifest"`
}

// EndCode says why a step ended.
type EndCode string

// The ends of a step.
const (
	// EndedPlanned ran the planned hold.
	EndedPlanned EndCode = "planned"
	// EndedSteady was prolonged until its tail was steady.
	EndedSteady EndCode = "steady"
	// EndedMaxHold was prolonged to its longest hold and its tail was still not steady.
	EndedMaxHold EndCode = "max_hold"
	// EndedLimit could not be held: one of the load's limits was broken.
	EndedLimit EndCode = "limit"
)

// StepEnd is why a step ended.
type StepEnd struct {
	Code EndCode `json:"code"`
	// Arm is the arm that broke a limit.
	Arm Arm `json:"arm,omitempty"`
	// Message is one sentence for a person; empty for a step that ran as planned.
	Message string `json:"message,omitempty"`
}

// StepManifest decides which raw data of a step count.
type StepManifest struct {
	RunKey
	Step   int           `json:"step"`
	Spec   Step          `json:"spec"`
	Blocks []BlockResult `json:"blocks"`
	// Ended says why there are so many blocks and no more.
	Ended StepEnd `json:"ended"`
	// Instrument is the load client's account of itself.
	Instrument InstrumentState `json:"instrument"`
	// Discarded lists attempts that were begun and never sealed. Their data count for nothing.
	Discarded []DiscardedAttempt `json:"discarded,omitempty"`
}

// DiscardedAttempt is a block, or a load worker's slice of one, that was begun and not sealed, because its worker or another
// one of the same block died or was cancelled.
type DiscardedAttempt struct {
	BlockPlan
	Shard   int       `json:"shard"`
	Attempt string    `json:"attempt"`
	Started time.Time `json:"started"`
	// Parts are the objects that the attempt left behind.
	Parts []string `json:"parts,omitempty"`
}

// TelemetryResult is what was sampled during the load stage.
type TelemetryResult struct {
	// Samples are the tables of samples, in the order of time.
	Samples []ObjectRef   `json:"samples"`
	Sources []SourceState `json:"sources"`
}

// SourceState says how one telemetry source did.
type SourceState struct {
	Source  string `json:"source"`
	Arm     Arm    `json:"arm,omitempty"`
	Samples int    `json:"samples"`
	Errors  int    `json:"errors"`
	// LastError is the most recent fault, shortened.
	LastError string `json:"last_error,omitempty"`
	Required  bool   `json:"required,omitempty"`
}

// BaselineFit is the distribution of the baseline arm, fitted from this run.
type BaselineFit struct {
	Model   string            `json:"model"`
	Metrics []MetricBaseline  `json:"metrics"`
	Ref     ObjectRef         `json:"ref"`
	Notes   map[string]string `json:"notes,omitempty"`
}

// MetricBaseline is one metric of a baseline, with the log-normal that fits it best.
type MetricBaseline struct {
	Metric Metric `json:"metric"`
	N      int    `json:"n"`
	Mean   Value  `json:"mean"`
	P50    Value  `json:"p50"`
	P90    Value  `json:"p90"`
	P95    Value  `json:"p95"`
	P99    Value  `json:"p99"`
	// LogMean and LogSD are the maximum-likelihood log-normal.
	LogMean Value `json:"log_mean"`
	LogSD   Value `json:"log_sd"`
	// BlockCV is the coefficient of variation of the block medians: how steady the baseline was.
	BlockCV Value `json:"block_cv"`
}
