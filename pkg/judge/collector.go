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
	// sealed blocks in the order of time.
	sealed rawlog.PerBlock[Block]
}

// mostPreallocated bounds what a damaged manifest can ask for.
const mostPreallocated = 4 << 20

// NewCollector has the blocks of the manifests, without records.
func NewCollector(manifests []swap.StepManifest) *Collector {
	results := rawlog.Sealed(manifests)
	slices.SortStableFunc(results, func(a, b swap.BlockResult) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Block, b.Block))
	})
	return &Collector{rawlog.NewPerBlock(results, blockOf)}
}

// Add takes records in any order; they may be used again after it returns. The manifests decide what counts: a record of no
// sealed block is ignored.
func (c *Collector) Add(records []rawlog.Record) {
	for i := range records {
		record := &records[i]
		block := c.sealed.Of(record)
		if block == nil {
			continue
		}
		block.Recorded++
		if !record.Measured {
			continue
		}
		if block.Requests.Len() == 0 {
			block.Requests.Grow(min(block.Planned, mostPreallocated))
		}
		block.Requests.Append(record)
	}
}

// Blocks are the sealed blocks in the order of time. One without records is there too, so that the loss is noticed.
func (c *Collector) Blocks() []Block { return c.sealed.Blocks }
