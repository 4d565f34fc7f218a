package judge

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// selfLevel is the chance, over all gates of a run, of saying that a baseline differs from itself when it does not.
// Bonferroni's correction divides it: a fixed limit such as 2.5 standard errors, 1.2 % for each gate, would spoil 8 % of the
// healthy runs with seven gates.
const selfLevel = .005

// selfComparison is the A/A check: the baseline's blocks of every other pair against its other blocks. As blocks alternate
// A B B A, one half holds those that come first in their pair. Both halves have the same server and the same drift; were they
// to differ by more than the spread of blocks explains, that spread would not be the noise of the comparison either.
type selfComparison struct {
	// p is the p-value against "the halves are equal", 1 where they tell nothing.
	p float64
	// values are the gate's statistic in each half, computed where the halves differ.
	values  func() [2]float64
	differs bool
	halves  [2]float64
	// recorded is set where the blocks are stretches of runs that were not driven in turns.
	recorded bool
	// slack is how far the halves are apart on the gate's scale where they differ, else 0.
	slack float64
}

// newSelfComparison compares Σnum/Σden of the halves by batch means. For a quantile they are the requests beyond it, and all;
// value is the gate's own statistic when blocks are weighted.
func newSelfComparison(sums blockSums, p pairs, value func(weights []float64) float64) selfComparison {
	var masks [2][]float64
	for half := range masks {
		masks[half] = make([]float64, len(p.list))
	}
	strata, seen := make(stats.Strata, len(p.list)), map[int]int{}
	for k, group := range p.strata {
		half := seen[group] % 2
		seen[group]++
		strata[k], masks[half][k] = 2*group+half, 1
	}
	ratios := [2]float64{sums.weighted(masks[0]), sums.weighted(masks[1])}
	influence := make([]float64, len(p.list))
	for half, mask := range masks {
		total := 0.0
		for k, w := range mask {
			total += w * sums.den[k]
		}
		for k, w := range mask {
			influence[k] += w * (sums.num[k] - ratios[half]*sums.den[k]) / total
		}
	}
	strata = strata.MergeSingles()
	return selfComparison{
		p: twoSided(ratios[1]-ratios[0], stats.InfluenceError(influence, strata), stats.EffectiveDegrees(influence, strata)),
		values: func() [2]float64 {
			return [2]float64{value(masks[0]), value(masks[1])}
		},
	}
}

// twoSided is the p-value against a difference of 0. A standard error that is 0 or unknown tells nothing.
func twoSided(difference, se, df float64) float64 {
	if !(se > 0) || math.IsNaN(difference) {
		return 1
	}
	return 2 * stats.TCDF(-math.Abs(difference)/se, df)
}

// compareBaselineToItself settles the A/A check of one of so many gates.
func (m *measured) compareBaselineToItself(gates int) {
	if m.refusal != nil || m.self.values == nil || m.gate.HasLimit() || m.self.p >= selfLevel/float64(gates) {
		return
	}
	m.self.differs, m.self.halves = true, m.self.values()
	if apart := math.Abs(m.difference(m.self.halves[0], m.self.halves[1])); !math.IsNaN(apart) {
		m.self.slack = apart
	}
}

// sentence says how the baseline differs from itself.
func (s selfComparison) sentence(m measured) string {
	cause := "such as load of the other arm that has not drained; settle longer"
	if s.recorded {
		cause = "such as a period of the load or of the server; record a longer run"
	}
	return fmt.Sprintf("the baseline differs from itself (%s in every other block, %s in the rest; chance gives that once in %.0f runs): "+
		"something disturbs every other block, %s",
		quantityText(m.gate, s.halves[0]), quantityText(m.gate, s.halves[1]), 1/max(s.p, 1e-9), cause)
}
