package classic

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats/hypothesis"
	"github.com/swapgate/swapgate/pkg/swap"
)

// ksConstant is the asymptotic critical value of √n·D at 5 %, as the rule has it.
const ksConstant = 1.36

// KSAdaptive compares the distribution of requests with a historical one by the Kolmogorov-Smirnov distance, whose threshold is said to
// adapt to the sample.
type KSAdaptive struct{}

// Name is classic_ks_adaptive.
func (KSAdaptive) Name() swap.RuleName { return swap.RuleKSAdaptive }

// Weakness is one sentence.
func (KSAdaptive) Weakness() string {
	return "its threshold is 1.632/√n whatever it adapts to, as if the baseline were known without error: equal arms differ by more in 13 " +
		"% of runs with independent requests and in 63 % with correlated ones, an improvement counts as drift, and the tail is not seen"
}

// Threshold is the stated one for a distance d of n values: max(0.8·b, min(1.2·b, 1.1·d)) with b = 1.36/√n. A distance is above it
// exactly where it is above Limit(n), see there.
func (KSAdaptive) Threshold(n int, d float64) float64 {
	b := ksConstant / math.Sqrt(float64(n))
	return max(.8*b, min(1.2*b, 1.1*d))
}

// Limit is 1.2·1.36/√n. Where d ≤ 0.727·b, the threshold is 0.8·b and above d; up to 1.0909·b it is 1.1·d and above d; beyond, it is
// 1.2·b. So only d > 1.2·b is ever above it.
func (KSAdaptive) Limit(n int) float64 { return 1.2 * ksConstant / math.Sqrt(float64(n)) }

// Read compares two samples in any order. The threshold is for the size of the candidate's.
func (k KSAdaptive) Read(baseline, candidate []float64) Reading {
	test, ok := hypothesis.KolmogorovSmirnov(baseline, candidate)
	if !ok {
		return refuse("an arm has no answered request")
	}
	return above(test.D, k.Threshold(len(candidate), test.D))
}

// FalseAlarms is the asymptotic share of runs with equal arms in which the rule fires, for independent requests.
func (k KSAdaptive) FalseAlarms(baseline, candidate float64) float64 {
	lambda := 1.2 * ksConstant * math.Sqrt(baseline/(baseline+candidate))
	return hypothesis.KolmogorovSurvival(lambda)
}

// FewestForTail is the least number of values with which a change of only the top share of them can be seen at all.
func (k KSAdaptive) FewestForTail(share float64) int {
	root := 1.2 * ksConstant / share
	return int(math.Ceil(root * root))
}

// Reach is for an equal number of requests on both arms, whatever it is.
func (k KSAdaptive) Reach() Reach {
	r := Reach{ByChance: k.FalseAlarms(1, 1)}
	r.Noise = fmt.Sprintf("it fires in %s of runs with equal arms and independent requests, in more where requests depend on each other, "+
		"and never for a change of only the top 1 %% below %d requests", percent(r.ByChance), k.FewestForTail(.01))
	return r
}
