package load

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSummaries(t *testing.T) {
	step := swap.Step{Concurrency: 2, Hold: swap.Duration(20 * time.Second)}
	takes := map[swap.Arm]time.Duration{swap.Baseline: 100 * time.Millisecond, swap.Candidate: 200 * time.Millisecond}
	var tally StepTally
	hashes := map[int][]string{}
	for _, b := range BlockOrder(1, step, 10*time.Second) {
		synctest.Test(t, func(t *testing.T) {
			p := PlanBlock(generator(t), step, time.Second, 10*time.Second, 1, StreamOf(b))
			opt := options()
			opt.Block = b
			res, err := drive(t.Context(), &fakeServer{answer: always(swap.OK, takes[b.Arm])}, p, opt)
			require.NoError(t, err)
			got := Summarise(b, p, res)
			require.Equal(t, b, got.BlockPlan)
			require.Equal(t, int64(10_000), got.MeasuredMS)
			require.Equal(t, got.Planned, got.Outcomes.Total())
			require.InDelta(t, takes[b.Arm].Milliseconds(), got.TTFTP95ms.Or(0), 0.001)
			require.False(t, got.TPOTP50ms.Valid(), "all tokens of an answer came at once")
			hashes[b.Pair] = append(hashes[b.Pair], got.ScheduleSHA256)
			tally.Add(got, res.Records)
		})
	}
	for _, pair := range hashes {
		require.Equal(t, pair[0], pair[1])
	}
	r := tally.Result(1, step)
	require.Equal(t, 4, r.Blocks)
	require.Equal(t, "concurrency 2", r.Label)
	require.Equal(t, swap.PerArm[int]{Baseline: 440, Candidate: 220}, r.Planned)
	require.InDelta(t, 100, r.TTFTP95ms.Baseline.Or(0), 0.001)
	require.InDelta(t, 200, r.TTFTP95ms.Candidate.Or(0), 0.001)
	require.InEpsilon(t, 2, r.Throughput.Baseline.Or(0)/r.Throughput.Candidate.Or(1), 0.1)
}

func TestAnEmptyTallyHasNoNumbers(t *testing.T) {
	r := new(StepTally).Result(1, swap.Step{Rate: 1})
	require.False(t, r.TTFTP95ms.Baseline.Valid())
	require.False(t, r.Throughput.Candidate.Valid())
}
