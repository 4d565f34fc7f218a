package jitter

import (
	"cmp"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Collector keeps what jitter is told by: when each good measured request was sent, and its time to first token. Records of
// different blocks may be added at the same time, those of one block only one batch after another.
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
		b.requests = append(b.requests, request{r.SentUnixNS, ttft, r.Seq})
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
