package judge

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// connectRatio is how many times the baseline's wait for a connection the candidate's may be: the same network lies before both.
const connectRatio = 2

// connections requires that the candidate takes connections about as fast as the baseline. Latencies begin when a request is sent,
// so that the wait for a connection is in none of them but ttft_scheduled; a server that closes connections, or accepts them
// slowly, would pass.
func (c *checks) connections(s sends) {
	base, cand := s.late.Baseline.OfAllP99MS().Or(0), s.late.Candidate.OfAllP99MS().Or(0)
	if c.unbelievable || cand <= s.limitMS || cand <= connectRatio*base {
		return
	}
	c.forbid(swap.ReasonSlowConnect, string(swap.Candidate), fmt.Sprintf(
		"requests to the candidate waited up to %.0f ms for a connection (P99), those to the baseline %.1f ms, and latencies do not count "+
			"that: see how the candidate accepts and keeps connections, or add a gate on ttft_scheduled, which counts it", cand, base))
}
