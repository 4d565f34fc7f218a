package classic

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/outlier"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Glitch takes for a network glitch a value of a series that is more than Limit standard deviations off the mean of the last
// Window values, itself among them.
type Glitch struct {
	Window int
	// Limit is 3 as stated.
	Limit float64
}

// GlitchReading is what Glitch found.
type GlitchReading struct {
	// Reading has the largest distance of a judged value, in standard deviations, against the limit.
	Reading
	// At are the indices of the values that are beyond it.
	At []int
}

// Name is classic_glitch_zscore.
func (Glitch) Name() swap.RuleName { return "classic_glitch_zscore" }

// Weakness is one sentence.
func (Glitch) Weakness() string {
	return "a glitch widens the deviation that it is judged by: of w values none is (w−1)/√w deviations off, so that 3 needs a window of " +
		"11, and two glitches hide each other"
}

// Read looks at a series in the order of time.
func (g Glitch) Read(series []float64) GlitchReading {
	at, err := outlier.SlidingZScore(series, g.Window, g.Limit)
	switch {
	case err != nil:
		return GlitchReading{Reading: refuse("%v", err)}
	case len(series) < g.Window:
		return GlitchReading{Reading: refuse("the series has %d values, and the window %d", len(series), g.Window)}
	}
	largest := 0.0
	for end := g.Window; end <= len(series); end++ {
		values := series[end-g.Window : end]
		if sd := stats.StandardDeviation(values); sd > 0 {
			largest = max(largest, math.Abs(values[g.Window-1]-stats.Mean(values))/sd)
		}
	}
	return GlitchReading{Reading: Reading{Fires: len(at) > 0, Value: largest, Threshold: g.Limit}, At: at}
}

// Most is how many sample standard deviations a value can be off at most: (w−1)/√w.
func (g Glitch) Most() float64 { return float64(g.Window-1) / math.Sqrt(float64(g.Window)) }

// Reach says whether the limit can be passed, and which share of a normal series passes it: z²·w/(w−1)² has a beta distribution with
// parameters 1/2 and (w−2)/2 (Thompson 1935).
func (g Glitch) Reach() Reach {
	w := float64(g.Window)
	if g.Window < 2 || g.Limit >= g.Most() {
		return never("of %d values none is further than %.3g standard deviations from their mean, and the limit is %g: use a longer window",
			g.Window, g.Most(), g.Limit)
	}
	share := g.Limit * g.Limit * w / ((w - 1) * (w - 1))
	if g.Window == 2 {
		return Reach{ByChance: 1} // both values are as far off as can be
	}
	return Reach{ByChance: 1 - mathext.RegIncBeta(.5, (w-2)/2, share)}
}
