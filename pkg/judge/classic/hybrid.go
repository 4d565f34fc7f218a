package classic

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/smooth"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Hybrid holds each value of a series against 0.6·EWMA(0.2) + 0.4·P95 of the last 30 values, itself among them.
type Hybrid struct{}

// HybridReading is what Hybrid found.
type HybridReading struct {
	// Reading has the share of the judged values that are above their level, against 0.
	Reading
	// Judged counts the candidate's values that have a level, and Over those above it.
	Judged, Over int
}

// Name is classic_hybrid.
func (Hybrid) Name() swap.RuleName { return swap.RuleHybrid }

// Weakness is one sentence.
func (Hybrid) Weakness() string {
	return "its level has no coverage: about 25 % of a healthy series are above it, so that it fires in nearly every run, and the judged " +
		"value is part of its own level"
}

// Read takes the two series for one, as if the candidate had followed the baseline, and holds the candidate's values against
// their level. It fires if one is above.
func (Hybrid) Read(baseline, candidate []float64) HybridReading {
	o := smooth.ClassicHybrid()
	series := append(baseline[:len(baseline):len(baseline)], candidate...)
	levels, err := smooth.Hybrid(series, o)
	switch {
	case err != nil:
		return HybridReading{Reading: refuse("%v", err)}
	case len(candidate) == 0 || len(series) < o.Window:
		return HybridReading{Reading: refuse("the level needs %d values in a row, and there are %d of the baseline and %d of the candidate",
			o.Window, len(baseline), len(candidate))}
	}
	var r HybridReading
	for i := len(baseline); i < len(series); i++ {
		if math.IsNaN(levels[i]) {
			continue
		}
		r.Judged++
		if series[i] > levels[i] {
			r.Over++
		}
	}
	r.Reading = above(float64(r.Over)/float64(r.Judged), 0)
	return r
}

// NoiseShare is the share of a long, independent normal series that lies above the level: its mean plus 0.4·1.645 standard
// deviations. The level itself varies, which raises it a little.
func (Hybrid) NoiseShare() float64 {
	o := smooth.ClassicHybrid()
	return 1 - normalCDF((1-o.Share)*stats.NormalQuantile(o.P))
}

// Reach is for so many blocks of each arm in a step.
func (h Hybrid) Reach(blocks int) Reach {
	window := smooth.ClassicHybrid().Window
	if 2*blocks < window {
		return never("its level needs %d blocks of one step, both arms together, and the longest step has %d: hold a step for %d blocks, or "+
			"use shorter ones", window, 2*blocks, (window+1)/2)
	}
	judged := float64(min(blocks, 2*blocks-window+1))
	r := Reach{ByChance: 1 - math.Pow(1-h.NoiseShare(), judged)}
	r.Noise = fmt.Sprintf("about %s of the blocks of a healthy server are above its level, so that it fires in nearly every run (%s)",
		percent(h.NoiseShare()), percent(r.ByChance))
	return r
}
