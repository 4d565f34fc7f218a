package classic

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/smooth"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Hybrid holds each value of a series against 0.6·EWMA(0.2) + 0.4·P95 of the last 30 values, itself among them.
type Hybrid struct{}

// Name is classic_hybrid.
func (Hybrid) Name() swap.RuleName { return swap.RuleHybrid }

// Weakness is one sentence.
func (Hybrid) Weakness() string {
	return "its level has no coverage: about every fourth value of a healthy series is above it, and the judged value is part of its own level"
}

// Read takes the two series for one, as if the candidate had followed the baseline, and holds the candidate's values against
// their level. Value is the share of those that are above, and the rule fires if there is one.
func (Hybrid) Read(baseline, candidate []float64) Reading {
	o := smooth.ClassicHybrid()
	series := append(baseline[:len(baseline):len(baseline)], candidate...)
	levels, err := smooth.Hybrid(series, o)
	switch {
	case err != nil:
		return refuse("%v", err)
	case len(candidate) == 0 || len(series) < o.Window:
		return refuse("the level needs %d values in a row, and there are %d of the baseline and %d of the candidate",
			o.Window, len(baseline), len(candidate))
	}
	judged, over := 0, 0
	for i := len(baseline); i < len(series); i++ {
		if math.IsNaN(levels[i]) {
			continue
		}
		judged++
		if series[i] > levels[i] {
			over++
		}
	}
	return above(float64(over)/float64(judged), 0)
}

// NoiseShare is the share of a long, independent normal series that lies above the level: its mean plus 0.4·1.645 standard
// deviations. The level itself varies, which raises it a little.
func (Hybrid) NoiseShare() float64 {
	o := smooth.ClassicHybrid()
	return 1 - normalCDF((1-o.Share)*stats.NormalQuantile(o.P))
}
