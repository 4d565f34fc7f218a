package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Proportion is a share that was counted. Trials may be an effective number: trials over the design effect, with
// Successes scaled alike.
type Proportion struct{ Successes, Trials float64 }

// Share is successes over trials.
func (p Proportion) Share() float64 { return p.Successes / p.Trials }

// Deflated divides both counts by a design effect; one below 1 or unknown counts as 1, so clustering never adds evidence.
func (p Proportion) Deflated(designEffect float64) Proportion {
	if !(designEffect > 1) {
		return p
	}
	return Proportion{p.Successes / designEffect, p.Trials / designEffect}
}

// Wilson is the score interval of the share with critical value z (Wilson 1927).
func (p Proportion) Wilson(z float64) (low, high float64) {
	n, share := p.Trials, p.Share()
	centre := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z * math.Sqrt(share*(1-share)/n+z*z/(4*n*n)) / (1 + z*z/n)
	return max(0, centre-half), min(1, centre+half)
}

// NewcombeDifference returns a−b and its hybrid score interval with critical value z (Newcombe 1998, method 10). It stays
// honest where shares are 0 or nearly so, unlike the normal interval.
func NewcombeDifference(a, b Proportion, z float64) (difference, low, high float64) {
	difference = a.Share() - b.Share()
	aLow, aHigh := a.Wilson(z)
	bLow, bHigh := b.Wilson(z)
	low = difference - math.Hypot(a.Share()-aLow, bHigh-b.Share())
	high = difference + math.Hypot(aHigh-a.Share(), b.Share()-bLow)
	return difference, low, high
}

// BinomialP is the exact two-sided p-value of seeing successes in trials when each succeeds with probability share: twice
// the smaller tail. Use it where expected counts are too small for SampleRatio.
func BinomialP(successes, trials int, share float64) float64 {
	if trials == 0 || share <= 0 || share >= 1 {
		return 1
	}
	d := distuv.Binomial{N: float64(trials), P: share}
	atMost := d.CDF(float64(successes))
	atLeast := 1 - d.CDF(float64(successes)-1)
	return min(1, 2*min(atMost, atLeast))
}
