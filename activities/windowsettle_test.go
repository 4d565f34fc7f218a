package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Requests of the time in which a change of weights settles are made and watched, and do not count.
func TestWindowBeginsWhenAChangeHasSettled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.setWeights(t, half)
	s.spec.Rollout.Settle = swap.Duration(500 * time.Millisecond)
	in := windowInput(s)
	in.Changed = true
	began := time.Now()
	w := observe(t, s, in).Window
	require.GreaterOrEqual(t, w.Started.Sub(began), 500*time.Millisecond)
	for _, r := range readWindow(t, s, w) {
		require.GreaterOrEqual(t, r.SentUnixNS, w.Started.UnixNano())
	}
	seen := w.Arms.Baseline.Requests + w.Arms.Candidate.Requests
	require.Positive(t, seen)
	require.Greater(t, s.served(swap.Baseline)+s.served(swap.Candidate), seen)
	require.InDelta(t, w.Arms.Candidate.Requests, w.Arms.Candidate.GatewayRequests.Or(-1), 0, "nor does what the gateway counted before")
}

func TestTheGuardWatchesWhileAChangeSettles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.setWeights(t, half)
	s.spec.Rollout.Settle = swap.Duration(time.Minute)
	require.NoError(t, s.engines.Candidate.SetFaults(simengine.Faults{ErrorRate: 1}))
	in := windowInput(s)
	in.Changed = true
	w := observe(t, s, in).Window
	require.NotNil(t, w.GuardFired)
	require.NotNil(t, w.Brake)
	require.Equal(t, swap.ActionRollback, w.Decision.Action)
	require.Equal(t, swap.AllBaseline, s.weights(t))
}

// What only the whole window shows puts the traffic back as soon as it is known.
func TestWindowBrakesOnItsDecision(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	moved := swap.Weights{Baseline: 40, Candidate: 60}
	s.setWeights(t, moved)
	w := observe(t, s, windowInput(s)).Window
	require.Equal(t, swap.ActionRollback, w.Decision.Action)
	require.Nil(t, w.GuardFired)
	require.NotNil(t, w.Brake)
	require.Equal(t, swap.AllBaseline, s.weights(t))
}

func TestAWaitingWindowAdvancesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.setWeights(t, half)
	s.spec.Rollout.WindowsPerWeight = 1
	in := windowInput(s)
	in.Waiting = true
	w := observe(t, s, in).Window
	require.True(t, w.Waiting)
	require.Equal(t, swap.ActionHold, w.Decision.Action)
	require.Nil(t, w.Step)
}
