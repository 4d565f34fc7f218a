package admin

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine"
	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestGoldenAsksTheServer(t *testing.T) {
	cfg := simengine.Default()
	cfg.Model, cfg.Cold = "m", simengine.ColdStart{}
	sim, err := simengine.New(cfg)
	require.NoError(t, err)
	t.Cleanup(sim.Close)
	srv := httptest.NewServer(sim)
	t.Cleanup(srv.Close)
	c, err := engine.NewClient(engine.Target{URL: srv.URL, Model: "m"}, engine.ClientOptions{})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	ask := Golden(c, swap.APIChat, swap.Golden{Prompts: []string{"one", "two"}, MaxTokens: 8})
	answers, err := ask(t.Context(), "m")
	require.NoError(t, err)
	require.Len(t, answers.Texts, 2)
	require.NotEqual(t, answers.Texts[0], answers.Texts[1])
	require.Equal(t, cfg.Fingerprint(), answers.Fingerprint)
	hashes, _, err := askTwice(t.Context(), ask, "m")
	require.NoError(t, err)
	require.NotContains(t, hashes, "")

	_, err = ask(t.Context(), "other")
	require.ErrorIs(t, err, ErrUnreachable)
	require.ErrorContains(t, err, "golden prompt 1 to model other ended with http_4xx")
}
