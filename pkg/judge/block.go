package judge

import "github.com/swapgate/swapgate/pkg/swap"

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
	// Requests are the measured requests.
	Requests Requests
}

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
