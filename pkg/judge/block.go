package judge

import (
	"cmp"
	"slices"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Block is the evidence of one block: what its manifest says and its measured requests.
type Block struct {
	// Step, Block and Pair place it, as in swap.BlockPlan.
	Step, Block, Pair int
	Arm               swap.Arm
	// MeasuredSeconds is the measured time, settle time left out.
	MeasuredSeconds float64
	ScheduleSHA256  string
	// Planned and Outcomes are the manifest's count of all requests; Recorded is the number of raw records found.
	Planned  int
	Outcomes swap.OutcomeCounts
	Recorded int
	// Records are the measured requests.
	Records []rawlog.Record
}

// BlocksFrom joins raw records to the blocks of the manifests, in the order of time. The manifests decide what counts:
// a record of no sealed block is ignored, and a sealed block without records is kept so that the loss is noticed.
func BlocksFrom(manifests []swap.StepManifest, records []rawlog.Record) []Block {
	var blocks []Block
	index := map[blockKey]int{}
	for _, manifest := range manifests {
		for _, result := range manifest.Blocks {
			index[blockKey{result.Step, result.Block}] = len(blocks)
			blocks = append(blocks, blockOf(result))
		}
	}
	for _, record := range records {
		at, sealed := index[blockKey{int(record.Step), int(record.Block)}]
		if !sealed {
			continue
		}
		blocks[at].Recorded++
		if record.Measured {
			blocks[at].Records = append(blocks[at].Records, record)
		}
	}
	slices.SortStableFunc(blocks, func(a, b Block) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Block, b.Block))
	})
	return blocks
}

type blockKey struct{ step, block int }

func blockOf(result swap.BlockResult) Block {
	return Block{
		Step:            result.Step,
		Block:           result.Block,
		Pair:            result.Pair,
		Arm:             result.Arm,
		MeasuredSeconds: float64(result.MeasuredMS) / 1e3,
		ScheduleSHA256:  result.ScheduleSHA256,
		Planned:         result.Planned,
		Outcomes:        result.Outcomes,
	}
}
