package judge

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// A gate against an SLO judges the candidate alone, with the same algebra as a gate against the baseline: it passes where the upper
// bound is below the limit, with no margin. The baseline's value is shown for information and refuses nothing. Nothing cancels a
// drift of the whole system here; the load is judged as a whole, so that what must hold is the statistic over all of it.

// arms are those that the gate's decision rests on.
func (m *measured) arms() []swap.Arm {
	if m.gate.HasLimit() {
		return []swap.Arm{swap.Candidate}
	}
	return swap.Arms[:]
}

// needs reports whether the gate's decision rests on an arm.
func (m *measured) needs(arm swap.Arm) bool { return arm == swap.Candidate || !m.gate.HasLimit() }

// least is the smallest number of samples among the arms that the decision rests on.
func (m *measured) least() int {
	n := math.MaxInt
	for _, arm := range m.arms() {
		n = min(n, m.n.Get(arm))
	}
	return n
}

// exactly is a share that is known without error.
func exactly(share float64) stats.Proportion {
	const trials = 1e18
	return stats.Proportion{Successes: share * trials, Trials: trials}
}

// explainLimit is the sentence of a gate against an SLO.
func explainLimit(m measured, r swap.GateResult) string {
	evidence := fmt.Sprintf("%s; %s; baseline %s", levelsText(r), basisText(m, r), informationText(m))
	if r.Decision == swap.Fail {
		return fmt.Sprintf("candidate's %s is %s, %s the limit of %s (%s)",
			longName(m.gate), valueText(m, swap.Candidate), wrongSide(m.gate), quantityText(m.gate, m.gate.Limit), evidence)
	}
	conclusion := "pass"
	switch {
	case r.Decision == swap.Pass:
	case r.NeedBlocks > 0:
		conclusion = fmt.Sprintf("not decided, about %d blocks would decide", r.NeedBlocks)
	case r.Method == swap.MethodSummary:
		conclusion = "not decided"
	default:
		conclusion = "not decided, and more blocks are unlikely to make it pass"
	}
	return fmt.Sprintf("%s %s, limit %s: %s (%s)",
		shortName(m.gate), valueText(m, swap.Candidate), quantityText(m.gate, m.gate.Limit), conclusion, evidence)
}

func wrongSide(g swap.Gate) string {
	if g.Better == swap.HigherIsBetter {
		return "below"
	}
	return "above"
}

// levelsText is such as "one-sided 95 % bounds 450 ms … 495 ms", of the candidate's own value.
func levelsText(r swap.GateResult) string {
	bound := func(v swap.Value) string {
		difference, ok := v.Get()
		if !ok {
			return "unbounded"
		}
		return quantityText(r.Gate, r.Gate.Limit+difference)
	}
	return fmt.Sprintf("one-sided %s %% bounds %s … %s", percent(r.Level), bound(r.Low), bound(r.High))
}

// informationText is the baseline's value, which decides nothing.
func informationText(m measured) string {
	if math.IsNaN(m.values.Baseline) {
		return "unknown"
	}
	return valueText(m, swap.Baseline)
}
