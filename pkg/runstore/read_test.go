package runstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// sealed is a step of one pair, and what its blocks hold.
func sealed(t *testing.T, s *Store, n int) (swap.ObjectRef, swap.StepManifest, []rawlog.Record) {
	t.Helper()
	policy := patient(t)
	policy.partRows, policy.groupBytes, policy.tableMemory = 300, 100_000, 1000 // several row groups, in a file
	l := openLog(t, s, "one", policy)
	var all []rawlog.Record
	for _, p := range plans(1) {
		rows := requests(p, n)
		drive(t, l, p, rows)
		all = append(all, rows...)
	}
	manifest, ref, err := l.Finish(t.Context(), plans(1), asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	require.NoError(t, l.Close(t.Context()))
	return ref, manifest, all
}

func TestALeanReaderLeavesTheBulkOut(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	_, manifest, want := sealed(t, s, 1500)
	for i := range want {
		r := &want[i]
		r.ChunkGapsUS, r.ChunkTokens, r.TraceID, r.PromptSHA256, r.Error = nil, nil, "", "", ""
	}
	var got []rawlog.Record
	for _, b := range manifest.Blocks {
		require.NoError(t, EachLeanRecord(ctx, s, b, func(rows []rawlog.Record) error {
			require.LessOrEqual(t, len(rows), rowsPerBatch)
			got = append(got, rows...)
			return nil
		}))
	}
	require.Empty(t, cmp.Diff(want, got, equal))
}

// The judged columns are those that the metrics of a verdict need, and say the same as in a whole record.
func TestAJudgedRecordHasWhatJudgingNeeds(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	_, manifest, all := sealed(t, s, 1500)
	got := map[int32][]rawlog.Record{}
	var mu sync.Mutex
	require.NoError(t, EachJudgedRecord(ctx, s, manifest.Blocks, func(rows []rawlog.Record) error {
		mu.Lock()
		defer mu.Unlock()
		require.LessOrEqual(t, len(rows), rowsPerBatch)
		for _, r := range rows {
			got[r.Block] = append(got[r.Block], judgedOnly(r))
		}
		return nil
	}))
	var read []rawlog.Record
	for _, b := range manifest.Blocks {
		read = append(read, got[int32(b.Block)]...)
	}
	want := make([]rawlog.Record, len(all))
	for i, r := range all {
		want[i] = judgedOnly(r)
	}
	require.Empty(t, cmp.Diff(want, read, equal))
}

func TestLeanRecordsOfAStep(t *testing.T) {
	s := newStore(t)
	ref, manifest, records := sealed(t, s, 700)
	read, lean, err := ReadLeanStep(t.Context(), s, ref)
	require.NoError(t, err)
	require.Equal(t, manifest, read)
	require.Len(t, lean, len(records))
	for i := range lean {
		want := records[i]
		want.ChunkGapsUS, want.ChunkTokens, want.TraceID, want.PromptSHA256, want.Error = nil, nil, "", "", ""
		require.Empty(t, cmp.Diff(want, lean[i], equal))
	}
}

func TestAReaderStopsWhereItIsTold(t *testing.T) {
	s := newStore(t)
	_, manifest, _ := sealed(t, s, 1500)
	enough, calls := errors.New("enough"), 0
	stop := func([]rawlog.Record) error { calls++; return enough }
	require.Equal(t, enough, EachRecord(t.Context(), s, manifest.Blocks[0], stop))
	require.Equal(t, 1, calls)
	require.Equal(t, enough, eachJudged(t.Context(), s, manifest.Blocks[0], stop))
	require.Equal(t, 2, calls)

	ctx, cancel := context.WithCancelCause(t.Context())
	err := EachRecord(ctx, s, manifest.Blocks[0], func([]rawlog.Record) error { cancel(enough); return nil })
	require.ErrorIs(t, err, enough)
	require.NotErrorIs(t, err, ErrCorrupt)
}

func TestAReaderVerifiesWhatItRead(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	_, manifest, _ := sealed(t, s, 600)
	for name, change := range map[string]func(*swap.BlockResult){
		"other outcomes": func(b *swap.BlockResult) { b.Outcomes = swap.OutcomeCounts{swap.OK: b.Planned} },
		"more planned":   func(b *swap.BlockResult) { b.Planned++ },
		"another block":  func(b *swap.BlockResult) { b.Block = 7 },
		"another hash":   func(b *swap.BlockResult) { b.Slices[0].Raw.SHA256 = manifest.Blocks[1].Slices[0].Raw.SHA256 },
		"another length": func(b *swap.BlockResult) { b.Slices[0].Raw.Bytes-- },
		"another shard":  func(b *swap.BlockResult) { b.Slices[0].Shard = 1 },
		"no slice":       func(b *swap.BlockResult) { b.Slices = nil },
		"a slice twice":  func(b *swap.BlockResult) { b.Slices = append(b.Slices, b.Slices[0]) },
		"another number": func(b *swap.BlockResult) { b.Slices[0].Raw.Rows-- },
	} {
		t.Run(name, func(t *testing.T) {
			b := manifest.Blocks[0]
			b.Slices = slices.Clone(b.Slices)
			change(&b)
			for _, each := range []func(context.Context, *Store, swap.BlockResult, func([]rawlog.Record) error) error{
				EachRecord, EachLeanRecord, eachJudged,
			} {
				require.ErrorIs(t, each(ctx, s, b, func([]rawlog.Record) error { return nil }), ErrCorrupt)
			}
		})
	}
}

// eachJudged is EachJudgedRecord of one block.
func eachJudged(ctx context.Context, s *Store, block swap.BlockResult, do func([]rawlog.Record) error) error {
	return EachJudgedRecord(ctx, s, []swap.BlockResult{block}, do)
}

// Whatever order and values sequence numbers have, each is new once.
func TestSequenceNumbersAreSeenOnce(t *testing.T) {
	numbers := []int32{0, 1, 4095, 4096, -1, -4096, -4097, 1<<31 - 1, -1 << 31, 70_000}
	set := seqSet{}
	for _, n := range numbers {
		require.True(t, set.add(n), n)
	}
	slices.Reverse(numbers)
	for _, n := range numbers {
		require.False(t, set.add(n), n)
	}
}

func TestReadStepFindsDamage(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	l := openLog(t, s, "one", patient(t))
	for _, p := range plans(1) {
		drive(t, l, p, requests(p, 10))
	}
	manifest, _, err := l.Finish(ctx, plans(1), asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	for name, change := range map[string]func(*swap.StepManifest){
		"a block twice": func(m *swap.StepManifest) { m.Blocks[1] = m.Blocks[0] },
		"tables exchanged": func(m *swap.StepManifest) {
			m.Blocks[0].Slices, m.Blocks[1].Slices = m.Blocks[1].Slices, m.Blocks[0].Slices
		},
		"other counts":           func(m *swap.StepManifest) { m.Blocks[0].Planned = 11 },
		"another table's hash":   func(m *swap.StepManifest) { m.Blocks[0].Slices[0].Raw.SHA256 = m.Blocks[1].Slices[0].Raw.SHA256 },
		"another number of rows": func(m *swap.StepManifest) { m.Blocks[0].Slices[0].Raw.Rows++ },
	} {
		t.Run(name, func(t *testing.T) {
			damaged := manifest
			damaged.Blocks = append([]swap.BlockResult(nil), manifest.Blocks...)
			for i := range damaged.Blocks {
				damaged.Blocks[i].Slices = slices.Clone(damaged.Blocks[i].Slices)
			}
			change(&damaged)
			ref, err := PutJSON(ctx, s, "damaged.json", schemaManifest, damaged)
			require.NoError(t, err)
			_, _, err = ReadStep(ctx, s, ref)
			require.ErrorIs(t, err, ErrCorrupt)
		})
	}
}
