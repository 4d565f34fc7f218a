package load

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

func grouped(t *testing.T, topology swap.Topology) *workload.Generator {
	t.Helper()
	g, err := workload.New(swap.Workload{
		API: swap.APIChat, InputTokens: swap.Lengths{Median: 20}, OutputTokens: swap.Lengths{Median: 10},
		PromptCache: swap.CacheSalted, Seed: 5, Topology: &topology,
	})
	require.NoError(t, err)
	return g
}

// onBlock drives one block of a step on synthetic time.
func onBlock(t *testing.T, s *fakeServer, g *workload.Generator, step swap.Step, length time.Duration, change func(*Options)) driven {
	t.Helper()
	var got driven
	synctest.Test(t, func(t *testing.T) {
		opt := options()
		if change != nil {
			change(&opt)
		}
		var err error
		got, err = drive(t.Context(), s, PlanBlock(g, step, 0, length, 1, 7, nil), opt)
		require.NoError(t, err)
		require.Len(t, got.Records, got.Planned)
		require.Equal(t, got.Planned, got.Outcomes.Total())
	})
	return got
}

func TestAStarIsSentAtOnce(t *testing.T) {
	for name, step := range map[string]swap.Step{"open": {Rate: 5}, "closed": {Concurrency: 2}} {
		t.Run(name, func(t *testing.T) {
			s := &fakeServer{answer: func(n int) (swap.Outcome, time.Duration) {
				return swap.OK, time.Duration(n%4+1) * 100 * time.Millisecond
			}}
			got := onBlock(t, s, grouped(t, swap.Topology{Shape: swap.ShapeStar, Size: 4}), step, 10*time.Second, nil)
			units := map[int32][]int64{}
			for _, r := range got.Records {
				require.Equal(t, r.Unit*4+r.Turn, r.Seq)
				units[r.Unit] = append(units[r.Unit], r.SentUnixNS)
			}
			require.NotEmpty(t, units)
			for _, sent := range units {
				require.Len(t, sent, 4)
				require.Equal(t, slices.Min(sent), slices.Max(sent))
			}
		})
	}
}

func TestChainsFollowTheirAnswers(t *testing.T) {
	for _, shape := range []swap.Shape{swap.ShapeSession, swap.ShapeRing} {
		for name, step := range map[string]swap.Step{"open": {Rate: 2}, "closed": {Concurrency: 2}} {
			t.Run(string(shape)+" "+name, func(t *testing.T) {
				s := &fakeServer{answer: always(swap.OK, 200*time.Millisecond)}
				think := swap.Duration(300 * time.Millisecond)
				got := onBlock(t, s, grouped(t, swap.Topology{Shape: shape, Size: 3, ThinkTime: think}), step, 20*time.Second, nil)
				ended := map[int32]int64{}
				turns := map[int32]int{}
				for _, r := range got.Records {
					if r.Turn > 0 {
						require.GreaterOrEqual(t, r.SentUnixNS, ended[r.Seq-1], "after the turn before")
					}
					ended[r.Seq] = r.SentUnixNS + *r.EndUS*1000
					turns[r.Turn]++
				}
				require.InDelta(t, turns[0], turns[2], 6, "units that begin near the end stay unfinished")
				require.GreaterOrEqual(t, turns[1], turns[2])
			})
		}
	}
}

// A conversation ends with the first answer that is missing; what was not asked was not planned.
func TestAChainEndsWithAFailure(t *testing.T) {
	s := &fakeServer{answer: always(swap.HTTP5xx, 10*time.Millisecond)}
	got := onBlock(t, s, grouped(t, swap.Topology{Shape: swap.ShapeSession, Size: 3}), swap.Step{Rate: 5}, 10*time.Second, nil)
	for _, r := range got.Records {
		require.Zero(t, r.Turn)
	}
}

