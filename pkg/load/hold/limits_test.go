package hold

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// bad makes a block of n good requests that each took ms, and of failures.
func bad(k, n, failures int, ms float64) Block {
	b := placed(k, order(k), slices.Repeat([]float64{ms}, n))
	b.Planned += failures
	b.Failed = failures
	b.Outcomes[swap.TimeoutFirst] = failures
	return b
}

func TestLimits(t *testing.T) {
	second := swap.Duration(time.Second)
	answered := func(b Block, n int, stretch float64) Block { b.Flow = flowing(b.Planned, n, stretch); return b }
	with := func(b Block, kv, gpu swap.Value) Block { b.KVUsage, b.GPUUtilization = kv, gpu; return b }
	abandoned := bad(1, 0, 0, 1)
	abandoned.Planned, abandoned.Outcomes = 40, swap.OutcomeCounts{swap.Abandoned: 40}
	tests := []struct {
		name   string
		limits swap.Limits
		step   swap.Step
		last   []Block
		says   string
	}{
		{"no limits", swap.Limits{}, swap.Step{Rate: 5}, []Block{with(bad(1, 0, 200, 1), swap.Of(1), swap.Of(1))}, ""},
		{
			"errors",
			swap.Limits{ErrorRate: .5},
			swap.Step{},
			[]Block{bad(1, 60, 140, 1)},
			"the candidate's error rate was 70 % in block 2 (140 of 200 requests failed); the limit is 50 %",
		},
		{"errors at the limit", swap.Limits{ErrorRate: .5}, swap.Step{}, []Block{bad(1, 95, 105, 1)}, ""},
		{"few errors in few requests", swap.Limits{ErrorRate: .5}, swap.Step{}, []Block{bad(1, 1, 4, 1)}, ""},
		{
			"small blocks add up",
			swap.Limits{ErrorRate: .5},
			swap.Step{},
			[]Block{bad(1, 3, 7, 1), bad(2, 3, 7, 1), bad(5, 3, 7, 1), bad(6, 3, 7, 1), bad(9, 3, 7, 1)},
			"the candidate's error rate was 70 % in its last 5 blocks (35 of 50 requests failed); the limit is 50 %",
		},
		{
			"all failed",
			swap.Limits{ErrorRate: .5},
			swap.Step{},
			[]Block{bad(1, 20, 0, 1), bad(2, 0, 3, 1)},
			"the candidate's error rate was 100 % in block 3 (3 of 3 requests failed); the limit is 50 %",
		},
		{"two that failed could be chance", swap.Limits{ErrorRate: .5}, swap.Step{}, []Block{bad(1, 0, 2, 1)}, ""},
		{"abandoned requests did not fail", swap.Limits{ErrorRate: .5}, swap.Step{}, []Block{abandoned}, ""},
		{
			"achieved rate",
			swap.Limits{AchievedRate: .9},
			swap.Step{Rate: 5},
			[]Block{answered(bad(1, 300, 0, 1), 180, 1)},
			"the candidate's achieved rate was 60 % of the planned rate in block 2 (180 of 300 requests ended well); the limit is 90 %",
		},
		{
			"answers that take longer and longer",
			swap.Limits{AchievedRate: .5},
			swap.Step{Rate: 5},
			[]Block{answered(bad(1, 300, 0, 1), 300, 2.5)},
			"the candidate's achieved rate was 40 % of the planned rate in block 2 (300 of 300 requests ended well; " +
				"their answers ended over 2.5 times the planned time); the limit is 50 %",
		},
		{
			"no answer at all",
			swap.Limits{AchievedRate: .5},
			swap.Step{Rate: 5},
			[]Block{answered(bad(1, 300, 0, 1), 300, 1), answered(bad(2, 3, 0, 1), 0, 1)},
			"the candidate's achieved rate was 0.0 % of the planned rate in block 3 (0 of 3 requests ended well); the limit is 50 %",
		},
		{
			"longer and longer, but fast enough",
			swap.Limits{AchievedRate: .5},
			swap.Step{Rate: 5},
			[]Block{answered(bad(1, 300, 0, 1), 300, 1.9)},
			"",
		},
		{
			"only those planned early were sent, at the pace at which they ended",
			swap.Limits{AchievedRate: .5},
			swap.Step{Rate: 5},
			[]Block{answered(bad(1, 300, 0, 1), 180, 1/.6)},
			"",
		},
		{"almost achieved", swap.Limits{AchievedRate: .9}, swap.Step{Rate: 5}, []Block{answered(bad(1, 300, 0, 1), 268, 1)}, ""},
		{"a closed loop has no rate", swap.Limits{AchievedRate: .9}, swap.Step{Concurrency: 5}, []Block{answered(bad(1, 300, 0, 1), 1, 1)}, ""},
		{
			"first token",
			swap.Limits{TTFTP95: second},
			swap.Step{},
			[]Block{bad(1, 100, 0, 1500)},
			"the candidate's P95 of TTFT was 1500 ms in block 2 (100 requests); the limit is 1s",
		},
		{
			"failed requests are the slowest",
			swap.Limits{TTFTP95: second},
			swap.Step{},
			[]Block{bad(1, 80, 20, 10)},
			"the candidate's P95 of TTFT was that of a failed request in block 2 " +
				"(100 requests, 20 of which failed and count as the worst); the limit is 1s",
		},
		{"five slow in a hundred", swap.Limits{TTFTP95: second}, swap.Step{}, []Block{bad(1, 93, 7, 10)}, ""},
		{"one slow request", swap.Limits{TTFTP95: second}, swap.Step{}, []Block{bad(1, 1, 0, 5000)}, ""},
		{
			"end to end",
			swap.Limits{E2EP95: second},
			swap.Step{},
			[]Block{bad(1, 100, 0, 1500)},
			"the candidate's P95 of E2E was 1500 ms in block 2 (100 requests); the limit is 1s",
		},
		{
			"cache",
			swap.Limits{KVUsage: .9},
			swap.Step{},
			[]Block{with(bad(1, 9, 0, 1), swap.Of(.97), swap.Absent())},
			"the candidate's KV cache was filled up to 97 % in block 2; the limit is 90 %",
		},
		{
			"gpu",
			swap.Limits{GPUUtilization: .9},
			swap.Step{},
			[]Block{with(bad(1, 9, 0, 1), swap.Absent(), swap.Of(.95))},
			"the candidate's GPU was in use up to 95 % in block 2; the limit is 90 %",
		},
		{"unknown usage", swap.Limits{KVUsage: .9, GPUUtilization: .9}, swap.Step{}, []Block{bad(1, 9, 0, 1)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := plain(6)
			p.Limits, p.Step = tt.limits, tt.step
			done := append([]Block{bad(0, 100, 0, 1)}, tt.last...)
			end, ended := decide(p, done)
			require.Equal(t, tt.says != "", ended, end.Message)
			if ended {
				require.Equal(t, swap.StepEnd{Code: swap.EndedLimit, Arm: swap.Candidate, Message: tt.says}, end)
			}
		})
	}
}

