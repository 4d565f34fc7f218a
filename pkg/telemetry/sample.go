package telemetry

import "context"

// Schema names the layout of Sample in the run store.
const Schema = "telemetry/v1"

// Sample is one reading of one metric. Column names are the table's contract, documented in docs/telemetry.md.
type Sample struct {
	// TimeUnixNS is when the source was asked, on the sampling worker's clock. The reading belongs to some instant
	// between it and TookUS later.
	TimeUnixNS int64 `parquet:"time_unix_ns"`
	// Source is the name of the sampler.
	Source string `parquet:"source,dict"`
	// Arm is the arm that the reading belongs to; empty when both arms share what was read.
	Arm string `parquet:"arm,dict"`
	// Metric is one of the canonical names.
	Metric string `parquet:"metric,dict"`
	// GPU is the index of the GPU on its host ("0"; "0/3" for instance 3 of a divided GPU); empty for an engine metric.
	GPU string `parquet:"gpu,dict"`
	// GPUUUID is the GPU's own identity, where the source gives it.
	GPUUUID string `parquet:"gpu_uuid,dict"`
	// Origin is the name under which the source reported the value: which alias matched.
	Origin string `parquet:"origin,dict"`
	// Value is finite and in the unit that Metric names.
	Value float64 `parquet:"value"`
	// TookUS is how long the source took to answer.
	TookUS int64 `parquet:"took_us"`
}

// Sampler reads one source once.
type Sampler interface {
	// Name is the source's stable name, such as "engine".
	Name() string
	// Sample returns what can be read now, with Metric, GPU, GPUUUID, Origin and Value set; Collect fills in the rest. An
	// error beside samples means that a part of the source could not be read. It is called from one goroutine at a time
	// and returns soon after ctx ends.
	Sample(ctx context.Context) ([]Sample, error)
}