// T45: 1 s of service, 10 places, 20 requests/s. The wait in the client's queue grows; the server's latency does not.
func TestRateAboveTheCapIsHeld(t *testing.T) {
	s := &fakeServer{answer: always(swap.OK, time.Second)}
	constant := &swap.Arrival{Process: swap.ArrivalConstant}
	got := onBlock(t, s, generator(t), swap.Step{Rate: 20, MaxInFlight: 10, Arrival: constant}, 30*time.Second, nil)
	require.Len(t, got.Records, 600)
	require.Equal(t, int64(10), s.peak.Load())
	require.InDelta(t, 300, got.Outcomes[swap.OK], 10)
	for _, r := range got.Records {
		if r.SentUnixNS == 0 {
			require.Equal(t, heldBack, r.Error)
			continue
		}
		require.Equal(t, int64(1_000_000), *r.FirstUS)
		require.InDelta(t, max(0, float64(r.Seq)*50_000-500_000), float64(r.HeldUS), 1_000_000)
		require.InDelta(t, r.LateUS, r.HeldUS, 10, "the client itself was not late")
	}
}

func TestARequestDoesNotWaitLongerThanItMayTake(t *testing.T) {
	s := &fakeServer{answer: always(swap.OK, 2*time.Second)}
	got := onBlock(t, s, generator(t), swap.Step{Rate: 5, MaxInFlight: 1}, 10*time.Second, func(o *Options) { o.Timeout = 4 * time.Second })
	require.Positive(t, got.Outcomes[swap.TimeoutFirst])
	require.Positive(t, got.Outcomes[swap.OK])
}

func TestTokenRateIsKept(t *testing.T) {
	limit := &swap.TokenRate{Limit: 300, Burst: swap.Duration(200 * time.Millisecond)} // 10 requests/s of 30 tokens
	for name, step := range map[string]swap.Step{"open": {Rate: 30, TokenRate: limit}, "closed": {Concurrency: 8, TokenRate: limit}} {
		t.Run(name, func(t *testing.T) {
			g, err := workload.New(swap.Workload{
				API: swap.APIChat, InputTokens: swap.Lengths{Median: 20}, OutputTokens: swap.Lengths{Median: 10}, Seed: 5,
			})
			require.NoError(t, err)
			got := onBlock(t, &fakeServer{answer: always(swap.OK, time.Millisecond)}, g, step, 10*time.Second, nil)
			require.InDelta(t, 100, got.Outcomes[swap.OK], 4)
			if step.Concurrency > 0 {
				require.Len(t, got.Records, got.Outcomes[swap.OK], "a slot without tokens plans nothing")
			}
			for _, r := range got.Records {
				require.Equal(t, r.SentUnixNS == 0, r.Error == heldBack)
			}
		})
	}
}

func TestABlockLetsNoMoreGoThanItsTokens(t *testing.T) {
	limit := &swap.TokenRate{Limit: 5, Burst: swap.Duration(time.Millisecond)} // 50 tokens in 10 s
	g, err := workload.New(swap.Workload{
		API: swap.APIChat, InputTokens: swap.Lengths{Median: 20}, OutputTokens: swap.Lengths{Median: 10}, Seed: 5,
	})
	require.NoError(t, err)
	step := swap.Step{Concurrency: 4, ThinkTime: swap.Duration(10 * time.Millisecond), TokenRate: limit}
	got := onBlock(t, &fakeServer{answer: always(swap.OK, time.Millisecond)}, g, step, 10*time.Second, nil)
	require.Len(t, got.Records, 1, "30 tokens have accrued after 6 s")
	got = onBlock(t, &fakeServer{answer: always(swap.OK, time.Millisecond)}, g, step, 5*time.Second, nil)
	require.Empty(t, got.Records)
}

func TestThinkTimeLowersTheLoad(t *testing.T) {
	s := &fakeServer{answer: always(swap.OK, 100*time.Millisecond)}
	step := swap.Step{Concurrency: 10, ThinkTime: swap.Duration(900 * time.Millisecond)}
	got := onBlock(t, s, generator(t), step, 60*time.Second, nil)
	require.InDelta(t, 600, len(got.Records), 80, "10 slots, one request in 1 s each")
}

