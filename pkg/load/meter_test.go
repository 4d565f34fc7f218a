package load

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func good(ttft time.Duration) *rawlog.Record {
	us := ttft.Microseconds()
	return &rawlog.Record{Outcome: string(swap.OK), FirstUS: &us}
}

func TestMeterCounts(t *testing.T) {
	m := &Meter{}
	began := time.Unix(100, 0)
	require.Equal(t, swap.Progress{}, m.Snapshot(began))
	m.plan(40)
	for range 20 {
		m.end(good(time.Second))
	}
	m.end(&rawlog.Record{Outcome: string(swap.HTTP429)})
	m.end(&rawlog.Record{Outcome: string(swap.Abandoned)})
	s := m.Snapshot(began.Add(2 * time.Second))
	require.Equal(t, 22, s.Requests)
	require.Equal(t, 1, s.Failed)
	require.InDelta(t, 20, s.Offered.Or(0), 0)
	require.InDelta(t, 11, s.Achieved.Or(0), 0)
	require.InEpsilon(t, 1000, s.TTFTP95ms.Or(0), 0.1)
	require.Equal(t, s, m.Snapshot(began.Add(2100*time.Millisecond)), "too soon for new rates")
	require.InDelta(t, 0, m.Snapshot(began.Add(4*time.Second)).Offered.Or(-1), 0)
}

func TestMeterEstimateIsWithinABucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Meter{}
		us := rapid.Int64Range(2, int64(time.Hour/time.Microsecond)).Draw(t, "us")
		m.end(good(time.Duration(us) * time.Microsecond))
		require.InEpsilon(t, float64(us)/1e3, m.Snapshot(time.Now()).TTFTP95ms.Or(0), 0.0906)
	})
}

func TestMeterIsSafeAndOptional(t *testing.T) {
	m := &Meter{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				m.plan(1)
				m.end(good(time.Millisecond))
				m.Snapshot(time.Now())
			}
		})
	}
	wg.Wait()
	require.Equal(t, 400, m.Snapshot(time.Now()).Requests)
	var none *Meter
	none.plan(1)
	none.end(good(time.Second))
}
