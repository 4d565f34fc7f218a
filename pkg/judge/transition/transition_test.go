package transition

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

const msec = time.Millisecond

var asked = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// answered is a good request: sent, first token after ttft, and the gaps between its tokens.
func answered(sent, ttft time.Duration, gaps ...time.Duration) rawlog.Record {
	first := ttft.Microseconds()
	last, n := first, int32(1)
	r := rawlog.Record{SentUnixNS: asked.Add(sent).UnixNano(), Outcome: string(swap.OK), FirstUS: &first, Chunks: int32(1 + len(gaps))}
	for _, g := range gaps {
		r.ChunkGapsUS = append(r.ChunkGapsUS, g.Microseconds())
		last += g.Microseconds()
		n++
	}
	r.LastUS, r.EndUS, r.OutputTokens, r.Measured = &last, &last, &n, true
	return r
}

// failed is a request that failed after some time.
func failed(sent, after time.Duration) rawlog.Record {
	us := after.Microseconds()
	return rawlog.Record{SentUnixNS: asked.Add(sent).UnixNano(), EndUS: &us, Outcome: string(swap.HTTP5xx)}
}

func of(served time.Duration, span [2]time.Duration, records ...rawlog.Record) swap.Transition {
	return Of(records, swap.ModelSwap{Asked: asked, Served: asked.Add(served)}, Span{From: asked.Add(span[0]), To: asked.Add(span[1])})
}

func TestPhasesAndWhatTheSwapCaught(t *testing.T) {
	never := rawlog.Record{PlannedUnixNS: asked.Add(time.Second).UnixNano(), Outcome: string(swap.Abandoned)}
	refused := rawlog.Record{PlannedUnixNS: asked.Add(50 * msec).UnixNano(), Outcome: string(swap.ConnectFailed)}
	cut := answered(900*msec, 20*msec)
	cut.Outcome = string(swap.Abandoned)
	got := of(200*msec, [2]time.Duration{-time.Second, time.Second},
		answered(-1100*msec, 10*msec), // before the span
		answered(-500*msec, 10*msec, 10*msec),
		answered(-100*msec, 20*msec, 300*msec, 10*msec), // caught, and held up
		failed(-20*msec, 50*msec),                       // caught, and lost
		refused,
		answered(100*msec, 150*msec),
		answered(300*msec, 40*msec),
		cut, never,
	)
	require.Equal(t, 3, got.Before.Requests)
	require.Equal(t, swap.OutcomeCounts{swap.OK: 1, swap.ConnectFailed: 1}, got.During.Outcomes)
	require.Equal(t, swap.OutcomeCounts{swap.OK: 1, swap.Abandoned: 1}, got.After.Outcomes)
	require.InDelta(t, 1000, got.Before.DurationMS, 0)
	require.InDelta(t, 200, got.During.DurationMS, 0)
	require.InDelta(t, 800, got.After.DurationMS, 0)
	require.InDelta(t, 15, got.Before.TTFTP50ms.Or(0), 1e-9)
	require.InDelta(t, 150, got.During.TTFTP50ms.Or(0), 1e-9)

	require.Equal(t, 2, got.Spanning.Requests)
	require.Equal(t, swap.OutcomeCounts{swap.OK: 1, swap.HTTP5xx: 1}, got.Spanning.Outcomes)
	require.InDelta(t, 300, got.Spanning.LongestGapMS.Or(0), 1e-9)

	require.Equal(t, &swap.ErrorBurst{
		Count: 2, FromMS: 30, ToMS: 50, Outcomes: swap.OutcomeCounts{swap.HTTP5xx: 1, swap.ConnectFailed: 1},
	}, got.Errors)
	require.InDelta(t, -80, got.Stall.FromMS, 1e-9)
	require.InDelta(t, 300, got.Stall.DurationMS, 1e-9)
	require.Equal(t, 2, got.Stall.InFlight)
	for _, r := range got.Recovery {
		require.False(t, r.AfterMS.Valid())
		require.Contains(t, r.Message, "No band")
	}
}

func TestNothingHappened(t *testing.T) {
	got := of(0, [2]time.Duration{-time.Second, time.Second})
	require.Nil(t, got.Errors)
	require.Nil(t, got.Stall)
	require.False(t, got.Before.TTFTP50ms.Valid())
	require.False(t, got.Before.LongestGapMS.Valid())
}

