package recorded

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// NewStage makes a stage of requests: it sorts them by start where all have one, counts outcomes, and takes the stage's time
// from them where seconds is absent.
func NewStage(level Level, requests []Request, seconds swap.Value) Stage {
	s := Stage{Level: level, Requests: requests, Seconds: seconds, Outcomes: swap.OutcomeCounts{}}
	if slices.ContainsFunc(requests, func(r Request) bool { return !r.Start.Valid() }) {
		s.Order = ByFile
	} else {
		slices.SortStableFunc(requests, func(a, b Request) int { return cmp.Compare(a.Start.Or(0), b.Start.Or(0)) })
	}
	prompts, told := 0.0, 0
	for i := range requests {
		s.Zeros += requests[i].dropZeros()
		s.Outcomes[requests[i].Outcome]++
		if n, ok := requests[i].PromptTokens.Get(); ok {
			prompts += n
			told++
		}
	}
	s.PromptTokens = swap.Of(prompts / float64(told))
	if first, last, ok := s.span(); ok && !seconds.Valid() && last > first {
		s.Seconds = swap.Of(last - first)
	}
	return s
}

// dropZeros takes latencies of 0 for missing and counts them: none was measured. A last token at the time of the first, where there are
// more, makes a time per token of 0.
func (r *Request) dropZeros() (n int) {
	if !r.Outcome.Good() {
		return 0
	}
	if ttft, ok := r.TTFT.Get(); ok && micros(r.TTFT) == nil {
		r.TTFT = swap.Absent()
		n++
	} else if ok && r.OutputTokens.Or(0) > 1 && ttft == r.E2E.Or(0) {
		r.E2E = swap.Absent()
		n++
	}
	if r.E2E.Valid() && micros(r.E2E) == nil {
		r.E2E = swap.Absent()
		n++
	}
	return n
}

// span is from the first start to the last end, on the clock of the requests.
func (s *Stage) span() (first, last float64, ok bool) {
	if s.Order != ByTime || len(s.Requests) == 0 {
		return 0, 0, false
	}
	first, last = s.Requests[0].Start.Or(0), math.Inf(-1)
	for i := range s.Requests {
		last = max(last, s.Requests[i].End().Or(0))
	}
	return first, last, true
}

// record is the request as the judge takes it. That the client sent it late cannot be told.
func (r *Request) record() rawlog.Record {
	out := rawlog.Record{
		Measured: true, Outcome: string(r.Outcome),
		PromptTokens: count(r.PromptTokens), CachedTokens: count(r.CachedTokens), OutputTokens: count(r.OutputTokens),
	}
	if r.Outcome.Good() {
		out.FirstUS, out.LastUS = micros(r.TTFT), micros(r.E2E)
	}
	return out
}

func count(v swap.Value) *int32 {
	n, ok := v.Get()
	if !ok {
		return nil
	}
	whole := int32(n)
	return &whole
}

// micros is a latency in whole microseconds; one of none is no measurement.
func micros(ms swap.Value) *int64 {
	us := int64(math.Round(ms.Or(0) * 1e3))
	if us == 0 {
		return nil
	}
	return &us
}

// Value is the stage's figure for a gate: of its requests, percentiles by type 7 of Hyndman and Fan, else the tool's own.
func (s *Stage) Value(g swap.Gate) swap.Value {
	switch {
	case !s.Measured():
		v, ok := s.Summary[figureName(g)]
		if !ok {
			return swap.Absent()
		}
		return swap.Of(v)
	case g.Metric == swap.MetricErrorRate:
		return s.errorRate()
	case g.Metric == swap.MetricThroughput:
		return s.throughput()
	}
	values := s.values(g.Metric)
	if q, ok := g.Stat.Quantile(); ok {
		return swap.Of(stats.Quantiles(values, q)[0])
	}
	return swap.Of(stats.Mean(values))
}

// figureName is the key of a gate in a summary; a limit is held against the same figure as a baseline.
func figureName(g swap.Gate) string { return strings.TrimSuffix(g.Name(), "_slo") }

func (s *Stage) errorRate() swap.Value {
	return swap.Of(float64(s.Outcomes.Failed()) / float64(s.Outcomes.Total()-s.Outcomes[swap.Abandoned]))
}

func (s *Stage) throughput() swap.Value {
	tokens := s.values(swap.MetricOutputTokens)
	if len(tokens) == 0 || !s.Seconds.Valid() {
		return swap.Absent()
	}
	return swap.Of(stats.Sum(tokens) / s.Seconds.Or(0))
}

// values are those of the good requests, of which any may be absent.
func (s *Stage) values(m swap.Metric) []float64 {
	var out []float64
	add := func(q *judge.Requests) {
		for i, v := range q.PerRequest(m) {
			if q.Outcome(i).Good() && !math.IsNaN(v) {
				out = append(out, v)
			}
		}
	}
	for i := range s.Blocks {
		add(&s.Blocks[i].Requests)
	}
	if len(s.Requests) > 0 {
		all := blockOf(s.Requests)
		add(&all.Requests)
	}
	return out
}

// has reports whether the stage can have the metric at all.
func (s *Stage) has(m swap.Metric) bool {
	if !s.Measured() {
		for name := range s.Summary {
			if name == string(m) || strings.HasPrefix(name, string(m)+"_p") || name == string(m)+"_mean" {
				return true
			}
		}
		return false
	}
	switch m {
	case swap.MetricErrorRate:
		return true
	case swap.MetricThroughput:
		return s.throughput().Valid()
	case swap.MetricTTFTScheduled:
		return len(s.Blocks) > 0
	}
	return len(s.values(m)) > 0
}
