package judge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestTheManifestsDecideWhatCounts(t *testing.T) {
	at := func(step, block, pair int, arm swap.Arm) swap.BlockResult {
		return swap.BlockResult{
			BlockPlan: swap.BlockPlan{Step: step, Block: block, Pair: pair, Arm: arm}, MeasuredMS: 2500, Planned: 2,
			Outcomes: swap.OutcomeCounts{swap.OK: 2}, ScheduleSHA256: "s",
		}
	}
	manifests := []swap.StepManifest{
		{Step: 2, Blocks: []swap.BlockResult{at(2, 1, 1, swap.Candidate)}},
		{Step: 1, Blocks: []swap.BlockResult{at(1, 2, 1, swap.Candidate), at(1, 1, 1, swap.Baseline)}},
	}
	settling, unsealed := rawlog.Record{Step: 1, Block: 1}, rawlog.Record{Step: 1, Block: 9}
	measured := rawlog.Record{Step: 1, Block: 1, Measured: true}
	c := NewCollector(manifests)
	batch := []rawlog.Record{settling, unsealed}
	c.Add(batch)
	batch[0] = measured // a reader uses its batch again
	c.Add(batch[:1])
	var requests Requests
	requests.Append(&measured)
	want := []Block{
		{Step: 1, Block: 1, Pair: 1, Arm: swap.Baseline, Recorded: 2, Requests: requests},
		{Step: 1, Block: 2, Pair: 1, Arm: swap.Candidate},
		{Step: 2, Block: 1, Pair: 1, Arm: swap.Candidate},
	}
	for i := range want {
		want[i].MeasuredSeconds, want[i].ScheduleSHA256, want[i].Planned = 2.5, "s", 2
		want[i].Outcomes = swap.OutcomeCounts{swap.OK: 2}
	}
	require.Empty(t, cmp.Diff(want, c.Blocks(), cmp.AllowUnexported(Requests{}), cmpopts.EquateNaNs()))
}

func TestPairsWithoutTheirEqualAreLeftOut(t *testing.T) {
	block := func(step, pair int, arm swap.Arm, schedule string) Block {
		return Block{Step: step, Pair: pair, Arm: arm, ScheduleSHA256: schedule}
	}
	p := pairUp([]Block{
		block(1, 1, swap.Baseline, "a"), block(1, 1, swap.Candidate, "a"),
		block(1, 2, swap.Candidate, "b"), block(1, 2, swap.Baseline, "b"),
		block(1, 3, swap.Baseline, "c"), block(1, 3, swap.Candidate, "other"),
		block(1, 4, swap.Baseline, "d"),
		block(1, 5, swap.Baseline, "e"), block(1, 5, swap.Baseline, "e"),
		block(2, 1, swap.Baseline, "f"), block(2, 1, swap.Candidate, "f"),
	})
	require.Len(t, p.list, 3)
	require.Equal(t, 1, p.mismatched)
	require.Equal(t, 2, p.incomplete)
	require.Equal(t, 1, p.strata.Count(), "a step with one pair joins its neighbour")
}
