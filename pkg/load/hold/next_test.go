package hold

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func plain(planned int) Plan {
	return Plan{Step: swap.Step{Concurrency: 8}, Blocks: planned, Block: 30 * time.Second, Level: 0.95}
}

// healthy makes the first n blocks of a step without faults.
func healthy(n int, p process) []Block {
	g := p.start(seeded(1))
	done := make([]Block, n)
	for k := range done {
		done[k] = placed(k, order(k), g.block())
	}
	return done
}

func TestAStepEndsWithItsPlannedBlocks(t *testing.T) {
	done := healthy(8, typical(20))
	p := plain(3)
	for k := range done {
		end, ended := decide(p, done[:k])
		require.Equal(t, k >= 6, ended, "%d blocks", k)
		if ended {
			require.Equal(t, swap.StepEnd{Code: swap.EndedPlanned}, end)
		}
	}
}

func TestTheEndOfAProlongedStep(t *testing.T) {
	noTail := typical(40)
	drifting := typical(400)
	drifting.drift = 0.08
	outage := typical(400)
	outage.transient, outage.fade = 3, 300
	tests := []struct {
		name          string
		arms          swap.PerArm[process]
		rule          swap.SteadyRule
		planned, most int
		code          swap.EndCode
		blocks        int
		says          []string
	}{
		{
			"steady", both(typical(400)), swap.SteadyTrend, 4, 20, swap.EndedSteady, 0,
			[]string{"the tail is steady after", "the baseline's P99 of TTFT is 1", "without a trend, the candidate's"},
		},
		{
			"a longer plan than it needs", both(typical(400)), swap.SteadyTrend, 25, 30, swap.EndedSteady, 25,
			[]string{"the tail is steady after 25 blocks on each arm"},
		},
		{
			"too few requests", both(noTail), swap.SteadyTrend, 4, 10, swap.EndedMaxHold, 10,
			[]string{
				"not steady after the longest hold of 10 blocks",
				"the baseline's P99 of TTFT needs at least 600 more requests (400 of 1000); the candidate's",
			},
		},
		{
			"too few blocks", both(typical(1000)), swap.SteadyTrend, 4, 5, swap.EndedMaxHold, 5,
			[]string{"the baseline's trend cannot be told before it has 6 blocks"},
		},
		{
			"one arm drifts",
			swap.PerArm[process]{Baseline: typical(400), Candidate: drifting},
			swap.SteadyTrend, 4, 16,
			swap.EndedMaxHold, 16,
			[]string{"the candidate's P50 of TTFT rises from block to block (Kendall's τ +0.", "; the other arm is steady"},
		},
		{
			"a cold beginning",
			swap.PerArm[process]{Baseline: outage, Candidate: typical(400)},
			swap.SteadyTrend, 4, 16,
			swap.EndedMaxHold, 16,
			[]string{"the baseline's P", "(block 1 alone has", "of the slowest requests)"},
		},
		{
			"the longest hold is shorter than the plan", both(noTail), swap.SteadyTrend, 6, 2, swap.EndedMaxHold, 6, nil,
		},
		{
			"cv", both(typical(400)), swap.SteadyCV, 4, 20, swap.EndedSteady, 0,
			[]string{"P99 of TTFT varies by", "over its last 4 blocks"},
		},
		{
			"cv with one planned block", both(typical(400)), swap.SteadyCV, 1, 2, swap.EndedMaxHold, 2,
			[]string{"cannot be compared before it has 3 blocks"},
		},
		{
			"cv on small blocks", both(process{requests: 30, sigma: 1}), swap.SteadyCV, 5, 8, swap.EndedMaxHold, 8,
			[]string{
				"not by less than 15 % (with 30 requests a block, chance alone makes a steady P99 vary by about 34 %; " +
					"the cv rule needs 155 or more)",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := extended(tt.rule, tt.planned, tt.most)
			done, end := drive(p, tt.arms, seeded(4))
			t.Log(end.Message)
			require.Equal(t, tt.code, end.Code)
			require.Empty(t, end.Arm)
			if tt.blocks > 0 {
				require.Len(t, done, 2*tt.blocks)
			}
			for _, words := range tt.says {
				require.Contains(t, end.Message, words)
			}
			again, _ := decide(p, done)
			require.Equal(t, end, again)
		})
	}
}

