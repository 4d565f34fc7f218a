package recorded

import (
	"github.com/swapgate/swapgate/pkg/swap"
)

// NewSummary is a stage of which only summaries were recorded.
func NewSummary(level Level, seconds swap.Value) Stage {
	return Stage{Level: level, Seconds: seconds, Outcomes: swap.OutcomeCounts{}, Summary: map[string]float64{}}
}

// Count adds n requests of an outcome, and the error rate that follows.
func (s *Stage) Count(o swap.Outcome, n float64) {
	if n > 0 {
		s.Outcomes[o] += int(n)
	}
	if s.Outcomes.Total() > 0 {
		s.Summary[string(swap.MetricErrorRate)] = s.errorRate().Or(0)
	}
}

// Figure keeps a figure by the name of its gate, where there is one. One of 0 is no measurement.
func (s *Stage) Figure(gate string, v swap.Value) {
	if x := v.Or(0); x > 0 {
		s.Summary[gate] = x
	}
}
