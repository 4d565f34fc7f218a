package rawlog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// P99Floor is how many requests a 99th percentile needs for its order statistic to bound it with 99 % confidence (MLPerf
// Endpoints); below it a P99 says more about luck than about the server.
const P99Floor = 662

// ProfileSummary gathers what a profile says of records, arm by arm. Metrics are of good requests of the measured time.
type ProfileSummary struct {
	profile Profile
	arms    map[string]*armSummary
	// tokens is the profile's count of output tokens.
	tokens ProfileMetric
	// table counts tables; measured is the measured time of the blocks of the present one, 0 where it is not known.
	table    int
	measured time.Duration
}

// place is a stretch of load of an arm: a block of a step, or without one a table.
type place struct{ step, block, table int }

type armSummary struct {
	requests, settle int
	outcomes         swap.OutcomeCounts
	metrics          []metricSummary
	stretches        map[place]*stretch
}

type metricSummary struct {
	requests int
	values   Distribution
}

// ArmMetrics is one arm by a profile.
type ArmMetrics struct {
	// Arm is empty for requests whose arm is unknown.
	Arm string `json:"arm"`
	// Requests are all, Settle those of them in settle time.
	Requests int                `json:"requests"`
	Settle   int                `json:"settle_requests"`
	Outcomes swap.OutcomeCounts `json:"outcomes"`
	Metrics  []MetricSummary    `json:"metrics"`
	// Throughput is that of each step, in their order.
	Throughput []StepThroughput `json:"throughput"`
}

// MetricSummary is one metric of an arm.
type MetricSummary struct {
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	// Requests are those that have the metric.
	Requests int        `json:"requests"`
	Mean     swap.Value `json:"mean"`
	P50      swap.Value `json:"p50"`
	P90      swap.Value `json:"p90"`
	P95      swap.Value `json:"p95"`
	P99      swap.Value `json:"p99"`
	// Note says why a number is absent.
	Note string `json:"note,omitempty"`
}

// NewProfileSummary begins a summary.
func NewProfileSummary(p Profile) *ProfileSummary {
	tokens, _ := p.Metric("output_tokens") // every profile has it
	return &ProfileSummary{profile: p, arms: map[string]*armSummary{}, tokens: tokens}
}

// Begin says that the records to come are of another table, and how long the measured time of its block is: 0 if that is not
// known, for it to be estimated.
func (s *ProfileSummary) Begin(measured time.Duration) {
	s.table++
	s.measured = measured
}

// Add counts a record; it keeps nothing that r points to.
func (s *ProfileSummary) Add(r *Record) {
	a := s.arms[r.Arm]
	if a == nil {
		a = &armSummary{
			outcomes: swap.OutcomeCounts{}, metrics: make([]metricSummary, len(s.profile.Metrics)), stretches: map[place]*stretch{},
		}
		s.arms[r.Arm] = a
	}
	a.requests++
	a.outcomes[swap.Outcome(r.Outcome)]++
	if !r.Measured {
		a.settle++
		return
	}
	a.stretch(s.placeOf(r), s.measured).add(r, s.tokens)
	if !r.Good() {
		return
	}
	for i, metric := range s.profile.Metrics {
		m := &a.metrics[i]
		before := m.values.Weight()
		metric.Each(r, func(v float64, weight int) { m.values.Add(v, int64(weight)) })
		if m.values.Weight() > before {
			m.requests++
		}
	}
}

func (s *ProfileSummary) placeOf(r *Record) place {
	if r.Block == 0 {
		return place{table: s.table}
	}
	return place{step: int(r.Step), block: int(r.Block)}
}

func (a *armSummary) stretch(at place, measured time.Duration) *stretch {
	of := a.stretches[at]
	if of == nil {
		of = &stretch{measured: measured}
		a.stretches[at] = of
	}
	return of
}

// throughput is that of each step.
func (a *armSummary) throughput(t ThroughputRule) []StepThroughput {
	steps := map[int][]*stretch{}
	for at, s := range a.stretches {
		steps[at.step] = append(steps[at.step], s)
	}
	var out []StepThroughput
	for _, step := range slices.Sorted(maps.Keys(steps)) {
		out = append(out, throughputOf(t, step, steps[step]))
	}
	return out
}

// Arms are the arms so far, in their usual order.
func (s *ProfileSummary) Arms() []ArmMetrics {
	usual := func(arm string) int {
		if i := slices.Index(swap.Arms[:], swap.Arm(arm)); i >= 0 {
			return i
		}
		return len(swap.Arms)
	}
	names := slices.SortedFunc(maps.Keys(s.arms), func(a, b string) int {
		return cmp.Or(cmp.Compare(usual(a), usual(b)), cmp.Compare(a, b))
	})
	out := make([]ArmMetrics, 0, len(names))
	for _, name := range names {
		a := s.arms[name]
		arm := ArmMetrics{Arm: name, Requests: a.requests, Settle: a.settle, Outcomes: a.outcomes}
		for i, metric := range s.profile.Metrics {
			arm.Metrics = append(arm.Metrics, s.summarise(metric, &a.metrics[i]))
		}
		arm.Throughput = a.throughput(s.profile.Throughput)
		out = append(out, arm)
	}
	return out
}

func (s *ProfileSummary) summarise(metric ProfileMetric, m *metricSummary) MetricSummary {
	out := MetricSummary{
		Metric: metric.Name, Unit: metric.Unit, Requests: m.requests, Mean: m.values.Mean(),
		P50: s.profile.Percentile(&m.values, 0.5), P90: s.profile.Percentile(&m.values, 0.9),
		P95: s.profile.Percentile(&m.values, 0.95), P99: s.profile.Percentile(&m.values, 0.99),
	}
	switch {
	case m.requests == 0:
		out.Note = "no request has it"
	case m.requests < P99Floor:
		out.P99 = swap.Absent()
		out.Note = fmt.Sprintf("P99 needs %d requests, %d have it", P99Floor, m.requests)
	}
	return out
}
