package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// A limit is drawn like a margin: at 1, with worse to the right.
func TestALimitIsDrawnAtOne(t *testing.T) {
	g := swap.GateResult{
		Gate:   swap.Gate{VS: swap.AgainstSLO, Limit: 800, Better: swap.LowerIsBetter},
		Change: swap.Of(-160), Low: swap.Of(-200), High: swap.Of(40),
	}
	i := inMargins(g)
	require.InDeltaSlice(t, []float64{.8, .75, 1.05}, []float64{i.Change.Or(0), i.Low.Or(0), i.High.Or(0)}, 1e-12)
	g.Gate.Better = swap.HigherIsBetter
	i = inMargins(g)
	require.InDeltaSlice(t, []float64{1.2, .95, 1.25}, []float64{i.Change.Or(0), i.Low.Or(0), i.High.Or(0)}, 1e-12)
}
