package drift

import (
	"cmp"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Limits are the worsenings at which the response changes, each at least as high as the one before. Their unit is that of the
// estimate.
type Limits struct{ Notify, Fail, Block float64 }

// LimitsFor are the limits of a gate: relative as they are configured, and for an absolute margin in the same proportions, the
// margin standing for Fail.
func LimitsFor(gate swap.Gate, w swap.Watch) Limits {
	scale := 1.0
	if gate.Unit == swap.Absolute {
		scale = gate.Margin / w.Fail
	}
	return Limits{Notify: w.Notify * scale, Fail: w.Fail * scale, Block: w.Block * scale}
}

// Estimate is a worsening with its one-sided bounds, Low ≤ Theta ≤ High.
type Estimate struct{ Theta, Low, High float64 }

// Decide is the response to a worsening that is known within bounds:
//
//	block   if Low > Block
//	fail    if Low > Fail
//	notify  if Low > Notify, or Theta > Notify and High > Block
//	silent  if High < Notify
//
// and otherwise inconclusive, as it is where a number is not known.
func (l Limits) Decide(e Estimate) swap.DriftResponse {
	switch {
	case math.IsNaN(e.Theta) || math.IsNaN(e.Low) || math.IsNaN(e.High):
		return swap.DriftInconclusive
	case e.Low > l.Block:
		return swap.DriftBlock
	case e.Low > l.Fail:
		return swap.DriftFail
	case e.Low > l.Notify, e.Theta > l.Notify && e.High > l.Block:
		return swap.DriftNotify
	case e.High < l.Notify:
		return swap.DriftSilent
	}
	return swap.DriftInconclusive
}

// Point is the response of the usual matrix to an estimate: silent below Notify, a failed gate above Fail, a block above Block.
func (l Limits) Point(theta float64) swap.DriftResponse {
	switch {
	case math.IsNaN(theta):
		return swap.DriftInconclusive
	case theta > l.Block:
		return swap.DriftBlock
	case theta > l.Fail:
		return swap.DriftFail
	case theta >= l.Notify:
		return swap.DriftNotify
	}
	return swap.DriftSilent
}

// Worst is the most severe of the responses; of none it is inconclusive, because nothing was watched.
func Worst(responses ...swap.DriftResponse) swap.DriftResponse {
	if len(responses) == 0 {
		return swap.DriftInconclusive
	}
	worst := responses[0]
	for _, r := range responses[1:] {
		if r.Severity() > worst.Severity() {
			worst = r
		}
	}
	return worst
}

// WorstFirst orders metrics by their responses, and those with the same response by the size of the worsening against its limit
// of Fail.
func (r Rules) WorstFirst(metrics []swap.DriftMetric) []swap.DriftMetric {
	size := func(m swap.DriftMetric) float64 {
		return m.Change.Or(math.Inf(1)) / LimitsFor(m.Gate, r.Watch).Fail
	}
	sorted := slices.Clone(metrics)
	slices.SortStableFunc(sorted, func(a, b swap.DriftMetric) int {
		return cmp.Or(cmp.Compare(b.Response.Severity(), a.Response.Severity()), cmp.Compare(size(b), size(a)))
	})
	return sorted
}

// power is the chance with which NeedBlocks shall be enough.
const power = .8

// NeedBlocks is the estimated number of blocks at which an inconclusive worsening would be told from Notify, were it really
// Theta: the standard error consists of what blocks reduce (perBlock over the root of their number) and of what they do not
// (fixed: the baseline's own, and the spread between runs). It is 0 where no number of blocks is enough.
func (l Limits) NeedBlocks(theta, perBlock, fixed, level float64) int {
	distance := math.Abs(l.Notify - theta)
	allowed := distance / (stats.NormalQuantile(level) + stats.NormalQuantile(power))
	left := allowed*allowed - fixed*fixed
	if !(left > 0) {
		return 0
	}
	need := math.Ceil(perBlock * perBlock / left)
	if !(need < math.MaxInt32) {
		return 0
	}
	return max(int(need), 1)
}
