package runstore

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Schemas of the objects that this package writes itself.
const (
	schemaAttempt  = "attempt/v1"
	schemaSealed   = "sealed-block/v2"
	schemaManifest = "step-manifest/v2"
)

// sealedBlock is the content of sealed.json: which attempt sealed the block, and what came of it. The slices in the result
// name the attempts that count.
type sealedBlock struct {
	Attempt string           `json:"attempt"`
	Result  swap.BlockResult `json:"result"`
}

// checkCounts verifies that a block has one slice of each shard, and every planned request exactly one outcome and one row.
func checkCounts(r swap.BlockResult) error {
	if total := r.Outcomes.Total(); total != r.Planned {
		return fmt.Errorf("block %d: %d requests planned, %d outcomes", r.Block, r.Planned, total)
	}
	var rows int64
	for i, s := range r.Slices {
		if s.Shard != i {
			return fmt.Errorf("block %d: slice %d is of shard %d", r.Block, i, s.Shard)
		}
		rows += s.Raw.Rows
	}
	if rows != int64(r.Planned) {
		return fmt.Errorf("block %d: %d requests planned, %d rows in %d slices", r.Block, r.Planned, rows, len(r.Slices))
	}
	return nil
}

// rowCount counts the rows of a block, or of one slice, as they pass by, and holds against them what is wrong with one.
type rowCount struct {
	plan swap.BlockPlan
	// shard is the one whose rows pass by now.
	shard    int
	rows     int
	outcomes swap.OutcomeCounts
	seen     seqSet
	fault    error // the first one
}

func newRowCount(plan swap.BlockPlan, shard int) rowCount {
	return rowCount{plan: plan, shard: shard, outcomes: swap.OutcomeCounts{}, seen: seqSet{}}
}

func (c *rowCount) add(row *rawlog.Record) {
	c.rows++
	c.outcomes[swap.Outcome(row.Outcome)]++
	isNew := c.seen.add(row.Seq)
	if c.fault != nil {
		return
	}
	if c.fault = c.checkPlace(row); c.fault == nil && !isNew {
		c.fault = fmt.Errorf("block %d: request %d is there twice", c.plan.Block, row.Seq)
	}
}

// check verifies that the rows were the planned requests: all of them, each once, with these outcomes.
func (c *rowCount) check(planned int, outcomes swap.OutcomeCounts) error {
	if c.rows != planned {
		return fmt.Errorf("block %d: %d requests planned, %d rows", c.plan.Block, planned, c.rows)
	}
	if c.fault != nil {
		return c.fault
	}
	known := 0
	for _, o := range swap.Outcomes {
		if c.outcomes[o] != outcomes[o] {
			return fmt.Errorf("block %d: %d rows ended %s, the result counts %d", c.plan.Block, c.outcomes[o], o, outcomes[o])
		}
		known += c.outcomes[o]
	}
	if known != c.rows {
		return fmt.Errorf("block %d: %d rows have an unknown outcome", c.plan.Block, c.rows-known)
	}
	return nil
}

// seqSet is a set of sequence numbers: a bit for each, in pages, because they come nearly in order.
type seqSet map[int32]*[seqsPerPage / 64]uint64

const seqsPerPage = 4096

// add reports whether seq was not in the set.
func (s seqSet) add(seq int32) bool {
	at, bit := seq/seqsPerPage, seq%seqsPerPage
	if seq < 0 {
		at, bit = ^(^seq / seqsPerPage), ^seq%seqsPerPage
	}
	page := s[at]
	if page == nil {
		page = new([seqsPerPage / 64]uint64)
		s[at] = page
	}
	word, mask := &page[bit/64], uint64(1)<<(bit%64)
	isNew := *word&mask == 0
	*word |= mask
	return isNew
}

// checkPlace verifies that a row belongs to the block and the shard.
func (c *rowCount) checkPlace(row *rawlog.Record) error {
	p := c.plan
	if int(row.Step) != p.Step || int(row.Block) != p.Block || int(row.Pair) != p.Pair || row.Arm != string(p.Arm) {
		return fmt.Errorf("block %d of step %d on %s, pair %d: a row says block %d of step %d on %s, pair %d",
			p.Block, p.Step, p.Arm, p.Pair, row.Block, row.Step, row.Arm, row.Pair)
	}
	if int(row.Shard) != c.shard {
		return fmt.Errorf("block %d: a row of shard %d lies in the slice of shard %d", p.Block, row.Shard, c.shard)
	}
	return nil
}
