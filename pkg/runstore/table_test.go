package runstore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// equal holds a missing list and an empty one to be the same, as Parquet does.
var equal = cmpopts.EquateEmpty()

func TestATableKeepsEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(anyRecord), 0, 5).Draw(t, "rows")
		o, err := tableObject(&Store{}, "table.parquet", rawlog.Schema, want)
		require.NoError(t, err)
		require.Equal(t, int64(len(want)), o.rows)
		got, err := decodeTable[rawlog.Record](o.data, o.rows)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got, equal))
	})
}

func anyRecord(t *rapid.T) rawlog.Record {
	optional := func(label string) *int64 { return rapid.Ptr(rapid.Int64(), true).Draw(t, label) }
	tokens := func(label string) *int32 { return rapid.Ptr(rapid.Int32(), true).Draw(t, label) }
	r := rawlog.Record{
		Step: rapid.Int32().Draw(t, "step"), Block: rapid.Int32().Draw(t, "block"), Seq: rapid.Int32().Draw(t, "seq"),
		Arm: rapid.String().Draw(t, "arm"), Measured: rapid.Bool().Draw(t, "measured"),
		PlannedUnixNS: rapid.Int64().Draw(t, "planned"), SentUnixNS: rapid.Int64().Draw(t, "sent"),
		LateUS: rapid.Int64().Draw(t, "late"), HeadersUS: optional("headers"), FirstUS: optional("first"),
		VisibleUS: optional("visible"), LastUS: optional("last"), EndUS: optional("end"),
		Pair: rapid.Int32().Draw(t, "pair"), Shard: rapid.Int32().Draw(t, "shard"), Unit: rapid.Int32().Draw(t, "unit"),
		Turn: rapid.Int32().Draw(t, "turn"), HeldUS: rapid.Int64().Draw(t, "held"), RoleUS: optional("role"),
		FinishUS: optional("finish"), LagUS: optional("lag"), Coalesced: rapid.Int32().Draw(t, "coalesced"),
		Keepalives: rapid.Int32().Draw(t, "keepalives"), KernelStamped: rapid.Int32().Draw(t, "stamped"),
		Work: rapid.Ptr(rapid.Float64(), true).Draw(t, "work"), MaxTokens: rapid.Int32().Draw(t, "max"),
		Status: rapid.Int32().Draw(t, "status"), FinishReason: rapid.String().Draw(t, "reason"),
		PromptSHA256: rapid.String().Draw(t, "sha"), Fingerprint: rapid.String().Draw(t, "fingerprint"),
		ChunkTokens: rapid.SliceOfN(rapid.Int32(), 0, 5).Draw(t, "chunk tokens"),
		Chunks:      rapid.Int32().Draw(t, "chunks"), PromptTokens: tokens("prompt"), OutputTokens: tokens("output"),
		CachedTokens: tokens("cached"), Outcome: string(rapid.SampledFrom(swap.Outcomes).Draw(t, "outcome")),
		Error: rapid.String().Draw(t, "error"), TraceID: rapid.String().Draw(t, "trace"), ConnReused: rapid.Bool().Draw(t, "reused"),
	}
	if gaps := rapid.SliceOfN(rapid.Int64(), 0, 5).Draw(t, "gaps"); len(gaps) > 0 {
		r.ChunkGapsUS = gaps
	}
	return r
}

func TestTablesOfOtherVersionsCanBeRead(t *testing.T) {
	type newer struct {
		Seq     int32   `parquet:"seq"`
		Arm     string  `parquet:"arm,dict"`
		Added   string  `parquet:"added_later"`
		FirstUS *int64  `parquet:"first_token_us,optional"`
		More    []int64 `parquet:"also_added"`
	}
	s, ctx := newStore(t), t.Context()
	us := int64(42)
	ref, err := WriteTable(ctx, s, "newer.parquet", "requests/v9", []newer{
		{Seq: 1, Arm: "baseline", Added: "x", FirstUS: &us, More: []int64{1, 2}}, {Seq: 2, Arm: "candidate"},
	})
	require.NoError(t, err)
	got, err := ReadTable[rawlog.Record](ctx, s, ref)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]rawlog.Record{
		{Seq: 1, Arm: "baseline", FirstUS: &us}, {Seq: 2, Arm: "candidate"},
	}, got, equal))
}

func TestManyRowsCrossTheReadersBatches(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	want := requests(plans(1)[0], 5000)
	ref, err := WriteTable(ctx, s, "many.parquet", rawlog.Schema, want)
	require.NoError(t, err)
	require.Equal(t, int64(5000), ref.Rows)
	require.Equal(t, rawlog.Schema, ref.Schema)
	got, err := ReadTable[rawlog.Record](ctx, s, ref)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, got))
}

func TestWhatIsNoTableIsCorrupt(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	for name, content := range map[string]string{"empty": "", "text": "hello", "magic only": "PAR1PAR1"} {
		t.Run(name, func(t *testing.T) {
			ref, err := s.PutBytes(ctx, "broken", ContentParquet, []byte(content), rawlog.Schema)
			require.NoError(t, err)
			_, err = ReadTable[rawlog.Record](ctx, s, ref)
			require.ErrorIs(t, err, ErrCorrupt)
		})
	}
	ref, err := s.PutBytes(ctx, "broken", ContentJSON, []byte("{"), "x/v1")
	require.NoError(t, err)
	_, err = GetJSON[swap.StepManifest](ctx, s, ref)
	require.ErrorIs(t, err, ErrCorrupt)
}

func FuzzDecodeTable(f *testing.F) {
	rows := requests(plans(1)[0], 3)
	o, err := tableObject(&Store{}, "k", rawlog.Schema, rows)
	require.NoError(f, err)
	f.Add(o.data)
	f.Add([]byte("PAR1PAR1"))
	f.Add(o.data[:len(o.data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decodeTable[rawlog.Record](data, 3)
		if err == nil {
			require.Len(t, got, 3)
		}
	})
}
