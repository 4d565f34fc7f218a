package traffic

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestApplyIsNotDoneWhileTheGatewayDoesNotFollow(t *testing.T) {
	want := swap.Weights{Baseline: 95, Candidate: 5}
	for name, tc := range map[string]struct {
		states []State
		writes int
		says   string
	}{
		"right and followed":       {[]State{{Weights: want}}, 0, ""},
		"right, followed after":    {[]State{{Weights: want, Pending: "node 2 lags"}, {Weights: want}}, 1, ""},
		"right, and not followed":  {[]State{{Weights: want, Pending: "node 2 lags"}, {Weights: want, Pending: "node 2 lags"}}, 1, "node 2 lags"},
		"wrong, then not followed": {[]State{{Weights: swap.AllBaseline}, {Weights: want, Pending: "node 2 lags"}}, 1, "node 2 lags"},
	} {
		t.Run(name, func(t *testing.T) {
			reads, writes := 0, 0
			got, err := Apply(t.Context(), "lb", want, func(context.Context) (State, error) {
				reads++
				return tc.states[reads-1], nil
			}, func(context.Context, State) error {
				writes++
				return nil
			})
			require.Equal(t, tc.writes, writes)
			require.Equal(t, tc.states[len(tc.states)-1], got)
			if tc.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrNotApplied)
			require.ErrorContains(t, err, tc.says)
		})
	}
}
