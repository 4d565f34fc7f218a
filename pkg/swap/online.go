package swap

import "time"

// Prometheus is where the windows of a rollout read what live traffic shows of each arm.
type Prometheus struct {
	// Base URL of the server, without /api/v1.
	URL string `json:"url" jsonschema:"required,format=uri,pattern=^https?://"`
	// Where the worker finds a bearer token for it.
	Token *SecretRef `json:"token,omitempty"`
	// What $arm stands for in the queries.
	Arms ArmMatchers `json:"arms" jsonschema:"required"`
	// What is asked for each arm.
	Queries []OnlineQuery `json:"queries" jsonschema:"required,minItems=1,maxItems=20"`
}

// ArmMatchers tell the arms apart in Prometheus.
type ArmMatchers struct {
	// A matcher of the baseline, such as model="old".
	Baseline string `json:"baseline" jsonschema:"required,maxLength=500"`
	// A matcher of the candidate, such as model="new".
	Candidate string `json:"candidate" jsonschema:"required,maxLength=500"`
}

// Get returns an arm's matcher.
func (m ArmMatchers) Get(arm Arm) string { return PerArm[string](m).Get(arm) }

// OnlineQuery is one number of each arm, which the guard holds against a margin. It must give one series.
type OnlineQuery struct {
	// Short name for reports.
	Name string `json:"name" jsonschema:"required,maxLength=60,pattern=^[a-z][a-z0-9_]*$"`
	// PromQL with the placeholders $arm and $window, the stretch of time of one value. Take means or shares of slow requests: a quantile
	// of a histogram jumps from bucket to bucket.
	Query string `json:"query" jsonschema:"required,maxLength=2000"`
	// Largest tolerated worsening of the mean over time: as a fraction of the baseline, or in the query's own unit where unit is absolute.
	Margin float64 `json:"margin" jsonschema:"required,exclusiveMinimum=0"`
	// relative or absolute.
	Unit MarginUnit `json:"unit,omitempty" jsonschema:"enum=relative,enum=absolute"`
	// Which way is better.
	Better Direction `json:"better,omitempty" jsonschema:"enum=lower,enum=higher"`
}

// OnlineReading is what a query said of a window.
type OnlineReading struct {
	Name string `json:"name"`
	// Arms are the means over the window; absent where Prometheus had nothing.
	Arms PerArm[Value] `json:"arms"`
	// Values counts the points at which both arms had a value; Problem says why there are none, or fewer than there should be.
	Values  int    `json:"values"`
	Problem string `json:"problem,omitempty"`
}

// SignalFeedback is how what the application knows reaches a run; its argument is a FeedbackBatch.
const SignalFeedback = "feedback"

// MetricConversion is the share of requests that led to what the business wants.
const MetricConversion Metric = "conversion"

// Feedback is what the application reports of the answers, and the margins that the guard holds it to.
type Feedback struct {
	// Time after a window in which events of it may still come; then it is judged, and later ones are only counted.
	Grace Duration `json:"grace,omitempty"`
	// Largest tolerated fall of the conversion, as a fraction: 0.01 is one percentage point.
	ConversionMargin float64 `json:"conversion_margin,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Largest tolerated fall of the mean score of quality, from 0 to 1.
	QualityMargin float64 `json:"quality_margin,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1"`
}

// FeedbackKind is what an event says.
type FeedbackKind string

// The kinds of events.
const (
	FeedbackConversion FeedbackKind = "conversion"
	FeedbackQuality    FeedbackKind = "quality"
)

// FeedbackSum is what events of one kind, arm and second say together.
type FeedbackSum struct {
	Arm  Arm          `json:"arm"`
	Kind FeedbackKind `json:"kind"`
	Time time.Time    `json:"time"`
	N    int          `json:"n"`
	Sum  float64      `json:"sum"`
}

// FeedbackBatch is events in sums, so that the history of a run stays small.
type FeedbackBatch struct {
	// ID tells batches apart: one that comes again, as after a retry, counts once.
	ID   string        `json:"id"`
	Sums []FeedbackSum `json:"sums"`
	// Duplicates counts events that were left out because their id had come before.
	Duplicates int `json:"duplicates,omitempty"`
}

// WindowFeedback is all that was reported of one window.
type WindowFeedback struct {
	Index      int           `json:"index"`
	Conversion PerArm[Tally] `json:"conversion"`
	Quality    PerArm[Tally] `json:"quality"`
}

// FeedbackCounts is what became of the reported events.
type FeedbackCounts struct {
	Counted    int `json:"counted"`
	Duplicates int `json:"duplicates,omitempty"`
	// Late came after the grace of their window, Outside belong to no window, Dropped found no room.
	Late    int `json:"late,omitempty"`
	Outside int `json:"outside,omitempty"`
	Dropped int `json:"dropped,omitempty"`
}
