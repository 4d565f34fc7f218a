package sequential

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats/internal/root"
)

// Bernoulli is a confidence sequence for a share: the interval holds at every number of independent trials at once, with a
// probability of 1−alpha. It is tightest near horizon trials. It keeps the shares that a two-sided BetaBinomial mixture for
// them does not reject.
func Bernoulli(successes, trials int, alpha, horizon float64) (low, high float64) {
	if successes < 0 || successes > trials || !(alpha > 0 && alpha < 1 && horizon > 0) {
		return math.NaN(), math.NaN()
	}
	if trials == 0 {
		return 0, 1
	}
	n := float64(trials)
	share := float64(successes) / n
	excess := func(p float64) float64 {
		m := NewBetaBinomial(TwoSided, p, 1-p, p*(1-p)*horizon, alpha)
		return m.LogWealth((share-p)*n, p*(1-p)*n) + math.Log(alpha)
	}
	return edge(excess, 0, share), edge(excess, 1, share)
}

// edge is where shares from one end on towards the observed one stop being rejected.
func edge(excess func(float64) float64, end, share float64) float64 {
	if share == end {
		return end
	}
	near := end + (share-end)*1e-9
	if !(excess(near) > 0) {
		return end
	}
	within := share
	if share == 0 || share == 1 { // the mixture has no meaning at the end itself
		within = share + (end-share)*1e-9
	}
	p, ok := root.Find(excess, near, within)
	if !ok {
		return math.NaN()
	}
	return p
}
