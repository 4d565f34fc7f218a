package gateway

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestAnEngineThatCrashesAndComesBack(t *testing.T) {
	cfg := engine.Default()
	cfg.Cold = engine.ColdStart{}
	e, err := engine.New(cfg)
	require.NoError(t, err)
	defer e.Close()
	var gw Config
	gw.Weights = swap.Weights{Baseline: 50, Candidate: 50}
	gw.Upstreams.Candidate.Model = cfg.Model
	r := newRig(t, gw, echo("b"), e.ServeHTTP)
	statuses := func() map[int]int {
		seen := map[int]int{}
		for range 4 {
			got := r.ask(t, `{"model":"public","stream":true,"max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`)
			require.NoError(t, got.err)
			seen[got.status]++
		}
		return seen
	}
	require.Equal(t, map[int]int{200: 4}, statuses())
	require.NoError(t, e.SetFaults(engine.Faults{Crash: true}))
	require.Equal(t, map[int]int{200: 2, 502: 2}, statuses())
	require.NoError(t, e.SetFaults(engine.Faults{}))
	require.Equal(t, map[int]int{200: 4}, statuses())
	require.EqualValues(t, 2, r.counters(t).Candidate.Errors)
	require.Zero(t, r.counters(t).Baseline.Errors)
}
