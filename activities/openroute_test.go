package activities

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/command"
)

// doubtful is a gateway that says something against a rollout.
type doubtful struct {
	traffic.Controller
	pending string
	refused error
}

func (d doubtful) Read(context.Context) (traffic.State, error) {
	return traffic.State{Weights: swap.AllBaseline, Pending: d.pending}, nil
}

func (d doubtful) Rehearse(context.Context) error { return d.refused }

func TestPreflightFindsWhatForbidsARollout(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		route doubtful
		name  string
		retry bool
		says  string
	}{
		"a gateway that does not follow": {doubtful{pending: "no gateway has taken up the route"}, TypeRouteNotApplied, true, "taken up"},
		"another controller": {
			doubtful{refused: fmt.Errorf("%w: managed by flagger", traffic.ErrRefused)}, TypeRouteRefused, false, "managed by flagger",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.deps.OpenRoute = func(swap.Route) (traffic.Controller, error) { return tc.route, nil }
			_, err := preflight(t, s)
			requireType(t, err, tc.name, tc.retry)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestOnlyCommandsOfTheWorkerAreRun(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho '{\"baseline\": 100, \"candidate\": 0}'\n"), 0o700))
	s := newSite(t)
	in := swap.SetWeightsInput{
		Route: swap.Route{Kind: swap.RouteCommand, Command: &swap.Command{Name: "program"}}, Weights: swap.AllBaseline,
	}
	_, err := run[swap.Restored](t, s, swap.ActivitySetWeights, in)
	requireType(t, err, TypeRouteRefused, false)
	require.ErrorContains(t, err, "--commands")

	s.deps.AllowCommands(command.Programs{"program": {Argv: []string{program}}})
	got := mustRun[swap.Restored](t, s, swap.ActivitySetWeights, in)
	require.Equal(t, &swap.AllBaseline, got.Weights)
	require.False(t, got.Changed)
}
