package judge

import (
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// pair is two blocks with one schedule, one on each arm.
type pair struct {
	step   int
	blocks swap.PerArm[*Block]
}

// pairs are the complete, matching pairs in the order of time. A pair that lacks a block, has one twice, or whose
// schedules differ is left out: it would compare unlike load.
type pairs struct {
	list       []pair
	strata     stats.Strata
	incomplete int
	mismatched int
	// few says why the steps gave few requests, where that is known.
	few string
	// pools are kept where several gates and checks ask for the same values.
	pools *pools
}

func pairUp(blocks []Block) pairs {
	type key struct{ step, pair int }
	var order []key
	members := map[key][]*Block{}
	for i := range blocks {
		k := key{blocks[i].Step, blocks[i].Pair}
		if members[k] == nil {
			order = append(order, k)
		}
		members[k] = append(members[k], &blocks[i])
	}
	var found pairs
	for _, k := range order {
		p, complete := asPair(members[k])
		switch {
		case !complete:
			found.incomplete++
		case p.blocks.Baseline.ScheduleSHA256 != p.blocks.Candidate.ScheduleSHA256:
			found.mismatched++
		default:
			found.list = append(found.list, p)
			found.strata = append(found.strata, k.step)
		}
	}
	found.strata = found.strata.MergeSingles()
	return found
}

func asPair(members []*Block) (pair, bool) {
	if len(members) != 2 || members[0].Arm != members[1].Arm.Other() {
		return pair{}, false
	}
	p := pair{step: members[0].Step}
	for _, block := range members {
		*p.blocks.Ptr(block.Arm) = block
	}
	return p, p.blocks.Baseline != nil && p.blocks.Candidate != nil
}
