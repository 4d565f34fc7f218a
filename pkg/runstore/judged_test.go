package runstore

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// judgedOnly is a record with nothing but its judged columns, none of them shared with r.
func judgedOnly(r rawlog.Record) rawlog.Record {
	return rawlog.Record{
		Step: r.Step, Block: r.Block, Pair: r.Pair, Seq: r.Seq, Shard: r.Shard, Arm: r.Arm, Measured: r.Measured,
		SentUnixNS: r.SentUnixNS, LateUS: r.LateUS, HeldUS: r.HeldUS, FirstUS: cloned(r.FirstUS), LastUS: cloned(r.LastUS),
		PromptTokens: cloned(r.PromptTokens), OutputTokens: cloned(r.OutputTokens), CachedTokens: cloned(r.CachedTokens),
		Outcome: r.Outcome, ConnReused: r.ConnReused, Quality: cloned(r.Quality),
	}
}

func cloned[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}

func drawRecord(t *rapid.T) rawlog.Record {
	offset := rapid.Ptr(rapid.Int64(), true)
	tokens := rapid.Ptr(rapid.Int32(), true)
	name := rapid.SampledFrom([]string{"", "baseline", "candidate", "ok", "http_5xx", "é"})
	whole, part := rapid.Int64(), rapid.Int32()
	return rawlog.Record{
		Step: part.Draw(t, "step"), Block: part.Draw(t, "block"), Pair: part.Draw(t, "pair"), Seq: part.Draw(t, "seq"),
		Shard: part.Draw(t, "shard"), Arm: name.Draw(t, "arm"), Measured: rapid.Bool().Draw(t, "measured"),
		SentUnixNS: whole.Draw(t, "sent"), LateUS: whole.Draw(t, "late"), HeldUS: whole.Draw(t, "held"),
		FirstUS: offset.Draw(t, "first"), LastUS: offset.Draw(t, "last"), PromptTokens: tokens.Draw(t, "prompt"),
		OutputTokens: tokens.Draw(t, "output"), CachedTokens: tokens.Draw(t, "cached"), Outcome: name.Draw(t, "outcome"),
		Quality: rapid.Ptr(rapid.Float64(), true).Draw(t, "quality"), ConnReused: rapid.Bool().Draw(t, "reused"),
		ChunkGapsUS: []int64{1, 2}, TraceID: "0af7", Error: "none",
	}
}

// tableOf is a table with a row group for each of groups.
func tableOf(t require.TestingT, groups ...[]rawlog.Record) []byte {
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[rawlog.Record](&buf, tableOptions(rawlog.Schema)...)
	for _, rows := range groups {
		require.NoError(t, writeRows(w, rows))
		require.NoError(t, w.Flush())
	}
	require.NoError(t, w.Close())
	return buf.Bytes()
}

func readJudged(data []byte, want int) (got []rawlog.Record, err error) {
	err = eachJudgedRow(bytes.NewReader(data), int64(len(data)), int64(want), func(rows []rawlog.Record) error {
		for _, r := range rows {
			if judged := judgedOnly(r); cmp.Diff(judged, r) != "" {
				return fmt.Errorf("a field beside the judged ones is set: %+v", r)
			}
			got = append(got, judgedOnly(r))
		}
		return nil
	})
	return got, err
}

// Whatever values there are and wherever they are null, the columns give the rows that were written.
func TestJudgedColumnsKeepEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(drawRecord), 1, 30), 1, 3).Draw(t, "groups")
		var want []rawlog.Record
		for _, rows := range groups {
			for _, r := range rows {
				want = append(want, judgedOnly(r))
			}
		}
		got, err := readJudged(tableOf(t, groups...), len(want))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got))
	})
}

// Many pages, and batches that end within one.
func TestJudgedColumnsGoOnOverPages(t *testing.T) {
	rows := requests(plans(1)[0], 30_000)
	want := make([]rawlog.Record, len(rows))
	for i, r := range rows {
		want[i] = judgedOnly(r)
	}
	got, err := readJudged(tableOf(t, rows[:20_001], rows[20_001:]), len(rows))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestJudgedColumnsOfOtherTables(t *testing.T) {
	type older struct {
		Step int32  `parquet:"step"`
		Arm  string `parquet:"arm"`
	}
	type retyped struct {
		Step int64 `parquet:"step"`
	}
	write := func(row any) []byte {
		var buf bytes.Buffer
		w := parquet.NewWriter(&buf, parquet.SchemaOf(row))
		require.NoError(t, w.Write(row))
		require.NoError(t, w.Close())
		return buf.Bytes()
	}
	got, err := readJudged(write(older{Step: 3, Arm: "baseline"}), 1)
	require.NoError(t, err)
	require.Equal(t, []rawlog.Record{{Step: 3, Arm: "baseline"}}, got, "columns that a table lacks are left zero")
	_, err = readJudged(write(retyped{Step: 3}), 1)
	require.ErrorContains(t, err, `column "step" has another type`)
	_, err = readJudged(write(older{}), 2)
	require.ErrorContains(t, err, "has 1 rows, expected 2")
}

func TestBlocksAreReadAtTheSameTime(t *testing.T) {
	s := newStore(t)
	_, manifest, all := sealed(t, s, 700)
	damaged := append([]swap.BlockResult{}, manifest.Blocks...)
	damaged[1].Planned++
	none := func([]rawlog.Record) error { return nil }
	require.ErrorIs(t, EachJudgedRecord(t.Context(), s, damaged, none), ErrCorrupt)
	require.NoError(t, EachJudgedRecord(t.Context(), s, nil, none))
	require.Len(t, all, 1400)
}

func FuzzJudgedColumns(f *testing.F) {
	const rows = 3
	data := tableOf(f, requests(plans(1)[0], rows))
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte("PAR1PAR1"))
	f.Add([]byte("PAR1\xdb\xca\xcf\x7fPAR1"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_ = eachJudgedRow(bytes.NewReader(data), int64(len(data)), rows, func([]rawlog.Record) error { return nil })
	})
}
