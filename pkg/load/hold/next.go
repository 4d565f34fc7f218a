package hold

import (
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Block is what the decision needs to know of one driven block.
type Block struct {
	swap.BlockPlan
	// Planned and Outcomes count all requests of the block, those of its settle time too.
	Planned  int
	Outcomes swap.OutcomeCounts
	// InTime counts the requests that ended well within the block and its drain.
	InTime int
	// TTFT and E2E are those of the good measured requests in milliseconds, in ascending order.
	TTFT, E2E []float64
	// Failed counts the measured requests that failed. Limits on latencies take them as the worst, as verdicts do.
	Failed int
	// KVUsage and GPUUtilization are the largest shares seen during the block; absent where nothing was seen.
	KVUsage, GPUUtilization swap.Value
}

// Plan is what was asked of a step.
type Plan struct {
	Step swap.Step
	// Blocks is the planned number on each arm; Block is the measured length of one.
	Blocks int
	Block  time.Duration
	// Extend is nil for a step that ends with its planned blocks.
	Extend *swap.Extend
	// Limits that are zero are not checked.
	Limits swap.Limits
	// Level is the confidence with which things must be known, above 0 and below 1, such as 0.95.
	Level float64
}

// Decision says whether another block is to be driven and, if not, why.
type Decision struct {
	More bool
	// End is set when there are to be no more.
	End swap.StepEnd
}

// Next decides after each block. done holds all blocks so far in the order of time, adjacent blocks in pairs. An end is
// final: blocks that were driven after it change nothing, so that an attempt that goes on from another's blocks decides the
// same.
func Next(p Plan, done []Block) Decision {
	for k := range done {
		if end := p.endAfter(done[:k+1]); end != nil {
			return Decision{End: *end}
		}
	}
	return Decision{More: true}
}

// Breaks reports whether an arm breaks a limit in its latest block.
func Breaks(p Plan, done []Block, arm swap.Arm) bool {
	for k := len(done); k > 0; k-- {
		if done[k-1].Arm == arm {
			return p.brokenLimit(done[:k]) != nil
		}
	}
	return false
}

// endAfter says why the step ends with the last of the blocks, or nil.
func (p Plan) endAfter(done []Block) *swap.StepEnd {
	if end := p.brokenLimit(done); end != nil {
		return end
	}
	arms := byArm(done)
	pairs := len(arms.Baseline)
	switch {
	case len(arms.Candidate) != pairs || pairs < p.Blocks:
		return nil
	case p.Extend == nil:
		return &swap.StepEnd{Code: swap.EndedPlanned}
	}
	tails := p.tails(arms)
	switch {
	case tails.Baseline.steady && tails.Candidate.steady:
		return &swap.StepEnd{Code: swap.EndedSteady, Message: steadyMessage(pairs, tails)}
	case pairs >= p.mostBlocks():
		return &swap.StepEnd{Code: swap.EndedMaxHold, Message: unsteadyMessage(pairs, tails)}
	}
	return nil
}

// mostBlocks is the largest number of blocks that the step may have on each arm.
func (p Plan) mostBlocks() int {
	if p.Extend == nil || p.Block <= 0 {
		return p.Blocks
	}
	return max(p.Blocks, int(p.Extend.MaxHold.Std()/p.Block))
}

func byArm(done []Block) swap.PerArm[[]Block] {
	var arms swap.PerArm[[]Block]
	for _, b := range done {
		of := arms.Ptr(b.Arm)
		*of = append(*of, b)
	}
	return arms
}
