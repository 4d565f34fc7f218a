package sequential

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"

	"github.com/swapgate/swapgate/pkg/stats/internal/root"
)

// CompareP is the always-valid p-value of "both arms have the same quantile", two-sided, given what each arm has shown so
// far in ascending order: 1 over the least product of both arms' wealth against a common quantile x, over all x (Howard and
// Ramdas 2022, theorem 4 of arXiv 1906.09712). Arms may differ in size, and observations may be infinite, as those of
// failed requests. It is 1 as long as one arm is empty, and NaN when there is a NaN among the observations.
func (q Quantile) CompareP(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	if slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) {
		return math.NaN()
	}
	first, second := q.arm(a), q.arm(b)
	least := math.Inf(1)
	for _, arm := range []quantileArm{first, second} {
		for _, x := range arm.sorted {
			least = min(least, first.leastWealth(x)+second.leastWealth(x))
		}
	}
	return math.Exp(-max(0, least))
}

// quantileArm is the wealth against every value that an arm's quantile might have.
type quantileArm struct {
	sorted   []float64
	p, share float64
	mixture  BetaBinomial
}

func (q Quantile) arm(sorted []float64) quantileArm {
	m := NewBetaBinomial(TwoSided, q.P, 1-q.P, q.P*(1-q.P)*q.Horizon, q.Alpha)
	arm := quantileArm{sorted: sorted, p: q.P, mixture: m}
	n := float64(len(sorted))
	arm.share = q.P + m.leastAt(q.P*(1-q.P)*n)/n
	return arm
}

// leastWealth is the least that is consistent with x being the quantile: the share of values up to x may be anything from
// those below x to those at most x.
func (a quantileArm) leastWealth(x float64) float64 {
	n := float64(len(a.sorted))
	from, to := a.below(x), a.upTo(x)
	share := min(max(a.share, float64(from)/n), float64(to)/n)
	return a.mixture.LogWealth((share-a.p)*n, a.p*(1-a.p)*n)
}

func (a quantileArm) below(x float64) int {
	return sort.Search(len(a.sorted), func(i int) bool { return a.sorted[i] >= x })
}

func (a quantileArm) upTo(x float64) int {
	return sort.Search(len(a.sorted), func(i int) bool { return a.sorted[i] > x })
}

// leastAt is the sum at which a two-sided mixture's wealth is least at the intrinsic time v: where its derivative is 0.
func (m BetaBinomial) leastAt(v float64) float64 {
	g, h, both := m.G, m.H, m.G+m.H
	slope := func(s float64) float64 {
		return (math.Log(h/g) + mathext.Digamma((m.R+v+h*s)/(h*both)) - mathext.Digamma((m.R+v-g*s)/(g*both))) / both
	}
	s, ok := root.Find(slope, -v/h, m.Most(v))
	if !ok {
		return math.NaN()
	}
	return s
}
