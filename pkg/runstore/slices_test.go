package runstore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// sliced are n requests of a block, dealt out to shards.
func sliced(p swap.BlockPlan, n, shards int) [][]rawlog.Record {
	parts := make([][]rawlog.Record, shards)
	for i, r := range requests(p, n) {
		r.Shard = int32(i % shards)
		parts[i%shards] = append(parts[i%shards], r)
	}
	return parts
}

func openSlice(t *testing.T, s *Store, shard int, attempt string) *SliceLog {
	t.Helper()
	l, err := openSliceLog(t.Context(), s, testRun, 2, shard, attempt, patient(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close(t.Context()) })
	return l
}

func store(t *testing.T, l *SliceLog, p swap.BlockPlan, rows []rawlog.Record) swap.BlockSlice {
	t.Helper()
	require.NoError(t, l.Begin(p, begun))
	require.NoError(t, l.Write(rows))
	slice, err := l.Store(len(rows), rawlog.Outcomes(rows))
	require.NoError(t, err)
	require.NoError(t, l.Drain(t.Context()))
	return slice
}

func TestABlockOfSeveralSlicesIsSealedOnce(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	const shards = 3
	conductor := openLog(t, s, "c", patient(t))
	logs := []*SliceLog{conductor.SliceLog, openSlice(t, s, 1, "f1"), openSlice(t, s, 2, "f2")}
	var want []rawlog.Record
	var lost []swap.DiscardedAttempt
	for n, p := range plans(1) {
		parts := sliced(p, 20, shards)
		if n == 1 { // a voided round: two slices were stored, the third was not
			store(t, logs[1], p, parts[1])
			store(t, logs[2], p, parts[2])
			require.NoError(t, conductor.Begin(p, begun))
			require.NoError(t, conductor.Write(parts[0][:2]))
			conductor.Void()
			for shard, attempt := range []string{"c", "f1", "f2"} {
				lost = append(lost, swap.DiscardedAttempt{BlockPlan: p, Shard: shard, Attempt: attempt, Started: begun})
			}
		}
		result := resultOf(p, requests(p, 20))
		for shard, l := range logs {
			result.Slices = append(result.Slices, store(t, l, p, parts[shard]))
			want = append(want, parts[shard]...)
		}
		require.NoError(t, conductor.Seal(result))
		require.ErrorContains(t, conductor.Seal(result), "sealed by attempt c")
	}
	manifest, ref, err := conductor.Finish(ctx, plans(1), asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	require.Len(t, manifest.Blocks[0].Slices, shards)
	require.Equal(t, "f2-t2", manifest.Blocks[1].Slices[2].Attempt)
	require.Len(t, manifest.Discarded, len(lost))
	for i := range lost {
		got := manifest.Discarded[i]
		got.Parts = nil
		require.Equal(t, lost[i], got)
	}

	read, got, err := ReadStep(ctx, s, ref)
	require.NoError(t, err)
	require.Equal(t, manifest, read)
	require.Empty(t, cmp.Diff(want, got))
}

func TestABlockWithoutAllItsSlicesIsNotSealed(t *testing.T) {
	s := newStore(t)
	p := plans(1)[0]
	parts := sliced(p, 20, 2)
	l, other := openLog(t, s, "c", patient(t)), openSlice(t, s, 1, "f1")
	own, second := store(t, l.SliceLog, p, parts[0]), store(t, other, p, parts[1])
	for name, slices := range map[string][]swap.BlockSlice{
		"a slice is missing": {own},
		"another is missing": {second},
		"a slice twice":      {own, own},
		"out of order":       {second, own},
	} {
		t.Run(name, func(t *testing.T) {
			result := resultOf(p, requests(p, 20))
			result.Slices = slices
			require.ErrorIs(t, l.Seal(result), ErrCorrupt)
			require.Empty(t, l.Sealed())
		})
	}
}

// A request that two slices hold is found when the block is read, whatever the counts say.
func TestARequestInTwoSlicesIsFound(t *testing.T) {
	s := newStore(t)
	p := plans(1)[0]
	parts := sliced(p, 20, 2)
	parts[1][0].Seq = parts[0][0].Seq
	l, other := openLog(t, s, "c", patient(t)), openSlice(t, s, 1, "f1")
	result := resultOf(p, requests(p, 20))
	result.Slices = []swap.BlockSlice{store(t, l.SliceLog, p, parts[0]), store(t, other, p, parts[1])}
	require.NoError(t, l.Seal(result))
	require.NoError(t, l.Drain(t.Context()))
	_, err := ReadBlock(t.Context(), s, result)
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "there twice")
}

func TestASliceHoldsItsOwnShardOnly(t *testing.T) {
	s := newStore(t)
	p := plans(1)[0]
	l := openSlice(t, s, 1, "f1")
	require.NoError(t, l.Begin(p, begun))
	rows := requests(p, 3) // of shard 0
	require.NoError(t, l.Write(rows))
	_, err := l.Store(len(rows), rawlog.Outcomes(rows))
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "a row of shard 0 lies in the slice of shard 1")
}
