package activities

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSetWeightsIsIdempotent(t *testing.T) {
	t.Parallel()
	var writes atomic.Int64
	s := newSite(t, func(p *plan) { p.admin = countingPuts(&writes) })
	half := swap.Weights{Baseline: 50, Candidate: 50}
	in := swap.SetWeightsInput{Route: s.spec.Rollout.Route, Weights: half}

	first := mustRun[swap.Restored](t, s, swap.ActivitySetWeights, in)
	require.True(t, first.Changed)
	require.Equal(t, &half, first.Weights)
	require.Equal(t, half, s.weights(t))
	require.Positive(t, first.TookMS)

	again := mustRun[swap.Restored](t, s, swap.ActivitySetWeights, in)
	require.False(t, again.Changed)
	require.Equal(t, &half, again.Weights)
	require.EqualValues(t, 1, writes.Load(), "weights that are right are not written again")
}

func TestSetWeightsErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, c := range map[string]struct {
		route   func(*swap.Route)
		weights swap.Weights
		name    string
		retry   bool
	}{
		"weights of 110 %": {weights: swap.Weights{Baseline: 60, Candidate: 50}, name: TypeRouteRefused},
		"gateway gone":     {route: func(r *swap.Route) { r.AdminURL = goneURL() }, name: TypeRouteUnavailable, retry: true},
		"no token":         {route: func(r *swap.Route) { r.AdminToken = nil }, name: TypeRouteRefused},
	} {
		t.Run(name, func(t *testing.T) {
			in := swap.SetWeightsInput{Route: s.spec.Rollout.Route, Weights: c.weights}
			if c.route != nil {
				c.route(&in.Route)
			}
			_, err := run[swap.Restored](t, s, swap.ActivitySetWeights, in)
			requireType(t, err, c.name, c.retry)
			require.Equal(t, swap.AllBaseline, s.weights(t))
		})
	}
}

func countingPuts(n *atomic.Int64) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				n.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	}
}
