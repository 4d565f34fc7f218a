package calibration

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/truth"
	"github.com/swapgate/swapgate/pkg/swap"
)

const arrived = int64(1_700_000_000_000_000_000)

func us(v int64) *int64 { return &v }

// entry is a request whose tokens were written so many µs after its arrival.
func entry(id string, tokensUS ...int64) truth.Entry {
	e := truth.Entry{TraceParent: "00-" + id + "-b-01", ArrivalUnixNS: arrived, TokensUS: tokensUS, Status: 200}
	if len(tokensUS) > 0 {
		e.FirstUS = &tokensUS[0]
	}
	return e
}

// record is a request that was sent so many µs before it arrived, with its first token and gaps in µs.
func record(id string, before, first int64, gaps ...int64) rawlog.Record {
	return rawlog.Record{
		TraceID: id, Measured: true, Outcome: string(swap.OK), SentUnixNS: arrived - before*1e3,
		FirstUS: us(first), ChunkGapsUS: gaps, Chunks: int32(len(gaps) + 1),
	}
}

func TestCompare(t *testing.T) {
	settling := record("a", 0, 99_000)
	settling.Measured = false
	unanswered := record("a", 0, 0)
	unanswered.FirstUS, unanswered.Chunks = nil, 0
	for name, test := range map[string]struct {
		records               []rawlog.Record
		truths                []truth.Entry
		mean, ttftP99, tokens swap.Value
	}{
		"nothing": {},
		"exact": {
			[]rawlog.Record{record("a", 0, 20_000, 10_000)},
			[]truth.Entry{entry("a", 20_000, 30_000)},
			swap.Of(0), swap.Of(0), swap.Of(0),
		},
		"the way there counts for TTFT, the way back for both": {
			[]rawlog.Record{record("a", 1000, 23_000, 10_000)},
			[]truth.Entry{entry("a", 20_000, 30_000)},
			swap.Of(3), swap.Of(3), swap.Of(2),
		},
		"a token that is seen late is seen early in the next gap": {
			[]rawlog.Record{record("a", 0, 20_000, 14_000, 6000)},
			[]truth.Entry{entry("a", 20_000, 30_000, 40_000)},
			swap.Of(0), swap.Of(0), swap.Of(4),
		},
		"too early is an error too": {
			[]rawlog.Record{record("a", 0, 17_000)},
			[]truth.Entry{entry("a", 20_000)},
			swap.Of(-3), swap.Of(-3), swap.Of(3),
		},
		"requests are matched by trace": {
			[]rawlog.Record{record("b", 0, 40_000), record("a", 0, 20_000)},
			[]truth.Entry{entry("a", 20_000), entry("b", 39_000)},
			swap.Of(.5), swap.Of(1), swap.Of(1),
		},
		"an answer that was cut off counts as far as it was seen": {
			[]rawlog.Record{record("a", 0, 21_000)},
			[]truth.Entry{entry("a", 20_000, 90_000)},
			swap.Of(1), swap.Of(1), swap.Of(1),
		},
		"settle time, silence and strangers are left out": {
			[]rawlog.Record{settling, unanswered, record("x", 0, 1)},
			[]truth.Entry{entry("a", 20_000), entry("y")},
			swap.Absent(), swap.Absent(), swap.Absent(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Compare(test.records, test.truths)
			requireValue(t, test.mean, got.TTFTErrorMeanMS)
			requireValue(t, test.ttftP99, got.TTFTErrorP99MS)
			requireValue(t, test.tokens, got.TokenErrorP99MS)
		})
	}
}

// requireValue allows for the buckets of a histogram.
func requireValue(t *testing.T, want, got swap.Value) {
	t.Helper()
	require.Equal(t, want.Valid(), got.Valid())
	require.InDelta(t, want.Or(0), got.Or(0), .02*max(want.Or(0), 0)+1e-6)
}

// Whatever is sent and written when: a client that sees every token by a fixed time late has just that error.
func TestAConstantErrorIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		late := rapid.Int64Range(1, 1e6).Draw(t, "late")
		before := rapid.Int64Range(0, 1e6).Draw(t, "before")
		gaps := rapid.SliceOf(rapid.Int64Range(0, 1e6)).Draw(t, "gaps")
		tokens := []int64{rapid.Int64Range(0, 1e6).Draw(t, "first")}
		for _, gap := range gaps {
			tokens = append(tokens, tokens[len(tokens)-1]+gap)
		}
		r := record("a", before, before+tokens[0]+late, gaps...)
		truths := []truth.Entry{entry("a", tokens...)}
		require.NoError(t, Verify([]rawlog.Record{r}, truths))
		got := Compare([]rawlog.Record{r}, truths)
		want := float64(late) / 1e3
		require.InEpsilon(t, want, got.TokenErrorP99MS.Or(0), .011)
		require.InEpsilon(t, want+float64(before)/1e3, got.TTFTErrorMeanMS.Or(0), 1e-9)
		require.Equal(t, len(tokens), got.Tokens)
	})
}

func TestTheRecordsOwnSignalsAreKept(t *testing.T) {
	r := record("a", 0, 20_000, 10_000)
	r.LateUS, r.HeldUS, r.KernelStamped, r.LagUS = 7000, 5000, 1, us(3000)
	got := Compare([]rawlog.Record{r}, nil)
	require.Equal(t, 1, got.Requests)
	require.Equal(t, 2, got.Tokens)
	requireValue(t, swap.Of(2), got.SendLatenessP99MS)
	requireValue(t, swap.Of(3), got.LagP99MS)
	require.Equal(t, swap.Of(.5), got.KernelStamped)
	require.Equal(t, swap.Of(1), got.RateAchieved)
}

func TestVerify(t *testing.T) {
	failed := record("a", 0, 1)
	failed.Outcome = string(swap.ConnectFailed)
	truths := []truth.Entry{entry("a", 1, 2)}
	for name, test := range map[string]struct {
		record rawlog.Record
		kind   error
		says   string
	}{
		"alike":             {record("a", 0, 1, 1), nil, ""},
		"a token too few":   {record("a", 0, 1), ErrMisread, "saw 1 tokens"},
		"a token too many":  {record("a", 0, 1, 1, 1), ErrMisread, "saw 3 tokens"},
		"never asked":       {record("b", 0, 1, 1), ErrMisread, "does not know of it"},
		"nothing came back": {failed, ErrSilent, "none of 1 requests was answered"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Verify([]rawlog.Record{test.record}, truths)
			if test.kind == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, test.kind)
			require.ErrorContains(t, err, test.says)
		})
	}
}
