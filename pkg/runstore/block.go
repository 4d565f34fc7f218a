package runstore

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Schemas of the objects that this package writes itself.
const (
	schemaAttempt  = "attempt/v1"
	schemaSealed   = "sealed-block/v1"
	schemaManifest = "step-manifest/v1"
)

// sealedBlock is the content of sealed.json: which attempt at a block counts, and what came of it.
type sealedBlock struct {
	Attempt string           `json:"attempt"`
	Result  swap.BlockResult `json:"result"`
}

// checkCounts verifies that every planned request of a block has exactly one outcome and one row.
func checkCounts(r swap.BlockResult) error {
	if total := r.Outcomes.Total(); total != r.Planned {
		return fmt.Errorf("block %d: %d requests planned, %d outcomes", r.Block, r.Planned, total)
	}
	if r.Raw.Rows != int64(r.Planned) {
		return fmt.Errorf("block %d: %d requests planned, %d rows in %s", r.Block, r.Planned, r.Raw.Rows, r.Raw.URI)
	}
	return nil
}

// rowCount counts the rows of a block as they pass by, and holds against them what is wrong with one.
type rowCount struct {
	plan     swap.BlockPlan
	rows     int
	outcomes swap.OutcomeCounts
	seen     seqSet
	fault    error // the first one
}

func newRowCount(plan swap.BlockPlan) rowCount {
	return rowCount{plan: plan, outcomes: swap.OutcomeCounts{}, seen: seqSet{}}
}

func (c *rowCount) add(row *rawlog.Record) {
	c.rows++
	c.outcomes[swap.Outcome(row.Outcome)]++
	isNew := c.seen.add(row.Seq)
	if c.fault != nil {
		return
	}
	if c.fault = checkPlace(c.plan, row); c.fault == nil && !isNew {
		c.fault = fmt.Errorf("block %d: request %d is there twice", c.plan.Block, row.Seq)
	}
}

// check verifies that the rows were the requests of the block r: all of them, each once, with the outcomes that r counts.
func (c *rowCount) check(r swap.BlockResult) error {
	if c.rows != r.Planned {
		return fmt.Errorf("block %d: %d requests planned, %d rows", r.Block, r.Planned, c.rows)
	}
	if c.fault != nil {
		return c.fault
	}
	known := 0
	for _, o := range swap.Outcomes {
		if c.outcomes[o] != r.Outcomes[o] {
			return fmt.Errorf("block %d: %d rows ended %s, the result counts %d", r.Block, c.outcomes[o], o, r.Outcomes[o])
		}
		known += c.outcomes[o]
	}
	if known != c.rows {
		return fmt.Errorf("block %d: %d rows have an unknown outcome", r.Block, c.rows-known)
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

// checkPlace verifies that a row belongs to the block.
func checkPlace(p swap.BlockPlan, row *rawlog.Record) error {
	if int(row.Step) != p.Step || int(row.Block) != p.Block || int(row.Pair) != p.Pair || row.Arm != string(p.Arm) {
		return fmt.Errorf("block %d of step %d on %s, pair %d: a row says block %d of step %d on %s, pair %d",
			p.Block, p.Step, p.Arm, p.Pair, row.Block, row.Step, row.Arm, row.Pair)
	}
	return nil
}
