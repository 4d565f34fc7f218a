package judge

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// cacheDifference is the difference in the share of cached prompt tokens from which the arms did different work. The time of
	// prefill grows at most with the tokens that are computed, so that a smaller one moves it by less than the tightest default
	// margin.
	cacheDifference = .05
	// cacheLevel is the chance of calling the arms contaminated were the shares cacheDifference apart; it is less where they are equal.
	cacheLevel = .005
	// cacheHigh is the share of cached prompt tokens from which prefill is hardly measured, though equally on both arms.
	cacheHigh = .5
)

// cache requires that a prefix cache helped both arms alike. Where it did not, latency and throughput compare the caches.
func (c *checks) cache(p pairs) {
	var sums swap.PerArm[blockSums]
	var shares swap.PerArm[float64]
	for _, arm := range swap.Arms {
		*sums.Ptr(arm) = cachedTokens(p, arm)
		*shares.Ptr(arm) = sums.Get(arm).ratio()
	}
	switch difference := shares.Candidate - shares.Baseline; {
	case math.IsNaN(difference):
		c.oneSidedCache(shares)
	case cachesDiffer(sums, p, difference):
		c.spoil(spoiled{swap.ReasonContaminated, "the arms' caches differ", dependsOnCache})
		c.forbid(swap.ReasonContaminated, "cache", fmt.Sprintf(
			"the arms' caches differ: %s, so latencies and throughput compare the caches; restart or flush both servers alike, or "+
				"let prompt_cache be salted", cacheShares(shares)))
	case math.Abs(difference) > cacheDifference:
		c.find(swap.Notable, "cache", "the arms' caches may differ: "+cacheShares(shares),
			"restart or flush both servers alike, or let prompt_cache be salted")
	case min(shares.Baseline, shares.Candidate) > cacheHigh:
		c.find(swap.Notable, "cache", "most of the prompts came from the caches, so that prefill was hardly measured: "+cacheShares(shares),
			"let prompt_cache be salted if live prompts are not like that")
	}
}

// oneSidedCache notes that one server tells of its cache and the other does not.
func (c *checks) oneSidedCache(shares swap.PerArm[float64]) {
	for _, arm := range swap.Arms {
		if share := shares.Get(arm); share > cacheDifference {
			c.find(swap.Notable, "cache", fmt.Sprintf(
				"%s found %.1f %% of its prompt tokens in a cache, and the %s does not say, so a difference would go unnoticed",
				arm, share*100, arm.Other()), "make both servers report cached tokens, or let prompt_cache be salted")
		}
	}
}

func cacheShares(shares swap.PerArm[float64]) string {
	return fmt.Sprintf("%.1f %% of the baseline's prompt tokens and %.1f %% of the candidate's were found in a cache",
		shares.Baseline*100, shares.Candidate*100)
}

// cachesDiffer reports whether the shares of cached prompt tokens are certainly more than cacheDifference apart, blocks being
// the unit.
func cachesDiffer(sums swap.PerArm[blockSums], p pairs, difference float64) bool {
	influence := make([]float64, len(p.list))
	base := stats.RatioInfluence(sums.Baseline.num, sums.Baseline.den)
	for k, cand := range stats.RatioInfluence(sums.Candidate.num, sums.Candidate.den) {
		influence[k] = cand - base[k]
	}
	i := studentInterval{
		theta: difference, se: stats.InfluenceError(influence, p.strata), df: stats.EffectiveDegrees(influence, p.strata),
	}
	return min(i.pAbove(cacheDifference), i.pBelow(-cacheDifference)) < cacheLevel/2
}

// cachedTokens returns each pair's cached and all prompt tokens of good requests. A server that reports cached tokens leaves
// them out where there are none; one that never does tells nothing, and its ratio is NaN.
func cachedTokens(p pairs, arm swap.Arm) blockSums {
	b, told := newBlockSums(len(p.list)), false
	for k := range p.list {
		requests := &p.list[k].blocks.Get(arm).Requests
		for i, prompt := range requests.promptTokens {
			if !requests.outcomes[i].good() || math.IsNaN(prompt) {
				continue
			}
			b.den[k] += prompt
			if cached := requests.cachedTokens[i]; !math.IsNaN(cached) {
				told = true
				b.num[k] += cached
			}
		}
	}
	if !told {
		return newBlockSums(len(p.list))
	}
	return b
}

// dependsOnCache reports whether a cached prompt changes a metric: all of them but errors, and the length and quality of answers.
func dependsOnCache(metric swap.Metric) bool {
	return !metric.IsShare() && metric != swap.MetricOutputTokens
}
