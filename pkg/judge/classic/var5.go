package classic

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// answersPerPrompt is how many answers Var5 is about.
const answersPerPrompt = 5

// Var5 is the variance of the factuality of five answers to one prompt.
type Var5 struct{}

// Name is var5.
func (Var5) Name() swap.RuleName { return "var5" }

// Weakness is one sentence.
func (Var5) Weakness() string {
	return "a variance from five draws is off by ±71 % (one standard error), and dividing by n instead of n−1 makes it too small by a fifth"
}

// Read is NumPy's var, the mean squared deviation. The rule has no threshold, so it never fires.
func (Var5) Read(scores []float64) Reading {
	if len(scores) != answersPerPrompt || notFinite(scores) >= 0 {
		return refuse("it is about %d scores that are finite, and there are %d", answersPerPrompt, len(scores))
	}
	sd := populationSD(scores)
	return Reading{Value: sd * sd, Threshold: math.NaN()}
}

// RelativeError is the standard error of a variance over the variance, of n independent normal values: √(2/(n−1)).
func (Var5) RelativeError(n int) float64 { return math.Sqrt(2 / float64(n-1)) }
