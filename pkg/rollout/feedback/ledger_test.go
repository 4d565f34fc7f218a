package feedback

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func second(s int) time.Time { return time.Unix(1_700_000_000+int64(s), 0).UTC() }

func ended(index, from, until int) swap.Window {
	return swap.Window{Index: index, Started: second(from), Ended: second(until)}
}

func sums(id string, s ...swap.FeedbackSum) swap.FeedbackBatch {
	return swap.FeedbackBatch{ID: id, Sums: s}
}

func conversions(arm swap.Arm, at, n int, sum float64) swap.FeedbackSum {
	return swap.FeedbackSum{Arm: arm, Kind: swap.FeedbackConversion, Time: second(at), N: n, Sum: sum}
}

func TestEventsCountToTheWindowOfTheirTime(t *testing.T) {
	l := Ledger{Grace: 30 * time.Second}
	l.Take(sums("a", conversions(swap.Baseline, 10, 4, 1), conversions(swap.Candidate, 65, 2, 1)))
	l.Close(ended(1, 0, 60))
	l.Take(sums("b", conversions(swap.Baseline, 20, 4, 3))) // within the grace
	require.Empty(t, l.Ripe(second(80)))
	ripe := l.Ripe(second(90))
	require.Equal(t, []swap.WindowFeedback{{
		Index: 1, Conversion: swap.PerArm[swap.Tally]{Baseline: swap.Tally{N: 8, Mean: swap.Of(.5)}},
	}}, ripe)
	require.Empty(t, l.Ripe(second(95)), "once")
	l.Take(sums("c", conversions(swap.Baseline, 30, 3, 3))) // late
	l.Take(sums("b", conversions(swap.Baseline, 20, 4, 3))) // again
	l.Close(ended(2, 64, 124))
	l.Take(sums("d", conversions(swap.Baseline, 62, 1, 1))) // between the windows
	ripe = l.Ripe(second(154))
	require.Len(t, ripe, 1)
	require.Equal(t, 2, ripe[0].Conversion.Candidate.N)
	require.False(t, ripe[0].Conversion.Baseline.Mean.Valid(), "no events are no conversion of 0")
	require.Equal(t, swap.FeedbackCounts{Counted: 10, Duplicates: 4, Late: 3, Outside: 1}, l.Counts)
}

// Every event is counted exactly once, whatever comes when, and nothing grows without end.
func TestNoEventIsLostUncounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Ledger{Grace: 20 * time.Second}
		now, index, sent, from := 0, 0, 0, 0
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			now += rapid.IntRange(0, 10).Draw(t, "later")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				index++
				l.Close(ended(index, from, now))
				from = now
			case 1:
				l.Ripe(second(now))
			default:
				n := rapid.IntRange(1, 9).Draw(t, "n")
				sent += n
				l.Take(sums(fmt.Sprint(i), conversions(swap.Candidate, now-rapid.IntRange(0, 100).Draw(t, "old"), n, 1)))
			}
		}
		waiting := 0
		for _, s := range l.ahead {
			waiting += s.N
		}
		c := l.Counts
		require.Equal(t, sent, c.Counted+c.Late+c.Outside+c.Dropped+waiting)
	})
}

func TestTheLedgerIsBounded(t *testing.T) {
	var l Ledger
	for i := range mostAhead + 10 {
		l.Take(sums(fmt.Sprint(i), conversions(swap.Baseline, i, 1, 0)))
	}
	require.Equal(t, 10, l.Counts.Dropped)
	require.LessOrEqual(t, len(l.batches), mostBatches)
}
