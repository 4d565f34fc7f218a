package reaction

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// rounding is how far a utilisation may miss 1 by the arithmetic alone.
const rounding = 1e-9

// against is a value held against its limit; e is the utilisation.
func against(value, limit float64, e estimate, message string) swap.ReactionSignal {
	return swap.ReactionSignal{
		State: stateOf(e), Value: swap.Of(value), Limit: swap.Of(limit),
		Utilisation: swap.Of(e.value), Low: swap.Of(e.low), High: swap.Of(e.high), Message: message,
	}
}

func stateOf(e estimate) swap.ReactionState {
	switch {
	case e.low >= 1-rounding:
		return swap.LimitReached
	case e.high < 1-rounding:
		return swap.LimitKept
	}
	return swap.LimitUndecided
}

func unknown(state swap.ReactionState, format string, args ...any) swap.ReactionSignal {
	return swap.ReactionSignal{State: state, Message: fmt.Sprintf(format, args...)}
}

// bounds is such as " (0.61 to 0.92)", empty where nothing bounds the number on either side.
func bounds(e estimate) string {
	low, high := !math.IsInf(e.low, 0), !math.IsInf(e.high, 0)
	switch {
	case low && high:
		return fmt.Sprintf(" (%s to %s)", swap.Of(e.low), swap.Of(e.high))
	case low:
		return fmt.Sprintf(" (at least %s)", swap.Of(e.low))
	case high:
		return fmt.Sprintf(" (at most %s)", swap.Of(e.high))
	}
	return ""
}

// atLimit reports whether the estimate is at or beyond its limit, whatever its bounds.
func atLimit(s swap.ReactionSignal) bool { return s.Utilisation.Or(math.Inf(-1)) >= 1-rounding }
