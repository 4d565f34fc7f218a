package reaction

import (
	"math"

	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/swap"
)

// weigh sums up three signals.
func weigh(a *swap.ArmReaction, w classic.Weights) {
	signals := [...]swap.ReactionSignal{a.Sensitivity, a.Knee, a.Cost}
	largest, known := math.Inf(-1), true
	for _, s := range signals {
		u, ok := s.Utilisation.Get()
		known = known && ok
		if ok {
			largest = max(largest, u)
		}
	}
	a.State, a.Utilisation = worst(signals[:]), swap.Of(largest)
	if known {
		u := classic.Utilisation{
			Sensitivity: a.Sensitivity.Utilisation.Or(0), Knee: a.Knee.Utilisation.Or(0), Cost: a.Cost.Utilisation.Or(0),
		}
		a.Rank = swap.Of(u.Rank(w))
	}
	reading := w.Read(classic.Signals{Sensitivity: atLimit(a.Sensitivity), Knee: atLimit(a.Knee), Cost: atLimit(a.Cost)})
	a.Classic, a.ClassicBlocks = swap.Of(reading.Value), reading.Fires
}

// worst is reached where any signal is, else undecided where any is or none is known.
func worst(signals []swap.ReactionSignal) swap.ReactionState {
	count := map[swap.ReactionState]int{}
	for _, s := range signals {
		count[s.State]++
	}
	switch {
	case count[swap.LimitReached] > 0:
		return swap.LimitReached
	case count[swap.LimitUndecided] > 0 || count[swap.LimitKept] == 0:
		return swap.LimitUndecided
	}
	return swap.LimitKept
}

// weightsOf are a person's own, or those of the scenario.
func weightsOf(r swap.Reaction) classic.Weights {
	switch {
	case r.Weights != nil:
		return classic.Weights{Sensitivity: r.Weights.Sensitivity, Knee: r.Weights.Knee, Cost: r.Weights.Cost}
	case r.Scenario == swap.ScenarioContent:
		return classic.ContentWeights()
	}
	return classic.FinanceWeights()
}
