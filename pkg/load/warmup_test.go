package load

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

func TestStable(t *testing.T) {
	cases := []struct {
		name   string
		ttft   []float64
		window int
		want   bool
	}{
		{"too few", []float64{1, 1, 1}, 2, false},
		{"equal", []float64{1, 1, 1, 1}, 2, true},
		{"only the last two windows count", []float64{99, 99, 1, 1, 1, 1}, 2, true},
		{"ten per cent", []float64{100, 100, 110, 110}, 2, true},
		{"more", []float64{100, 100, 111, 111}, 2, false},
		{"still falling", []float64{100, 100, 80, 80}, 2, false},
		{"no window", []float64{1, 1}, 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, Stable(c.ttft, c.window)) })
	}
}

func warm(t *testing.T, s *fakeServer, w swap.WarmUp) swap.WarmUpResult {
	t.Helper()
	var got swap.WarmUpResult
	synctest.Test(t, func(t *testing.T) {
		r, err := WarmUp(t.Context(), s, []*workload.Generator{generator(t)}, w, options())
		require.NoError(t, err)
		got = r
	})
	require.Equal(t, swap.Candidate, got.Arm)
	require.Equal(t, got.Requests, got.Outcomes.Total())
	return got
}

// T54: the first request pays for loading, the next ones for compiling; the warm-up goes on until that is over.
func TestWarmUpEndsWhenStable(t *testing.T) {
	s := &fakeServer{answer: func(n int) (swap.Outcome, time.Duration) {
		return swap.OK, time.Duration(100+1000*max(0, 8-n)) * time.Millisecond
	}}
	got := warm(t, s, swap.WarmUp{MinRequests: 5, MaxRequests: 500, Concurrency: 2, MaxDuration: swap.Duration(time.Hour)})
	require.True(t, got.Stable)
	require.Equal(t, EndedStable, got.Ended)
	require.InDelta(t, 8100, got.ColdTTFTms.Or(0), 0.1)
	require.InDelta(t, 100, got.HotTTFTms.Or(0), 0.1)
	require.InDelta(t, 30, got.Requests, 6)
	require.LessOrEqual(t, s.peak.Load(), int64(2))
}

func TestWarmUpCaps(t *testing.T) {
	slower := &fakeServer{answer: func(n int) (swap.Outcome, time.Duration) { return swap.OK, time.Duration(n+1) * 100 * time.Millisecond }}
	got := warm(t, slower, swap.WarmUp{MinRequests: 5, MaxRequests: 50, Concurrency: 2})
	require.False(t, got.Stable)
	require.Equal(t, EndedMaxRequests, got.Ended)
	require.Equal(t, 50, got.Requests)

	slow := &fakeServer{answer: always(swap.OK, 10*time.Second)}
	got = warm(t, slow, swap.WarmUp{MinRequests: 5, MaxRequests: 50, Concurrency: 2, MaxDuration: swap.Duration(25 * time.Second)})
	require.Equal(t, EndedMaxDuration, got.Ended)
	require.Equal(t, int64(25_000), got.TookMS)
	require.Equal(t, swap.OutcomeCounts{swap.OK: 3, swap.Abandoned: 2}, got.Outcomes)

	dead := &fakeServer{answer: always(swap.ConnectFailed, time.Millisecond)}
	got = warm(t, dead, swap.WarmUp{MinRequests: 5, MaxRequests: 20, Concurrency: 2})
	require.Equal(t, EndedMaxRequests, got.Ended)
	require.Equal(t, swap.OutcomeCounts{swap.ConnectFailed: 20}, got.Outcomes)
	require.False(t, got.ColdTTFTms.Valid())
	require.False(t, got.HotTTFTms.Valid())
}

func TestWarmUpCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		s := &fakeServer{answer: always(swap.OK, time.Second)}
		got, err := WarmUp(ctx, s, []*workload.Generator{generator(t)}, swap.WarmUp{MaxRequests: 100, Concurrency: 1}, options())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, EndedCancelled, got.Ended)
	})
}