func TestTheLargestBurstIsReported(t *testing.T) {
	got := of(time.Second, [2]time.Duration{-5 * time.Second, 10 * time.Second},
		failed(-2*time.Second, 0), failed(-2*time.Second, 0), failed(-2*time.Second, 0), // before
		failed(0, 100*msec), failed(100*msec, 200*msec), // two
		failed(2*time.Second, 0), failed(2500*msec, 0), failed(3400*msec, 0), // three, each within a second of the last
		failed(6*time.Second, 0),
	)
	require.Equal(t, 3, got.Errors.Count)
	require.InDelta(t, 2000, got.Errors.FromMS, 0)
	require.InDelta(t, 3400, got.Errors.ToMS, 0)
}

func TestIdleTimeIsNoStall(t *testing.T) {
	got := of(0, [2]time.Duration{-time.Second, 10 * time.Second},
		answered(100*msec, 20*msec), answered(5*time.Second, 30*msec), failed(7*time.Second, 400*msec))
	require.InDelta(t, 400, got.Stall.DurationMS, 1e-9, "a request that waits in vain waits all the same")
	require.InDelta(t, 7000, got.Stall.FromMS, 1e-9)
}

// traffic is a load of 50 requests per second from −20 s to 20 s; change edits a request by when it was sent.
func traffic(seed uint64, change func(at time.Duration, r *rawlog.Record)) []rawlog.Record {
	rng := rand.New(rand.NewPCG(seed, 7))
	var out []rawlog.Record
	for at := -20 * time.Second; at < 20*time.Second; at += time.Duration(rng.ExpFloat64() * 20 * float64(msec)) {
		ttft := time.Duration(25 * math.Exp(0.2*rng.NormFloat64()) * float64(msec))
		gap := time.Duration(4 * math.Exp(0.05*rng.NormFloat64()) * float64(msec))
		r := answered(at, ttft, gap, gap, gap)
		if change != nil {
			change(at, &r)
		}
		out = append(out, r)
	}
	return out
}

var wide = [2]time.Duration{-20 * time.Second, 20 * time.Second}

func find(t *testing.T, got swap.Transition, m swap.Metric) swap.Recovery {
	t.Helper()
	for _, r := range got.Recovery {
		if r.Metric == m {
			return r
		}
	}
	require.Fail(t, "no such metric")
	return swap.Recovery{}
}

// scale makes the first token of a record later by a factor.
func scale(r *rawlog.Record, by float64) {
	first := int64(float64(*r.FirstUS) * by)
	shift := first - *r.FirstUS
	last := *r.LastUS + shift
	*r = rawlog.Record{
		SentUnixNS: r.SentUnixNS, Outcome: r.Outcome, FirstUS: &first, LastUS: &last, EndUS: &last, Chunks: r.Chunks,
		ChunkGapsUS: r.ChunkGapsUS, OutputTokens: r.OutputTokens,
	}
}

