package hold

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestAProlongedStepSaysHowFarAndWhy(t *testing.T) {
	for _, rule := range []swap.SteadyRule{swap.SteadyTrend, swap.SteadyCV} {
		c := Begin(extended(rule, 3, 8))
		for k, b := range healthy(16, typical(20)) {
			require.Equal(t, k >= 6 && k%2 == 0, c.Prolonged() != "", "%d blocks", k)
			if k == 8 {
				require.Regexp(t, `^prolonged, block 5 of at most 8 on each arm, because the baseline's .+; the candidate's .+$`, c.Prolonged())
			}
			c.Add(b)
		}
		_, ended := c.End()
		require.True(t, ended)
		require.Empty(t, c.Prolonged(), "there is no next block")
	}
	planned := Begin(plain(1))
	for _, b := range healthy(2, typical(20)) {
		planned.Add(b)
	}
	require.Empty(t, planned.Prolonged())
}
