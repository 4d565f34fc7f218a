package reaction

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// atKnee holds a load against that of the knee. A knee that the universal scalability law does not confirm can be said to be
// undecided or kept, but not to be reached.
func atKnee(load float64, b *swap.Bend) swap.ReactionSignal {
	switch {
	case b == nil:
		return unknown(swap.LimitAbsent, "a knee needs at least 3 load steps that differ in their level only, with a throughput")
	case b.Knee == nil && load >= b.KneeLow.Or(math.Inf(1))*(1-rounding):
		return swap.ReactionSignal{
			State: swap.LimitUndecided, Value: swap.Of(load), Message: "no knee is seen, but in some resamples of the blocks there is one",
		}
	case b.Knee == nil:
		return swap.ReactionSignal{State: swap.LimitKept, Value: swap.Of(load), Message: "throughput has no knee up to the highest load"}
	}
	knee := b.Knee.Load.Or(math.NaN())
	u := estimate{load / knee, load / b.KneeHigh.Or(math.Inf(1)), load / b.KneeLow.Or(0)}
	if !b.KneeHigh.Valid() || !b.Confirmed {
		u.low = math.Inf(-1)
	}
	message := fmt.Sprintf("the load is %s times that of the knee at %s%s", swap.Of(u.value), b.Knee.Label, bounds(u))
	if !b.Confirmed {
		message += ", which is not confirmed"
	}
	return against(load, knee, u, message)
}