func TestRecovery(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(at time.Duration, r *rawlog.Record)
		metric  swap.Metric
		back    float64 // −1 for never
		settled float64
		words   string
	}{
		"nothing changes": {metric: swap.MetricTTFT, words: "never left"},
		"slow for three seconds": {func(at time.Duration, r *rawlog.Record) {
			if at > 0 && at < 3*time.Second {
				scale(r, 3)
			}
		}, swap.MetricTTFT, 3000, 3000, "was back at its level before the swap"},
		"a slower model": {func(at time.Duration, r *rawlog.Record) {
			if at > 0 {
				scale(r, 1.5)
			}
		}, swap.MetricTTFT, -1, 0, "stayed at a new level"},
		"a slower model after a cold start": {func(at time.Duration, r *rawlog.Record) {
			switch {
			case at > 2*time.Second:
				scale(r, 1.5)
			case at > 0:
				scale(r, 5)
			}
		}, swap.MetricTTFT, -1, 2000, "stayed at a new level"},
		"worse and worse": {func(at time.Duration, r *rawlog.Record) {
			if at > 0 {
				scale(r, 1+at.Seconds())
			}
		}, swap.MetricTTFT, -1, -1, "did not come back"},
		"errors for two seconds are latency too": {func(at time.Duration, r *rawlog.Record) {
			if at > 0 && at < 2*time.Second {
				*r = failed(at, msec)
			}
		}, swap.MetricTTFT, 2000, 2000, "was back"},
		"errors for two seconds": {func(at time.Duration, r *rawlog.Record) {
			if at > 0 && at < 2*time.Second {
				*r = failed(at, msec)
			}
		}, swap.MetricErrorRate, 2000, 2000, "was back"},
		"slow tokens alone leave the first alone": {func(at time.Duration, r *rawlog.Record) {
			if at > 0 {
				*r = answered(at, micro(*r.FirstUS), 9*msec, 9*msec)
			}
		}, swap.MetricTTFT, 0, 0, "never left"},
		"slow tokens": {func(at time.Duration, r *rawlog.Record) {
			if at > 0 && at < 4*time.Second {
				*r = answered(at, micro(*r.FirstUS), 9*msec, 9*msec)
			}
		}, swap.MetricTPOT, 4000, 4000, "was back"},
	} {
		t.Run(name, func(t *testing.T) {
			got := find(t, of(100*msec, wide, traffic(1, tc.change)...), tc.metric)
			require.Contains(t, got.Message, tc.words)
			width, ok := got.BinMS.Get()
			require.True(t, ok)
			for _, v := range []struct {
				got  swap.Value
				want float64
			}{{got.AfterMS, tc.back}, {got.SettledMS, tc.settled}} {
				if tc := v.want; tc < 0 {
					require.False(t, v.got.Valid(), "%s", v.got)
				} else {
					require.InDelta(t, tc, v.got.Or(math.Inf(1)), width, got.Message)
				}
			}
		})
	}
}

func TestTooLittleSeenIsNotBack(t *testing.T) {
	short := find(t, of(100*msec, [2]time.Duration{-20 * time.Second, 2 * time.Second}, traffic(1, nil)...), swap.MetricTTFT)
	require.True(t, short.AfterMS.Valid(), "ten bins are enough for in the band")
	short = find(t, of(100*msec, [2]time.Duration{-20 * time.Second, time.Second}, traffic(1, nil)...), swap.MetricTTFT)
	require.False(t, short.AfterMS.Valid())
	require.Contains(t, short.Message, "observe for longer")
	few := find(t, of(100*msec, [2]time.Duration{-time.Second, 20 * time.Second}, traffic(1, nil)...), swap.MetricTTFT)
	require.False(t, few.AfterMS.Valid())
	require.Contains(t, few.Message, "No band")
}

// A server to which nothing happens must hardly ever be said to have left its band: at most 2 % of 60 times for each metric.
func TestUnchangedServersRarelySeemToLeave(t *testing.T) {
	const runs = 60
	left := map[swap.Metric]int{}
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 9))
		records := traffic(seed+100, func(at time.Duration, r *rawlog.Record) {
			if rng.Float64() < 0.01 {
				*r = failed(at, msec)
			}
		})
		all := requests(records, asked.UnixNano(), wide[0])
		for _, m := range watched {
			if r := recovery(m, all, wide[0], wide[1]); r.AfterMS.Or(math.Inf(1)) > 0 {
				left[r.Metric]++
			}
		}
	}
	for _, m := range watched {
		t.Logf("%s: %d of %d", m, left[m], runs)
		require.LessOrEqual(t, left[m], runs/50, "%s", m)
	}
}

func TestPropertiesOfAnyRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var records []rawlog.Record
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			at := time.Duration(rapid.Int64Range(-2000, 2000).Draw(t, "at")) * msec
			d := time.Duration(rapid.Int64Range(0, 1500).Draw(t, "d")) * msec
			if rapid.Bool().Draw(t, "good") {
				records = append(records, answered(at, d, d/2))
			} else {
				records = append(records, failed(at, d))
			}
		}
		got := of(500*msec, [2]time.Duration{-2 * time.Second, 2001 * msec}, records...)
		n := 0
		for _, p := range []swap.TransitionPhase{got.Before, got.During, got.After} {
			require.Equal(t, p.Requests, p.Outcomes.Total())
			require.GreaterOrEqual(t, p.LongestGapMS.Or(0), 0.0)
			n += p.Requests
		}
		require.Len(t, records, n)
		if got.Stall != nil {
			require.GreaterOrEqual(t, got.Stall.DurationMS, 0.0)
		}
	})
}
