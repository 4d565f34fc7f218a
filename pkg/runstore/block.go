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

// checkRows verifies that rows are the requests of the block r: all of them, each once, with the outcomes that r counts.
func checkRows(r swap.BlockResult, rows []rawlog.Record) error {
	if len(rows) != r.Planned {
		return fmt.Errorf("block %d: %d requests planned, %d rows", r.Block, r.Planned, len(rows))
	}
	seen := make(map[int32]bool, len(rows))
	outcomes := swap.OutcomeCounts{}
	for i := range rows {
		row := &rows[i]
		if err := checkPlace(r.BlockPlan, row); err != nil {
			return err
		}
		if seen[row.Seq] {
			return fmt.Errorf("block %d: request %d is there twice", r.Block, row.Seq)
		}
		seen[row.Seq] = true
		outcomes[swap.Outcome(row.Outcome)]++
	}
	for _, o := range swap.Outcomes {
		if outcomes[o] != r.Outcomes[o] {
			return fmt.Errorf("block %d: %d rows ended %s, the result counts %d", r.Block, outcomes[o], o, r.Outcomes[o])
		}
		delete(outcomes, o)
	}
	for o, n := range outcomes {
		return fmt.Errorf("block %d: %d rows have the unknown outcome %q", r.Block, n, o)
	}
	return nil
}

// checkPlace verifies that a row belongs to the block.
func checkPlace(p swap.BlockPlan, row *rawlog.Record) error {
	if int(row.Step) != p.Step || int(row.Block) != p.Block || int(row.Pair) != p.Pair || row.Arm != string(p.Arm) {
		return fmt.Errorf("block %d of step %d on %s, pair %d: a row says block %d of step %d on %s, pair %d",
			p.Block, p.Step, p.Arm, p.Pair, row.Block, row.Step, row.Arm, row.Pair)
	}
	return nil
}
