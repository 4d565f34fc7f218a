package jitter

import (
	"cmp"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Collector keeps what jitter is told by: when each good measured request was sent, and its time to first token. Records of
// different blocks may be added at the same time, those of one block only one batch after another.
type Collector struct {
	blocks []block
	index  map[blockKey]int
}

type blockKey struct{ step, block int }

type block struct {
	blockKey
	arm      swap.Arm
	requests []request
}

// request is sent at ns of Unix time.
type request struct {
	sent int64
	ttft float64
	seq  int32
}

// NewCollector has the sealed blocks of the manifests, without records.
func NewCollector(manifests []swap.StepManifest) *Collector {
	c := &Collector{index: map[blockKey]int{}}
	for _, m := range manifests {
		for _, b := range m.Blocks {
			key := blockKey{b.Step, b.Block}
			c.index[key] = len(c.blocks)
			c.blocks = append(c.blocks, block{blockKey: key, arm: b.Arm})
		}
	}
	return c
}

// Add takes records; they may be used again after it returns. Records of no sealed block are ignored.
func (c *Collector) Add(records []rawlog.Record) {
	for i := range records {
		r := &records[i]
		at, sealed := c.index[blockKey{int(r.Step), int(r.Block)}]
		ttft, has := r.TTFT().Get()
		if !sealed || !r.Measured || !r.Good() || !has || !(ttft > 0) {
			continue
		}
		c.blocks[at].requests = append(c.blocks[at].requests, request{r.SentUnixNS, ttft, r.Seq})
	}
}

// Jitter labels what was added; nil where no request of either arm has a time to first token.
func (c *Collector) Jitter() *swap.Jitter {
	for i := range c.blocks {
		slices.SortFunc(c.blocks[i].requests, func(a, b request) int {
			return cmp.Or(cmp.Compare(a.sent, b.sent), cmp.Compare(a.seq, b.seq))
		})
	}
	var j swap.Jitter
	for _, arm := range swap.Arms {
		*j.Arms.Ptr(arm) = ofArm(c.blocks, arm)
	}
	if j.Arms.Baseline.Requests+j.Arms.Candidate.Requests == 0 {
		return nil
	}
	return &j
}
