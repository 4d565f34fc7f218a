package judge

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// sampleRatioLevel is the usual level of the test for a sample-ratio mismatch (Fabijan et al. 2019).
const sampleRatioLevel = .001

// sampleRatio requires that the measured requests are split between the arms as they were planned. It looks at the pairs whose
// blocks planned the same number, which are all of an open loop: a closed loop plans more for a faster server.
func (c *checks) sampleRatio(p pairs) {
	var n swap.PerArm[int]
	for _, pair := range p.list {
		if pair.blocks.Baseline.Planned != pair.blocks.Candidate.Planned {
			continue
		}
		for _, arm := range swap.Arms {
			*n.Ptr(arm) += pair.blocks.Get(arm).Requests.Len()
		}
	}
	chi2, mismatch := stats.SampleRatio([]int{n.Baseline, n.Candidate}, []float64{.5, .5})
	if mismatch < sampleRatioLevel {
		c.spoil(spoiled{swap.ReasonSampleRatio, "the arms measured unlike numbers of requests of one plan", anyMetric})
		c.forbid(swap.ReasonSampleRatio, "load", fmt.Sprintf(
			"the arms planned the same number of requests, but %d of the baseline and %d of the candidate were measured (χ² = %.1f, "+
				"p = %.2g): what decides whether a request is measured differs between the arms", n.Baseline, n.Candidate, chi2, mismatch))
	}
}

// clock requires that no request has times that cannot be: a token before the request was sent, or a last before the first.
func (c *checks) clock(blocks []Block) {
	impossible, first := 0, -1
	for b := range blocks {
		n := blocks[b].Requests.impossibleTimes()
		if impossible += n; n > 0 && first < 0 {
			first = b
		}
	}
	if impossible > 0 {
		c.spoil(spoiled{swap.ReasonClock, "the load client's clock cannot be trusted", anyMetric})
		c.forbid(swap.ReasonClock, "load", fmt.Sprintf(
			"%s impossible times, such as a token before the request was sent or a last token before the first (first in block %d of step %d): "+
				"the clock of the load client cannot be trusted", requestsHave(impossible), blocks[first].Block, blocks[first].Step))
	}
}

func requestsHave(n int) string {
	if n == 1 {
		return "1 request has"
	}
	return fmt.Sprintf("%d requests have", n)
}

// impossibleTimes counts requests with a negative time, or whose last token came before the first.
func (q *Requests) impossibleTimes() int {
	n := 0
	for i, ttft := range q.ttft {
		if e2e := q.e2e[i]; ttft < 0 || e2e < 0 || e2e < ttft {
			n++
		}
	}
	return n
}
