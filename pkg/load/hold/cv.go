package hold

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/power"
)

const (
	// typicalSigma is the spread of the logarithm of a typical TTFT.
	typicalSigma = 0.5
	// fewestCVBlocks is the least number of blocks whose P99 are compared.
	fewestCVBlocks = 3
)

// cvRule calls a tail steady when the coefficient of variation of the P99 of the last blocks is below the limit. It looks at as
// many blocks as are planned, and at three or more. What it sees depends on how many requests a block has, see CVNoise.
func (p Plan) cvRule(blocks []Block) tail {
	window := max(fewestCVBlocks, p.Blocks)
	if len(blocks) < window {
		return unsteady("P99 of TTFT cannot be compared before it has %d blocks", window)
	}
	last := ttfts(blocks[len(blocks)-window:])
	p99 := blockQuantiles(last, tailQuantile)
	if len(p99) < window {
		return unsteady("TTFT is missing in %d of its last %d blocks", window-len(p99), window)
	}
	cv := stats.StandardDeviation(p99) / stats.Mean(p99)
	if cv < p.Extend.CV {
		return tail{steady: true, words: fmt.Sprintf("P99 of TTFT varies by %s over its last %d blocks", percent(cv), window)}
	}
	words := fmt.Sprintf("P99 of TTFT varies by %s over its last %d blocks, not by less than %s", percent(cv), window, percent(p.Extend.CV))
	if hint := CVHint(count(last)/window, p.Extend.CV); hint != "" {
		words += " (" + hint + ")"
	}
	return tail{words: words}
}

// CVNoise is the coefficient of variation that the P99 of perfectly steady blocks has by chance alone, for so many independent
// requests in a block and a log-normal TTFT with the given standard deviation of the logarithm. It is the asymptotic standard
// error √(p(1−p)/n)/f of a quantile, 3.733·sigma/√n.
func CVNoise(requests int, sigma float64) float64 {
	return power.QuantileSpread(tailQuantile, sigma) / math.Sqrt(float64(requests))
}

// CVRequests is the number of requests in a block at which chance alone gives the limit.
func CVRequests(limit, sigma float64) int {
	root := power.QuantileSpread(tailQuantile, sigma) / limit
	return int(math.Ceil(root * root))
}

// CVHint says why the cv rule cannot be expected to hold for blocks of so many requests, whatever the server does; empty
// where it can. Where it then does hold, it does so by luck.
func CVHint(requests int, limit float64) string {
	need := CVRequests(limit, typicalSigma)
	if requests >= need {
		return ""
	}
	return fmt.Sprintf("with %d %s a block, chance alone makes a steady P99 vary by about %s; the cv rule needs %d or more",
		requests, plural(requests, "request"), percent(CVNoise(max(1, requests), typicalSigma)), need)
}
