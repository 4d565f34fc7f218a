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
	// Flow tells how fast they were answered.
	Flow Flow
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

// Course is a step from its first block on. It is not safe for concurrent use.
type Course struct {
	plan Plan
	done []Block
	end  *swap.StepEnd
}

// Begin returns a step without blocks.
func Begin(p Plan) *Course { return &Course{plan: p} }

// Add takes in the next block, in the order of time, adjacent blocks in pairs. An end is final: blocks that were driven after
// it change nothing, so that an attempt that goes on from another's blocks decides the same.
func (c *Course) Add(b Block) {
	c.done = append(c.done, b)
	if c.end == nil {
		c.end = c.plan.endAfter(c.done)
	}
	c.done[len(c.done)-1] = c.plan.lean(b)
}

// End is why there are to be no more blocks; false while there are.
func (c *Course) End() (swap.StepEnd, bool) {
	if c.end == nil {
		return swap.StepEnd{}, false
	}
	return *c.end, true
}

// Len is the number of blocks so far.
func (c *Course) Len() int { return len(c.done) }

// Blocks are the places of the blocks so far.
func (c *Course) Blocks() []swap.BlockPlan {
	plans := make([]swap.BlockPlan, len(c.done))
	for k := range c.done {
		plans[k] = c.done[k].BlockPlan
	}
	return plans
}

// Breaks reports whether an arm breaks a limit in its latest block.
func (c *Course) Breaks(arm swap.Arm) bool {
	for k := len(c.done); k > 0; k-- {
		if c.done[k-1].Arm == arm {
			return c.plan.brokenLimit(c.done[:k]) != nil
		}
	}
	return false
}

// lean is a block without the latencies that nobody looks at: a step may have hundreds of millions of requests.
func (p Plan) lean(b Block) Block {
	if p.Extend == nil && p.Limits.TTFTP95 == 0 {
		b.TTFT = nil
	}
	if p.Limits.E2EP95 == 0 {
		b.E2E = nil
	}
	return b
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
