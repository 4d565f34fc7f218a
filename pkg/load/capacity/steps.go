package capacity

import (
	"reflect"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Curve is the points of both arms over steps that differ in their load level and their hold only.
type Curve struct {
	// Steps counts from 1: which steps of the load are on the curve.
	Steps []int
	Arms  swap.PerArm[[]Point]
}

// Capacity is Find on both arms of a curve.
func (c Curve) Capacity() swap.Capacity {
	return swap.Capacity{
		Steps: c.Steps,
		Arms:  swap.PerArm[swap.ArmCapacity]{Baseline: Find(c.Arms.Baseline), Candidate: Find(c.Arms.Candidate)},
	}
}

// BlockThroughput is what one block did.
type BlockThroughput struct {
	// Step counts from 1.
	Step int
	Arm  swap.Arm
	// PerSecond is tokens of good requests per second.
	PerSecond float64
}

// Throughputs are those of the blocks that tell one.
func Throughputs(blocks []judge.Block) []BlockThroughput {
	var known []BlockThroughput
	for i := range blocks {
		if rate, ok := blocks[i].TokensPerSecond(); ok {
			known = append(known, BlockThroughput{Step: blocks[i].Step, Arm: blocks[i].Arm, PerSecond: rate})
		}
	}
	return known
}

// Of is the capacity of both arms for each curve of a load (see FromSteps). A curve of one step is left out: nothing can be
// compared with it. Without the throughputs of the blocks there are no intervals.
func Of(steps []swap.Step, results []swap.StepResult, blocks ...BlockThroughput) []swap.Capacity {
	var found []swap.Capacity
	for _, c := range FromSteps(steps, results) {
		if len(c.Steps) > 1 {
			c.addBlocks(blocks)
			found = append(found, c.Capacity())
		}
	}
	return found
}

func (c Curve) addBlocks(blocks []BlockThroughput) {
	for _, arm := range swap.Arms {
		for i := range *c.Arms.Ptr(arm) {
			p := &(*c.Arms.Ptr(arm))[i]
			for _, b := range blocks {
				if b.Step == p.Step && b.Arm == arm {
					p.Blocks = append(p.Blocks, b.PerSecond)
				}
			}
		}
	}
}

// FromSteps draws the curves of a load, in the order of their first steps. steps are all steps of the load, and results those
// that were run. Steps can be on one curve when they ask for the same kind of load in all but its level: a curve over different
// prompt lengths would show the lengths. Steps whose rate is not constant, because of a ramp or a spike, are on none.
func FromSteps(steps []swap.Step, results []swap.StepResult) []Curve {
	var curves []Curve
	var kinds []kind
	for _, result := range results {
		if result.Step < 1 || result.Step > len(steps) {
			continue
		}
		step := steps[result.Step-1]
		load, of, ok := levelOf(step)
		if !ok {
			continue
		}
		k := 0
		for k < len(kinds) && !reflect.DeepEqual(kinds[k], of) {
			k++
		}
		if k == len(kinds) {
			curves, kinds = append(curves, Curve{}), append(kinds, of)
		}
		curves[k].add(load, result)
	}
	return curves
}

func (c *Curve) add(load float64, result swap.StepResult) {
	c.Steps = append(c.Steps, result.Step)
	for _, arm := range swap.Arms {
		points := c.Arms.Ptr(arm)
		*points = append(*points, Point{
			Step: result.Step, Label: result.Label, Load: load,
			Throughput: result.Throughput.Get(arm), TTFTP95ms: result.TTFTP95ms.Get(arm),
			Limited: result.Ended.Code == swap.EndedLimit && (result.Ended.Arm == arm || result.Ended.Arm == ""),
		})
	}
}

// kind is what steps on one curve have in common.
type kind struct {
	unit string
	rest swap.Step
}

// levelOf splits a step into its load and everything else.
func levelOf(s swap.Step) (load float64, of kind, ok bool) {
	switch {
	case s.Ramp != nil || s.Spike != nil:
		return 0, kind{}, false
	case s.Concurrency > 0:
		load, of.unit = float64(s.Concurrency), "concurrency"
	case s.KVShare > 0:
		load, of.unit = s.KVShare, "kv_share"
	case s.Rate > 0:
		load, of.unit = s.Rate, "rate"
	default:
		return 0, kind{}, false
	}
	s.Concurrency, s.KVShare, s.Rate, s.Hold = 0, 0, 0, 0
	of.rest = s
	return load, of, true
}
