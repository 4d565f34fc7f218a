package ensemble

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/ensemble/internal/wire"
	"github.com/swapgate/swapgate/pkg/swap"
)

// A drive begins with the headway left or not at all.
func TestHeadway(t *testing.T) {
	now := time.Unix(1000, 0)
	line := newTimeline(func() time.Time { return now })
	drives := 0
	p := newPlayer(Config{Headway: 200 * time.Millisecond}, Part{
		Drive: func(_ context.Context, turn Turn) (SliceResult, error) {
			drives++
			require.Equal(t, Turn{Block: block1, Round: 4, Conductor: "c", Start: now.Add(200 * time.Millisecond)}, turn)
			return SliceResult{Planned: 1, Outcomes: swap.OutcomeCounts{swap.OK: 1}}, nil
		},
	}, "c", line)
	start := line.stamp() + int64(200*time.Millisecond)
	require.Equal(t, wire.Late{Round: 4, ByNS: 1}, p.drive(t.Context(), 4, block1, start-1).msg)
	require.Zero(t, drives)
	require.IsType(t, wire.Slice{}, p.drive(t.Context(), 4, block1, start).msg)
	require.Equal(t, 1, drives)
}
