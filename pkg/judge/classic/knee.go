package classic

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats/knee"
	"github.com/swapgate/swapgate/pkg/swap"
)

// fewestLevels is the least number of levels whose second difference is not always 0.
const fewestLevels = 3

// SecondDiff takes for the knee of throughput over load the first level whose second difference is below −0.3.
type SecondDiff struct{}

// KneeReading is the level that SecondDiff names. It fires where it found one.
type KneeReading struct {
	// Reading has the second difference at that level, against −0.3.
	Reading
	// Level counts from 0. It is 0 too where none was found, as the stated rule has it; Found tells the two apart.
	Level int
	Found bool
}

// Name is classic_second_diff.
func (SecondDiff) Name() swap.RuleName { return swap.RuleSecondDiff }

// Weakness is one sentence.
func (SecondDiff) Weakness() string {
	return "its limit of −0.3 tok/s per step² depends on the unit and takes unequal steps for equal: the first wobble of 0.3 tok/s is a " +
		"knee, and in thousands of tok/s nothing ever is"
}

// Read takes the throughputs of levels in the order of their load, in tok/s.
func (SecondDiff) Read(throughputs []float64) KneeReading {
	if i := notFinite(throughputs); i >= 0 {
		return KneeReading{Reading: refuse("level %d has no throughput", i+1)}
	}
	if len(throughputs) < fewestLevels {
		return KneeReading{Reading: refuse("a second difference needs %d load steps that differ in their level only, and there are %d",
			fewestLevels, len(throughputs))}
	}
	at, found := knee.ClassicSecondDifference(throughputs)
	return KneeReading{
		Reading: Reading{Fires: found, Value: knee.Curvature(throughputs)[at], Threshold: knee.ClassicFall}, Level: at, Found: found,
	}
}

// Reach is for so many levels on one curve.
func (SecondDiff) Reach(levels int) Reach {
	if levels < fewestLevels {
		return never("a second difference needs %d load steps that differ in their level only, and the load has %d: add steps",
			fewestLevels, levels)
	}
	return Reach{
		ByChance: math.NaN(),
		Noise:    "any curve that is not straight to within 0.3 tok/s has a knee for it; look at the knee that the report names",
	}
}
