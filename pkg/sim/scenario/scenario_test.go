package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryScenarioRunsAndDiffersAsItSays(t *testing.T) {
	base := Baseline()
	require.NoError(t, base.Validate())
	for _, name := range Names() {
		cfg, err := Candidate(name)
		require.NoError(t, err, name)
		require.NoError(t, cfg.Validate(), name)
		require.NotEqual(t, base.Model, cfg.Model)
		require.NotEqual(t, base.Seed, cfg.Seed, "arms must not share their noise")
		require.NotEmpty(t, About(name))
		if name != "good" {
			require.Equal(t, base.Prefill, cfg.Prefill)
			require.Equal(t, base.Decode, cfg.Decode)
		}
	}
	good, err := Candidate("good")
	require.NoError(t, err)
	require.InDelta(t, 1.08, float64(base.Decode.Base)/float64(good.Decode.Base), 1e-6)
	require.InDelta(t, 1.08, good.Prefill.TokensPerSecond/base.Prefill.TokensPerSecond, 1e-6)
	require.InDelta(t, 1.08, float64(base.Prefill.Base)/float64(good.Prefill.Base), 1e-6)
}

func TestUnknownScenario(t *testing.T) {
	_, err := Candidate("best")
	require.ErrorContains(t, err, "slow-decode")
	require.Empty(t, About("best"))
}
