package classic

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// manifold is how many times the mean an error rate must be above.
	manifold = 3
	// smallErrorRate is an ordinary error rate of a healthy server, for saying how often the rule fires on it.
	smallErrorRate = 0.001
)

// ErrorsThreefold fires for an error rate of more than three times the mean.
type ErrorsThreefold struct{}

// Name is error_3x.
func (ErrorsThreefold) Name() swap.RuleName { return swap.RuleErrors3x }

// Weakness is one sentence.
func (ErrorsThreefold) Weakness() string {
	return "where the mean is 0, the first error fires; with 0.3 errors expected in a block, chance alone gives one in 26 % of blocks, " +
		"with 1 it gives more than three in 2 %, and a mean of a third or more is never exceeded"
}

// Read holds the largest of several error rates, each a fraction, against three times the mean.
func (ErrorsThreefold) Read(mean float64, rates []float64) Reading {
	if len(rates) == 0 || notFinite(rates) >= 0 || !(mean >= 0 && mean <= 1) {
		return refuse("an error rate is missing")
	}
	largest := 0.0
	for _, rate := range rates {
		largest = max(largest, rate)
	}
	return above(largest, manifold*mean)
}

// ByChance is the probability that a block has more than three times the errors that are expected in it: that of a Poisson
// variable.
func (ErrorsThreefold) ByChance(expected float64) float64 {
	if expected == 0 {
		return 0
	}
	return distuv.Poisson{Lambda: expected}.Survival(manifold * expected)
}

// CanExceed reports whether an error rate can be above three times a mean: not one of a third or more, nor the mean of so few windows
// that the judged one alone makes up a third of it. windows is 0 where the judged one is no part of the mean.
func (ErrorsThreefold) CanExceed(mean float64, windows int) bool {
	return manifold*mean < 1 && (windows == 0 || windows > manifold)
}

// Reach is for so many blocks per arm, each with so many requests, which may be unknown.
func (e ErrorsThreefold) Reach(blocks int, requests swap.Value) Reach {
	r := Reach{ByChance: math.NaN(), Noise: "where the baseline has no failed request, the first one of the candidate fires"}
	if n, known := requests.Get(); known && n > 0 {
		one := e.ByChance(smallErrorRate * n)
		r.ByChance = 1 - math.Pow(1-one, float64(blocks))
		r.Noise += fmt.Sprintf("; with an error rate of %s on both arms, at least one of %d blocks of about %.0f requests fires in %s of runs",
			percent(smallErrorRate), blocks, n, percent(r.ByChance))
	}
	return r
}
