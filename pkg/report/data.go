package report

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Data is a verdict with what its charts show. Everything but the verdict may be empty: the report says what is missing.
type Data struct {
	Verdict swap.Verdict
	// Latency holds one distribution per metric, in the order in which they are shown.
	Latency []Distribution
	// Steps are the load steps, in the order of those of the verdict.
	Steps []Step
	// Blocks are the blocks of all steps in order of time.
	Blocks []Block
	// Telemetry holds one series per metric and source, each in order of time.
	Telemetry []TimeSeries
	// Spans are the stretches of time that are shaded behind blocks and telemetry: the load steps.
	Spans []Span
}

// Distribution is a latency metric over all measured requests of the run.
type Distribution struct {
	Metric swap.Metric
	Arms   swap.PerArm[Samples]
}

// Samples are the values of one arm.
type Samples struct {
	// SortedMS are the values in ms, in ascending order.
	SortedMS []float64
	// Failed counts requests that have no value because they failed. They rank above every value.
	Failed int
}

// Step is one load step on both arms.
type Step struct {
	// Label is short, such as "c=8" or "4 req/s".
	Label string
	Arms  swap.PerArm[StepPoint]
	// Limits are what the load client's account of the step was held against; nil where they are not known.
	Limits *InstrumentLimits
}

// InstrumentLimits hold each limit in the place of the signal that it bounds, absent where the signal is not judged.
type InstrumentLimits struct{ Calibration, During swap.InstrumentReading }

// StepPoint is one arm in one step.
type StepPoint struct {
	Requests, Failed int
	TTFTP50ms        swap.Value
	TTFTP95ms        swap.Value
	TTFTP99ms        swap.Value
	TPOTP50ms        swap.Value
	// Throughput is in generated tokens per second.
	Throughput swap.Value
	// ErrorShare is a fraction.
	ErrorShare swap.Value
	// Unsteady is how many requests came before TTFT was steady; absent where it did not settle or cannot be told.
	Unsteady swap.Value
}

// Block is one block of one arm.
type Block struct {
	Arm       swap.Arm
	Started   time.Time
	TTFTP95ms swap.Value
}

// TimeSeries is one metric of one source over time. Series of the same name share a chart.
type TimeSeries struct {
	// Name is the metric's canonical name, whose ending gives the unit (gpu_power_w), or any other name.
	Name string
	// Unit is the unit of the values; left empty, it is taken from the ending of Name.
	Unit string
	// Arm is the arm that the values belong to; empty where both share the source.
	Arm    swap.Arm
	Points []TimePoint
}

// TimePoint is a value at a time.
type TimePoint struct {
	At    time.Time
	Value float64
}

// Span is a stretch of time with a name.
type Span struct {
	Label    string
	From, To time.Time
}
