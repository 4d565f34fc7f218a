package reaction

import (
	"math"
	"reflect"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/swap"
)

// fewestSpread is the coefficient of variation of the prompts' lengths below which they count as one length.
const fewestSpread = 0.05

// requests are those of an arm at steps that differ in their prompts only.
type requests struct {
	blocks [][]pair
	// unplaced counts requests that failed, or whose prompt or first token is not known.
	placed, unplaced int
}

// onAxis collects the requests of all steps that ask for the load of one of them in all but the prompts' length: together they span
// the lengths that the plan asks for, such as those of a gradient.
func onAxis(steps []swap.Step, step int, arm swap.Arm, blocks []judge.Block) requests {
	var r requests
	for i := range blocks {
		b := &blocks[i]
		if b.Arm == arm && b.Step >= 1 && b.Step <= len(steps) && sameButPrompts(steps[step-1], steps[b.Step-1]) {
			r.add(b)
		}
	}
	return r
}

func sameButPrompts(a, b swap.Step) bool {
	a.InputTokens, a.Hold, b.InputTokens, b.Hold = nil, 0, nil, 0
	return reflect.DeepEqual(a, b)
}

func (r *requests) add(b *judge.Block) {
	ttft, prompts := b.Requests.PerRequest(swap.MetricTTFT), b.Requests.PromptTokens()
	pairs := make([]pair, 0, len(ttft))
	for i := range ttft {
		if !b.Requests.Outcome(i).Good() || math.IsNaN(ttft[i]) || math.IsNaN(prompts[i]) {
			r.unplaced++
			continue
		}
		pairs = append(pairs, pair{prompts[i], ttft[i]})
	}
	r.placed += len(pairs)
	r.blocks = append(r.blocks, pairs)
}

// variation is the coefficient of variation of the prompts' lengths.
func (r *requests) variation() float64 {
	sum, squares := 0., 0.
	for _, pairs := range r.blocks {
		for _, p := range pairs {
			sum += p.x
		}
	}
	mean := sum / float64(r.placed)
	for _, pairs := range r.blocks {
		for _, p := range pairs {
			squares += (p.x - mean) * (p.x - mean)
		}
	}
	return math.Sqrt(squares/float64(r.placed)) / mean
}

// sensitivity holds the growth of the P99 of the time to the first token against the limit, in ms per token. Requests that failed
// are the slowest and have no place on the line: from 1 % of them on the P99 itself is a failure.
func sensitivity(r requests, limit, level float64) swap.ReactionSignal {
	all := r.placed + r.unplaced
	switch {
	case all == 0:
		return unknown(swap.LimitUndecided, "no request was measured")
	case float64(r.unplaced) >= tail*float64(all):
		return unknown(swap.LimitUndecided, "%d of %d requests failed or tell no length of their prompt or no first token, so that a P99 "+
			"over the length is not known", r.unplaced, all)
	case r.variation() < fewestSpread:
		return unknown(swap.LimitAbsent, "the prompts are of one length, over which nothing can grow")
	}
	slope, ok := tailSlope(r.blocks, level)
	if !ok {
		return unknown(swap.LimitUndecided, "%d requests are too few for the growth of a P99; it takes %.0f", r.placed, fewestAbove/tail)
	}
	u := slope.scaled(1 / limit)
	return against(slope.value, limit, u, "the P99 of TTFT grows by "+swap.Of(slope.value).String()+" ms per token of the prompt"+
		bounds(slope)+"; the limit is "+swap.Of(limit).String())
}
