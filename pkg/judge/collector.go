package judge

import (
	"cmp"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Collector joins raw records, as they are read, to the blocks of the manifests, and keeps what judging needs of them. Records of
// different blocks may be added at the same time, those of one block only one batch after another.
type Collector struct {
	// blocks in the order of time.
	blocks []Block
	index  map[blockKey]int
}

type blockKey struct{ step, block int }

// mostPreallocated bounds what a damaged manifest can ask for.
const mostPreallocated = 4 << 20

// NewCollector has the blocks of the manifests, without records.
func NewCollector(manifests []swap.StepManifest) *Collector {
	c := &Collector{index: map[blockKey]int{}}
	for _, manifest := range manifests {
		for _, result := range manifest.Blocks {
			c.blocks = append(c.blocks, blockOf(result))
		}
	}
	slices.SortStableFunc(c.blocks, func(a, b Block) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Block, b.Block))
	})
	for i, block := range c.blocks {
		c.index[blockKey{block.Step, block.Block}] = i
	}
	return c
}

// Add takes records in any order; they may be used again after it returns. The manifests decide what counts: a record of no
// sealed block is ignored.
func (c *Collector) Add(records []rawlog.Record) {
	for i := range records {
		record := &records[i]
		at, sealed := c.index[blockKey{int(record.Step), int(record.Block)}]
		if !sealed {
			continue
		}
		c.blocks[at].Recorded++
		if !record.Measured {
			continue
		}
		requests := &c.blocks[at].Requests
		if requests.Len() == 0 {
			requests.Grow(min(c.blocks[at].Planned, mostPreallocated))
		}
		requests.Append(record)
	}
}

// Blocks are the sealed blocks in the order of time. One without records is there too, so that the loss is noticed.
func (c *Collector) Blocks() []Block { return c.blocks }
