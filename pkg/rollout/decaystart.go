package rollout

import "github.com/swapgate/swapgate/pkg/swap"

// StartOfDecay is the coefficient of a rule of decay before the first window; absent without a rule.
func StartOfDecay(d swap.Decay) swap.Value {
	switch d.Rule {
	case swap.DecayACI:
		return swap.Of(aciStart)
	case swap.DecayAlpha:
		return swap.Of(Classic(d).Read(nil).Alpha)
	}
	return swap.Absent()
}
