package snapshot

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// lagging is a gateway that has the weights in its specification and does not follow them until it is waited for.
type lagging struct {
	traffic.Controller
	applies int
	stuck   bool
}

func (l *lagging) Read(context.Context) (traffic.State, error) {
	if l.applies > 0 && !l.stuck {
		return traffic.State{Weights: swap.AllBaseline}, nil
	}
	return traffic.State{Weights: swap.AllBaseline, Pending: "no gateway has taken up the route"}, nil
}

func (l *lagging) Apply(ctx context.Context, _ swap.Weights) (traffic.State, error) {
	l.applies++
	state, _ := l.Read(ctx)
	if state.Pending != "" {
		return state, traffic.ErrNotApplied
	}
	return state, nil
}

func TestRestoreIsDoneWhenTrafficFollows(t *testing.T) {
	s := snapshotAt("chat", noon)
	late := &lagging{}
	got, err := Restore(t.Context(), late, s)
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, *got.Weights)
	require.Equal(t, 1, late.applies, "right weights that nobody follows are no proof")
	_, err = Restore(t.Context(), &lagging{stuck: true}, s)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
}
