package pace

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestThinkTimeIsExponential(t *testing.T) {
	const n = 20_000
	times := make([]time.Duration, 0, n)
	sum := 0.0
	for slot := range uint64(100) {
		for i := range uint64(n / 100) {
			d := ThinkTime(7, slot, i, time.Second)
			require.Equal(t, d, ThinkTime(7, slot, i, time.Second))
			times = append(times, d)
			sum += d.Seconds()
		}
	}
	slices.Sort(times)
	require.InDelta(t, 1, sum/n, 0.03)
	require.InDelta(t, 0.693, times[n/2].Seconds(), 0.03)
	require.InDelta(t, 2.996, times[n*95/100].Seconds(), 0.15)
	require.GreaterOrEqual(t, times[0], time.Duration(0))
	require.LessOrEqual(t, times[n-1], 10*time.Second)
	require.Greater(t, len(slices.Compact(times)), n*99/100, "slots and requests are independent")
}

func TestThinkTimeIsStable(t *testing.T) {
	require.Equal(t, 1_407_295_478*time.Nanosecond, ThinkTime(1, 2, 3, time.Second))
	require.NotEqual(t, ThinkTime(1, 2, 3, time.Second), ThinkTime(2, 2, 3, time.Second))
	require.NotEqual(t, ThinkTime(1, 2, 3, time.Second), ThinkTime(1, 3, 2, time.Second))
	require.Zero(t, ThinkTime(1, 2, 3, 0))
	require.Zero(t, ThinkTime(1, 2, 3, -time.Second))
}
