package runstore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// A log holds the same memory however many requests pass through it, also while the store is slow; so does a reader.
func TestMemoryDoesNotGrowWithTheRequests(t *testing.T) {
	few := peakOf(t, 5_000)
	many := peakOf(t, 20_000)
	t.Logf("peak of live memory in bytes: few %+v, many %+v", few, many)
	const allowed = 4 << 20 // 15,000 records more are 15 MB
	require.Less(t, many.writing, few.writing+allowed)
	require.Less(t, many.reading, few.reading+allowed)
	require.Less(t, many.bytesPerRow, int64(300))
}

type memoryPeak struct{ writing, reading, bytesPerRow int64 }

// peakOf writes a block of n requests, reads it back, and measures on the way.
func peakOf(t *testing.T, n int) (peak memoryPeak) {
	t.Helper()
	s, ctx := newStore(t), t.Context()
	policy := patient(t)
	policy.memory, policy.partBytes, policy.groupBytes, policy.tableMemory = 256<<10, 512<<10, 1<<20, 64<<10
	p := plans(1)[0]
	l := openLog(t, s, "one", policy)
	require.NoError(t, l.Begin(p, begun))
	liveHeap() // what pools keep over one collection is not there after a second
	before, batches := liveHeap(), 0
	require.NoError(t, newSynthetic(p).write(l, n, func([]rawlog.Record) {
		if batches++; batches%5 == 0 {
			peak.writing = max(peak.writing, liveHeap()-before)
		}
	}))
	result := swap.BlockResult{BlockPlan: p, Planned: n, Outcomes: swap.OutcomeCounts{swap.OK: n}}
	require.NoError(t, seal(l, result))
	_, ref, err := l.Finish(ctx, plans(1)[:1], asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	require.NoError(t, l.Close(ctx))

	manifest, err := ReadManifest(ctx, s, ref)
	require.NoError(t, err)
	require.Greater(t, len(listed(t, s)), 4, "parts beside the attempt, the table, the seal and the manifest")
	block := manifest.Blocks[0]
	peak.bytesPerRow = block.Slices[0].Raw.Bytes / int64(n)
	before, batches = liveHeap(), 0
	want := newSynthetic(p)
	require.NoError(t, EachRecord(ctx, s, block, func(rows []rawlog.Record) error {
		for i := range rows {
			require.Equal(t, want.next(), rows[i])
		}
		if batches++; batches%5 == 0 {
			peak.reading = max(peak.reading, liveHeap()-before)
		}
		return nil
	}))
	require.Equal(t, n, int(want.seq), "all were read")
	return peak
}

func listed(t *testing.T, s *Store) []string {
	t.Helper()
	keys, err := s.List(t.Context(), "")
	require.NoError(t, err)
	return keys
}
