package drift

import (
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/swap"
)

// mostResamples bounds the work on distributions, which hold every request.
const mostResamples = 499

// Distance compares the distribution of a metric now with then. ok is false where there is nothing to compare.
func (r Rules) Distance(metric swap.Metric, then, now Blocks) (d swap.DriftDistance, ok bool) {
	if r.Watch.Distribution == swap.DistributionKSAdaptive {
		return byKSAdaptive(metric, then, now)
	}
	found, ok := CompareDistributions(then, now, DistanceSettings{
		Tolerated: r.Watch.Distance, Level: r.Judge.Level, Resamples: min(r.Judge.Resamples, mostResamples), Seed: r.Judge.Seed,
	})
	if !ok {
		return swap.DriftDistance{}, false
	}
	d = swap.DriftDistance{
		Metric: metric, D: swap.Of(found.D), Low: swap.Of(found.Low), High: swap.Of(found.High), Level: r.Judge.Level,
		P: swap.Of(found.P), EnergyP: swap.Of(found.EnergyP), Drifted: found.Drifted, Larger: found.Larger,
	}
	d.Message = fmt.Sprintf("the distribution of %s is %.3f away from the baseline's (%.3f to %.3f, tolerated %.3f; p %.3g, by energy "+
		"distance %.3g), with %s values",
		metric, found.D, found.Low, found.High, r.Watch.Distance, found.P, found.EnergyP, direction(found.Larger))
	return d, true
}

func byKSAdaptive(metric swap.Metric, then, now Blocks) (d swap.DriftDistance, ok bool) {
	before, after := slices.Concat(then.Values...), slices.Concat(now.Values...)
	reading := classic.KSAdaptive{}.Read(before, after)
	if reading.Refusal != "" || math.IsNaN(reading.Value) {
		return swap.DriftDistance{}, false
	}
	slices.Sort(before)
	slices.Sort(after)
	larger := after[len(after)/2] > before[len(before)/2]
	return swap.DriftDistance{
		Metric: metric, D: swap.Of(reading.Value), Drifted: reading.Fires, Larger: larger,
		Message: fmt.Sprintf("the distribution of %s is %.3f away from the baseline's, threshold %.3f by classic_ks_adaptive, with %s values",
			metric, reading.Value, reading.Threshold, direction(larger)),
	}, true
}

func direction(larger bool) string {
	if larger {
		return "larger"
	}
	return "smaller"
}
