package judge

import (
	"math"
	"sort"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// quantileInterval bounds one arm's own quantile by inverting the test of the share of values below a point (Woodruff 1952): the
// quantile is below x where certainly more than the share q of the values is. A standard error of the quantile would not do: it is
// small where the estimate happens to be low, and lets 7 % of the candidates at the limit of a P99 pass where 5 % should. Between
// two arms that cancels out.
type quantileInterval struct {
	sorted []float64
	// limit is what the scale is relative to: a value v is at ln(v/limit).
	limit float64
	// q is the probability of the quantile, se the standard error of the share of values below it.
	q, se, df float64
}

func (i quantileInterval) bounds(level float64) (low, high float64) {
	n, half := float64(len(i.sorted)), stats.TQuantile(level, i.df)*i.se
	low, high = math.Inf(-1), math.Inf(1)
	if rank := int(math.Ceil(n * (i.q - half))); rank >= 1 {
		low = math.Log(i.sorted[rank-1] / i.limit)
	}
	if rank := int(math.Floor(n*(i.q+half))) + 1; rank <= len(i.sorted) {
		high = math.Log(i.sorted[rank-1] / i.limit)
	}
	return low, high
}

func (i quantileInterval) pAbove(x float64) float64 {
	value := i.limit * math.Exp(x)
	atMost := sort.Search(len(i.sorted), func(k int) bool { return i.sorted[k] > value })
	return stats.TCDF((float64(atMost)/float64(len(i.sorted))-i.q)/i.se, i.df)
}

func (i quantileInterval) pBelow(x float64) float64 {
	below := sort.SearchFloat64s(i.sorted, i.limit*math.Exp(x))
	return stats.TCDF((i.q-float64(below)/float64(len(i.sorted)))/i.se, i.df)
}

func (quantileInterval) method() swap.Method { return swap.MethodShares }

// quantileAgainstLimit fills what is known of the candidate's quantile. Its share of values below the quantile has the spread of
// the blocks, there or at the limit, where that is larger.
func (m *measured) quantileAgainstLimit(p pairs, candidate pooled, q float64) {
	at := m.values.Candidate
	if math.IsInf(at, 1) {
		at = m.gate.Limit
	}
	m.spread(swap.PerArm[blockSums]{Candidate: candidate.above(at)}, p, false)
	beyond := candidate.above(m.gate.Limit)
	m.designEffect = larger(m.designEffect, stats.DesignEffect(beyond.num, beyond.den, p.strata))
	sorted := candidate.Sorted()
	counted := stats.Proportion{Successes: q * float64(len(sorted)), Trials: float64(len(sorted))}.Deflated(m.designEffect)
	i := quantileInterval{
		sorted: sorted, limit: m.gate.Limit, q: q, se: math.Sqrt(q * (1 - q) / counted.Trials), df: m.df,
	}
	m.theta, m.interval = m.difference(0, m.values.Candidate), i
	low, high := i.bounds(spreadLevel)
	if math.IsInf(high, 1) {
		high = 2*m.theta - low
	}
	m.se = (high - low) / 2 / stats.TQuantile(spreadLevel, m.df)
}

// spreadLevel is the level of the bounds that a standard error is told from.
const spreadLevel = .95
