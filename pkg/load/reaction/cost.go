package reaction

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// thousandsPerHour turns tokens per second into thousands of tokens per hour.
const thousandsPerHour = 3.6

// cost holds the price of 1,000 tokens of good answers against the limit. Its bounds are those of the mean throughput of the
// blocks, by Student's t.
func cost(rates []float64, price, limit, level float64) swap.ReactionSignal {
	if price == 0 {
		return unknown(swap.LimitAbsent, "no price per hour is configured")
	}
	rate := meanRate(rates, level)
	if !(rate.value > 0) {
		return unknown(swap.LimitUndecided, "no block tells how many tokens of good answers there were")
	}
	per := func(rate float64) float64 { return price / (thousandsPerHour * rate) }
	c := estimate{per(rate.value), per(rate.high), per(max(rate.low, 0))}
	if len(rates) < 2 {
		c = unbounded(c.value)
	}
	return against(c.value, limit, c.scaled(1/limit), fmt.Sprintf("1,000 tokens cost %s%s at %s tokens/s; the limit is %s",
		swap.Of(c.value), bounds(c), swap.Of(rate.value), swap.Of(limit)))
}

func meanRate(rates []float64, level float64) estimate {
	k := float64(len(rates))
	total, se := totalWithError(rates)
	if k < 2 {
		return unbounded(total / k)
	}
	half := stats.TQuantile(level, k-1) * se / k
	return estimate{total / k, total/k - half, total/k + half}
}

// ratesOf are the throughputs of an arm's blocks in a step; none where one of them is not known.
func ratesOf(step int, arm swap.Arm, blocks []judge.Block) []float64 {
	var rates []float64
	for i := range blocks {
		if blocks[i].Step != step || blocks[i].Arm != arm {
			continue
		}
		rate, known := blocks[i].TokensPerSecond()
		if !known || math.IsInf(rate, 0) {
			return nil
		}
		rates = append(rates, rate)
	}
	return rates
}
