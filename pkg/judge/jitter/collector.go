package jitter

import (
	"cmp"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Collector keeps what jitter is told by: when each good measured request was sent, its time to first token, and what else is known of
// it. Records of different blocks may be added at the same time, those of one block only one batch after another.
type Collector struct{ sealed rawlog.PerBlock[block] }

type block struct {
	step, number int
	arm          swap.Arm
	requests     []request
}

// request is sent at ns of Unix time.
type request struct {
	sent int64
	ttft float64
	seq  int32
	// The rest tells outliers apart, in ms and tokens; NaN where it is not known.
	tpot, e2e, queue, late, prompt float32
}

func requestOf(r *rawlog.Record, ttft float64) request {
	orNaN := func(v swap.Value) float32 { return float32(v.Or(math.NaN())) }
	q := request{
		sent: r.SentUnixNS, ttft: ttft, seq: r.Seq,
		tpot: orNaN(r.TPOT()), e2e: orNaN(r.E2E()), queue: orNaN(r.Queue()), late: orNaN(r.ClientLate()), prompt: orNaN(swap.Absent()),
	}
	if r.PromptTokens != nil {
		q.prompt = float32(*r.PromptTokens)
	}
	return q
}

// NewCollector has the sealed blocks of the manifests, without records.
func NewCollector(manifests []swap.StepManifest) *Collector {
	return &Collector{rawlog.NewPerBlock(rawlog.Sealed(manifests), func(b swap.BlockResult) block {
		return block{step: b.Step, number: b.Block, arm: b.Arm}
	})}
}

// Add takes records; they may be used again after it returns. Records of no sealed block are ignored.
func (c *Collector) Add(records []rawlog.Record) {
	for i := range records {
		r := &records[i]
		b := c.sealed.Of(r)
		ttft, has := r.TTFT().Get()
		if b == nil || !r.Measured || !r.Good() || !has || !(ttft > 0) {
			continue
		}
		b.requests = append(b.requests, requestOf(r, ttft))
	}
}

// Unplanned takes back what the client did to the requests that were added, of which nothing is known.
func (c *Collector) Unplanned() {
	for i := range c.sealed.Blocks {
		for k := range c.sealed.Blocks[i].requests {
			r := &c.sealed.Blocks[i].requests[k]
			r.queue, r.late = float32(math.NaN()), float32(math.NaN())
		}
	}
}

// Jitter labels what was added; nil where no request of either arm has a time to first token.
func (c *Collector) Jitter() *swap.Jitter {
	for i := range c.sealed.Blocks {
		slices.SortFunc(c.sealed.Blocks[i].requests, func(a, b request) int {
			return cmp.Or(cmp.Compare(a.sent, b.sent), cmp.Compare(a.seq, b.seq))
		})
	}
	var j swap.Jitter
	for _, arm := range swap.Arms {
		*j.Arms.Ptr(arm) = ofArm(c.sealed.Blocks, arm)
	}
	if j.Arms.Baseline.Requests+j.Arms.Candidate.Requests == 0 {
		return nil
	}
	return &j
}