// The slices of a plan are disjoint and together the plan, whatever its kind; each shard's prompts are those of the whole.
func TestShardsTogetherAreThePlan(t *testing.T) {
	star := grouped(t, swap.Topology{Shape: swap.ShapeStar, Size: 3})
	cases := map[string]struct {
		g    *workload.Generator
		step swap.Step
	}{
		"open":   {generator(t), swap.Step{Rate: 40}},
		"star":   {star, swap.Step{Rate: 10}},
		"closed": {generator(t), swap.Step{Concurrency: 7}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := func() *fakeServer { return &fakeServer{answer: always(swap.OK, 500*time.Millisecond)} }
			whole := onBlock(t, server(), c.g, c.step, 10*time.Second, nil)
			var all []rawlog.Record
			for i := range 4 {
				part := onBlock(t, server(), c.g, c.step, 10*time.Second, func(o *Options) { o.Shard = Shard{i, 4} })
				for _, r := range part.Records {
					require.Equal(t, int32(i), r.Shard)
				}
				all = append(all, part.Records...)
			}
			require.Len(t, all, len(whole.Records))
			seen := map[int32]bool{}
			for _, r := range all {
				require.False(t, seen[r.Seq])
				seen[r.Seq] = true
			}
			if c.step.Rate > 0 {
				for _, r := range whole.Records {
					require.True(t, seen[r.Seq])
				}
			}
		})
	}
}

func TestAReplayTakesItsLengthsFromTheRecording(t *testing.T) {
	lengths := func(i int) (int, int) { return 100 + i, 10 + i }
	replay := &Replay{Gaps: arrival.Gaps{time.Second, 2 * time.Second, time.Second}, Lengths: lengths}
	step := swap.Step{Rate: 5, Arrival: &swap.Arrival{Process: swap.ArrivalTrace}}
	g := generator(t)
	p := PlanBlock(g, step, 0, 10*time.Second, 1, 7, replay)
	require.NotEmpty(t, p.Arrivals)
	first := replay.Gaps.First(1, 7)
	for i := range p.Arrivals {
		_, out := lengths(replay.Gaps.Request(first, i))
		require.Equal(t, out, p.prompts.At(7, uint64(i)).MaxTokens)
	}
	require.NotEqual(t, p.SHA256, PlanBlock(g, step, 0, 10*time.Second, 1, 7, &Replay{Gaps: replay.Gaps}).SHA256)
}

func TestABlockBeginsWhenItIsTold(t *testing.T) {
	for name, step := range map[string]swap.Step{"open": {Rate: 20}, "closed": {Concurrency: 2}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opt := options()
				opt.Start = time.Now().Add(3 * time.Second)
				s := &fakeServer{answer: always(swap.OK, 100*time.Millisecond)}
				got, err := drive(context.Background(), s, PlanBlock(generator(t), step, 0, 2*time.Second, 1, 7, nil), opt)
				require.NoError(t, err)
				require.Equal(t, opt.Start, got.Started)
				for _, r := range got.Records {
					require.GreaterOrEqual(t, r.PlannedUnixNS, opt.Start.UnixNano())
				}
			})
		})
	}
}

// Slots begin one after another while nothing is measured yet, and at once where there is no such time.
func TestSlotsBeginOneAfterAnother(t *testing.T) {
	first := func(settle time.Duration) (sent []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			p := PlanBlock(generator(t), swap.Step{Concurrency: 10}, settle, 10*time.Second, 1, 7, nil)
			got, err := drive(t.Context(), &fakeServer{answer: always(swap.OK, 5*time.Second)}, p, options())
			require.NoError(t, err)
			for _, r := range got.Records[:10] {
				sent = append(sent, time.Duration(r.SentUnixNS-got.Started.UnixNano()))
			}
		})
		return sent
	}
	for i, at := range first(4 * time.Second) {
		require.Equal(t, time.Duration(i)*200*time.Millisecond, at)
	}
	require.Equal(t, make([]time.Duration, 10), first(0))
}
