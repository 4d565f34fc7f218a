package ensemble

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the way there and back takes, the truth is within the uncertainty.
func TestTrueOffsetIsWithinTheUncertainty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth := rapid.Int64Range(-1e13, 1e13).Draw(t, "offset")
		there, back := rapid.Int64Range(0, 1e9).Draw(t, "there"), rapid.Int64Range(0, 1e9).Draw(t, "back")
		sent, busy := rapid.Int64Range(0, 1e18).Draw(t, "sent"), rapid.Int64Range(0, 1e9).Draw(t, "busy")
		e := exchange{sent: sent, received: sent + there + truth, answered: sent + there + busy + truth, returned: sent + there + busy + back}
		got := e.clock()
		require.LessOrEqual(t, (got.Offset - time.Duration(truth)).Abs(), got.Uncertainty)
		require.LessOrEqual(t, got.Uncertainty, time.Duration(there+back)/2+1)
	})
}

func TestBetterKnownClockIsKept(t *testing.T) {
	a, b := Clock{Offset: 1, Uncertainty: 5}, Clock{Offset: 2, Uncertainty: 4}
	require.Equal(t, b, better(a, b))
	require.Equal(t, b, better(b, a))
	require.Equal(t, a, better(a, Clock{Offset: 3, Uncertainty: 5}), "of equals the first")
}

func TestTimelineIsNotSet(t *testing.T) {
	wall := time.Now().Add(-time.Hour)
	line := newTimeline(func() time.Time { return wall })
	first := line.stamp()
	wall = wall.Add(3 * time.Second)
	require.Equal(t, int64(3*time.Second), line.stamp()-first)
	require.True(t, wall.Equal(line.at(line.stamp())))
	require.Equal(t, wall.UnixNano(), line.stamp())
}
