package rollout

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestStartOfDecay(t *testing.T) {
	require.Equal(t, swap.Absent(), StartOfDecay(swap.Decay{}))
	require.Equal(t, swap.Of(aciStart), StartOfDecay(swap.Decay{Rule: swap.DecayACI}))
	d := swap.Decay{
		Rule: swap.DecayAlpha, DeltaUnit: "percentage_point", DropSemantics: "cumulative3", ErrorRiseUnit: "relative_percent", Start: .6,
	}
	require.Equal(t, swap.Of(.6), StartOfDecay(d))
}