func TestABlockWithoutRequestsIsNotSteady(t *testing.T) {
	for _, rule := range []swap.SteadyRule{swap.SteadyTrend, swap.SteadyCV} {
		p := extended(rule, 4, 4)
		done := make([]Block, 8)
		for k := range done {
			done[k] = placed(k, order(k), nil)
		}
		end, _ := decide(p, done)
		require.Equal(t, swap.EndedMaxHold, end.Code)
	}
}

func drawPlan(t *rapid.T) Plan {
	p := extended(rapid.SampledFrom([]swap.SteadyRule{swap.SteadyTrend, swap.SteadyCV}).Draw(t, "rule"),
		rapid.IntRange(1, 8).Draw(t, "planned"), rapid.IntRange(1, 12).Draw(t, "most"))
	if rapid.Bool().Draw(t, "plain") {
		p.Extend = nil
	}
	if rapid.Bool().Draw(t, "limited") {
		p.Limits = swap.Limits{ErrorRate: 0.3, TTFTP95: swap.Duration(700 * time.Millisecond)}
	}
	return p
}

// drawBlocks makes a step in which any block may have failures and be slow.
func drawBlocks(t *rapid.T) []Block {
	p := typical(rapid.SampledFrom([]int{0, 3, 60, 250}).Draw(t, "requests"))
	p.drift = rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "drift")
	g := p.start(seeded(rapid.Uint64().Draw(t, "seed")))
	done := make([]Block, rapid.IntRange(1, 26).Draw(t, "blocks"))
	for k := range done {
		b := placed(k, order(k), g.block())
		b.Failed = rapid.SampledFrom([]int{0, 0, 0, 2, 40}).Draw(t, "failed")
		b.Planned += b.Failed
		b.Outcomes[swap.HTTP5xx] = b.Failed
		done[k] = b
	}
	return done
}

func TestAnEndIsFinal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, done := drawPlan(t), drawBlocks(t)
		course := Begin(p)
		var before *swap.StepEnd
		for k, b := range done {
			course.Add(b)
			end, ended := course.End()
			switch {
			case before != nil && end != *before:
				t.Fatalf("after %d blocks %+v, before %+v", k+1, end, before)
			case before == nil && ended:
				before = &end
				checkEnd(t, p, done[:k+1], end)
			}
		}
		require.Len(t, course.Blocks(), len(done))
	})
}

func TestAnArmBreaksALimitInItsLatestBlock(t *testing.T) {
	p := plain(9)
	p.Limits.ErrorRate = .5
	c := Begin(p)
	require.False(t, c.Breaks(swap.Baseline))
	for k, failures := range []int{100, 0, 0} {
		c.Add(bad(k, 10, failures, 1))
	}
	require.True(t, c.Breaks(swap.Baseline))
	require.False(t, c.Breaks(swap.Candidate))
}

// Of what a step has measured, only what its rules look at again is kept.
func TestLatenciesThatNobodyLooksAtAreLetGo(t *testing.T) {
	p := plain(9)
	p.Limits.TTFTP95 = swap.Duration(time.Hour)
	c := Begin(p)
	c.Add(bad(0, 10, 0, 1))
	require.Len(t, c.done[0].TTFT, 10)
	require.Empty(t, c.done[0].E2E)
	c = Begin(plain(9))
	c.Add(bad(0, 10, 0, 1))
	require.Empty(t, c.done[0].TTFT)
}

func checkEnd(t *rapid.T, p Plan, done []Block, end swap.StepEnd) {
	pairs := len(done) / 2
	if end.Code == swap.EndedLimit {
		if end.Arm != done[len(done)-1].Arm || end.Message == "" || p.Limits == (swap.Limits{}) {
			t.Fatalf("a limit without a cause: %+v", end)
		}
		return
	}
	if len(done)%2 != 0 || pairs < p.Blocks || pairs > p.mostBlocks() {
		t.Fatalf("%s after %d blocks of %d to %d pairs", end.Code, len(done), p.Blocks, p.mostBlocks())
	}
	if (end.Code == swap.EndedPlanned) != (p.Extend == nil) || (end.Message == "") != (p.Extend == nil) {
		t.Fatalf("%+v", end)
	}
}
