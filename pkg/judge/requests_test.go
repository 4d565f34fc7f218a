package judge

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func anyRequest(t *rapid.T) rawlog.Record {
	offset := rapid.Ptr(rapid.Int64Range(0, 1e9), true)
	tokens := rapid.Ptr(rapid.Int32Range(0, 1e6), true)
	return rawlog.Record{
		SentUnixNS: rapid.Int64Range(0, 1).Draw(t, "sent"),
		LateUS:     rapid.Int64Range(0, 1e6).Draw(t, "late"), HeldUS: rapid.Int64Range(0, 1e6).Draw(t, "held"),
		FirstUS: offset.Draw(t, "first"), LastUS: offset.Draw(t, "last"),
		PromptTokens: tokens.Draw(t, "prompt"), OutputTokens: tokens.Draw(t, "output"), CachedTokens: tokens.Draw(t, "cached"),
		Outcome:    string(rapid.SampledFrom(swap.Outcomes).Draw(t, "outcome")),
		ConnReused: rapid.Bool().Draw(t, "reused"),
	}
}

func TestRequestsKeepWhatTheRecordsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(anyRequest), 0, 20).Draw(t, "records")
		var q Requests
		for i := range records {
			q.Append(&records[i])
		}
		require.Equal(t, len(records), q.Len())
		for i := range records {
			r := &records[i]
			require.Equal(t, r.Outcome, string(q.Outcome(i)))
			require.Equal(t, r.Good(), q.outcomes[i].good())
			for _, m := range []swap.Metric{
				swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E, swap.MetricOutputTokens,
			} {
				require.Equal(t, r.PerRequest(m), swap.Of(q.PerRequest(m)[i]), m)
			}
			require.Equal(t, r.ClientLate(), swap.Of(q.clientLate[i]))
			require.Equal(t, r.ConnReused, q.connReused[i])
			require.Equal(t, r.PromptTokens == nil, math.IsNaN(q.promptTokens[i]))
			require.Equal(t, r.CachedTokens == nil, math.IsNaN(q.cachedTokens[i]))
		}
		require.Nil(t, q.PerRequest(swap.MetricThroughput))
	})
}

func TestOutcomesAreCountedByName(t *testing.T) {
	var q Requests
	for _, o := range []swap.Outcome{swap.OK, swap.OKNoDone, swap.HTTP5xx, swap.Abandoned, "of another version", swap.OK} {
		q.Append(&rawlog.Record{Outcome: string(o)})
	}
	tally, counts := q.count(), swap.OutcomeCounts{}
	tally.addTo(counts)
	require.Equal(t, swap.OutcomeCounts{
		swap.OK: 2, swap.OKNoDone: 1, swap.HTTP5xx: 1, swap.Abandoned: 1, unknownOutcome: 1,
	}, counts)
	failed, finished := tally.failures()
	require.Equal(t, []int{2, 5}, []int{failed, finished})
}
