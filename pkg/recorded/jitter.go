package recorded

import (
	"math"

	"github.com/swapgate/swapgate/pkg/judge/jitter"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// jitterOf is what the slow first tokens of both runs look like; nil where that of either is not known. Requests have to have times,
// and are looked at in the blocks that they are judged in.
func jitterOf(runs swap.PerArm[Run], common []swap.PerArm[*Stage], blocks []int) *swap.Jitter {
	var j swap.Jitter
	for _, arm := range swap.Arms {
		one := runs.Get(arm).Jitter
		if one == nil {
			one = armJitter(arm, common, blocks)
		}
		if one == nil || one.Requests == 0 {
			return nil
		}
		*j.Arms.Ptr(arm) = *one
	}
	return &j
}

// armJitter looks at the stages of one arm, each cut into so many blocks.
func armJitter(arm swap.Arm, common []swap.PerArm[*Stage], blocks []int) *swap.ArmJitter {
	var manifests []swap.StepManifest
	for i := range common {
		m := swap.StepManifest{Step: i + 1}
		for k := range blocks[i] {
			m.Blocks = append(m.Blocks, swap.BlockResult{BlockPlan: swap.BlockPlan{Step: i + 1, Block: k + 1, Arm: arm}})
		}
		manifests = append(manifests, m)
	}
	c := jitter.NewCollector(manifests)
	for i := range common {
		if s := common[i].Get(arm); s.Order == ByTime && len(s.Requests) > 0 {
			s.eachTimed(blocks[i], func(block int, r *rawlog.Record) {
				r.Step, r.Block = int32(i+1), int32(block+1) //nolint:gosec // G115: levels of a run, and a few dozen blocks
				c.Add([]rawlog.Record{*r})
			})
		}
	}
	c.Unplanned()
	j := c.Jitter()
	if j == nil {
		return nil
	}
	one := j.Arms.Get(arm)
	return &one
}

// eachTimed gives the requests of a stage that is cut into k blocks, with their times from its first one on.
func (s *Stage) eachTimed(k int, do func(block int, r *rawlog.Record)) {
	first, at := s.Requests[0].Start.Or(0), 0
	for block, size := range s.sizes(k) {
		for range size {
			r := s.Requests[at].record()
			r.Seq = int32(at)
			r.SentUnixNS = 1 + int64(math.Round(1e9*(s.Requests[at].Start.Or(0)-first)))
			do(block, &r)
			at++
		}
	}
}