// A step whose latency is exactly at its limit, or below, is ended by chance no more often than the level allows.
func TestChanceHardlyEndsAStep(t *testing.T) {
	const runs = 100
	truth := process{requests: 60, sigma: 0.5}
	p := plain(10)
	ended := map[string]int{}
	for run := range uint64(runs) {
		g := truth.start(seeded(run))
		var done []Block
		for k := range 20 {
			done = append(done, placed(k, order(k), g.block()))
		}
		for name, limit := range map[string]time.Duration{"at": 910 * time.Millisecond, "far beyond": 500 * time.Millisecond} {
			p.Limits.TTFTP95 = swap.Duration(limit)
			end, _ := decide(p, done)
			ended[name] += asInt(end.Code == swap.EndedLimit)
		}
	}
	t.Log(ended)
	require.LessOrEqual(t, float64(ended["at"])/runs, 0.05, "400·exp(0.5·1.645) = 910 ms is the true P95")
	require.Equal(t, runs, ended["far beyond"])
}

func TestLowerRank(t *testing.T) {
	// The 95 % intervals of the P99 begin at these ranks (from 1).
	for n, rank := range map[int]int{368: 360, 1000: 983, 4000: 3947} {
		require.Equal(t, rank, lowerRank(n, 0.99, 0.025))
	}
	require.Zero(t, lowerRank(0, 0.95, 0.05))
	require.Zero(t, lowerRank(1, 0.95, 0.01))
	require.Equal(t, 1, lowerRank(2, 0.95, 0.01))
}
