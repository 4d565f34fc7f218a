package rollout

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats/power"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The P99 whose rise a weight shall see, and the latencies that are assumed: log-normal with this σ, and the variance inflation of a
// queue with an autocorrelation of 0.9 in half of its variance.
const (
	sightQuantile = .99
	sightSigma    = .5
)

func sightTest() power.Test { return power.Test{Alpha: .05, Power: .8, DesignEffect: 2.04} }

// Needed is how many requests the candidate has to answer at a weight, in percent, for a relative rise of P99 to be seen four times in
// five: half of what equal arms need, over the baseline's share. ok is false at 100 %, where there is nothing to compare with.
func Needed(weight int, rise float64) (requests int, ok bool) {
	n, ok := sightTest().QuantileRatio(sightQuantile, sightSigma, rise)
	if !ok || weight < 1 || weight > 99 {
		return 0, false
	}
	return int(math.Ceil(float64(n) / 2 / (1 - float64(weight)/100))), true
}

// DefaultSees is the relative rise of P99 that a weight shall see unless the plan says otherwise: a catastrophe at 1 %, and less the more
// traffic there is. It is 0 at 100 %.
func DefaultSees(weight int) float64 {
	switch {
	case weight <= 1:
		return 1
	case weight <= 5:
		return .5
	case weight <= 20:
		return .25
	case weight < 100:
		return .15
	}
	return 0
}

// Sees is the relative rise of P99 that so many latencies of each arm show four times in five; absent without both.
func Sees(latencies swap.PerArm[int]) swap.Value {
	rise, ok := sightTest().QuantileEffect(sightQuantile, sightSigma, latencies.Baseline, latencies.Candidate)
	if !ok {
		return swap.Absent()
	}
	return swap.Of(rise)
}

// stepAt is what the plan asks of a weight; the zero step where it asks for nothing.
func stepAt(plan swap.Rollout, weight int) swap.RolloutStep {
	for _, s := range plan.Steps {
		if s.Weight == weight {
			return s
		}
	}
	return swap.RolloutStep{}
}
