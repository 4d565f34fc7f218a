package load

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func options() Options {
	return Options{
		Block: swap.BlockPlan{Step: 1, Block: 3, Arm: swap.Candidate, Pair: 2}, Model: "m", RunSalt: "run", Timeout: time.Minute, Meter: &Meter{},
	}
}

// Open loop: a server that takes 30 s to answer changes no send.
func TestOpenLoopIsNeverSlowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{answer: always(swap.OK, 30*time.Second)}
		p := PlanBlock(generator(t), swap.Step{Rate: 20}, 2*time.Second, 8*time.Second, 1, 7, nil)
		began := time.Now()
		res, err := drive(t.Context(), s, p, options())
		require.NoError(t, err)
		require.Len(t, res.Records, len(p.Arrivals))
		require.Equal(t, int64(len(p.Arrivals)), s.peak.Load(), "all in flight together")
		require.Equal(t, 8*time.Second, res.Measured)
		require.Less(t, time.Since(began), 41*time.Second)
		for i, r := range res.Records {
			require.Zero(t, r.LateUS)
			require.Equal(t, res.Started.Add(p.Arrivals[i]).UnixNano(), r.PlannedUnixNS)
			require.Equal(t, p.Arrivals[i] >= 2*time.Second, r.Measured)
		}
	})
}

func TestClosedLoopKeepsItsConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{answer: always(swap.OK, time.Second)}
		p := PlanBlock(generator(t), swap.Step{Concurrency: 4}, 2*time.Second, 8*time.Second, 1, 7, nil)
		res, err := drive(t.Context(), s, p, options())
		require.NoError(t, err)
		require.Equal(t, int64(4), s.peak.Load())
		require.Len(t, res.Records, 40)
		require.Equal(t, 8*time.Second, res.Measured)
		measured := 0
		for _, r := range res.Records {
			if r.Measured {
				measured++
			}
		}
		require.Equal(t, 32, measured)
		require.InDelta(t, 40, rawlog.Throughput(res.Records, res.Measured).Or(0), 8, "4 requests/s of about 10 tokens")
	})
}

// A server that refuses at once is not flooded.
func TestClosedLoopPausesAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{answer: always(swap.HTTP5xx, time.Millisecond)}
		p := PlanBlock(generator(t), swap.Step{Concurrency: 2}, 0, 10*time.Second, 1, 7, nil)
		res, err := drive(t.Context(), s, p, options())
		require.NoError(t, err)
		require.Equal(t, swap.OutcomeCounts{swap.HTTP5xx: 200}, rawlog.Outcomes(res.Records))
	})
}

// T36, T37, T49: whatever happens, planned is the sum of the outcomes, and a failure has no latency.
func TestEveryPlannedRequestIsAccountedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{answer: func(n int) (swap.Outcome, time.Duration) {
			if n%5 == 0 {
				return swap.HTTP429, 2 * time.Millisecond
			}
			return swap.OK, 300 * time.Millisecond
		}}
		opt := options()
		seen := 0
		opt.OnRecord = func(*rawlog.Record) { seen++ }
		p := PlanBlock(generator(t), swap.Step{Rate: 50}, 0, 10*time.Second, 1, 7, nil)
		res, err := drive(t.Context(), s, p, opt)
		require.NoError(t, err)
		require.Equal(t, len(p.Arrivals), seen)
		counts := rawlog.Outcomes(res.Records)
		require.Equal(t, len(p.Arrivals), counts.Total())
		require.InDelta(t, 0.2, float64(counts.Failed())/float64(counts.Total()), 0.01)
		require.InDelta(t, 300, rawlog.Quantile(res.Records, swap.MetricTTFT, 0.01).Or(0), 0.001)
		require.InDelta(t, 300, rawlog.Quantile(res.Records, swap.MetricTTFT, 0.99).Or(0), 0.001)
	})
}

func TestCancelStopsAtOnce(t *testing.T) {
	for name, step := range map[string]swap.Step{"open": {Rate: 100}, "closed": {Concurrency: 8}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				why := errors.New("operator asked")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5*time.Second, func() { cancel(why) })
				s := &fakeServer{answer: always(swap.OK, 2*time.Second)}
				p := PlanBlock(generator(t), step, time.Second, 20*time.Second, 1, 7, nil)
				began := time.Now()
				res, err := drive(ctx, s, p, options())
				require.ErrorIs(t, err, why)
				require.LessOrEqual(t, time.Since(began), 6*time.Second)
				require.InDelta(t, 4*time.Second, res.Measured, float64(Lead))
				counts := rawlog.Outcomes(res.Records)
				require.Equal(t, len(res.Records), counts.Total())
				require.Positive(t, counts[swap.Abandoned])
				require.Positive(t, counts[swap.OK])
				if p.Open() {
					require.Len(t, res.Records, len(p.Arrivals))
					last := res.Records[len(res.Records)-1]
					require.Zero(t, last.SentUnixNS)
					require.Equal(t, string(swap.Abandoned), last.Outcome)
				}
			})
		})
	}
}

func TestCancelBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := PlanBlock(generator(t), swap.Step{Rate: 100}, 0, time.Second, 1, 7, nil)
	res, err := run(ctx, &fakeServer{}, p, options())
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, swap.OutcomeCounts{swap.Abandoned: len(p.Arrivals)}, rawlog.Outcomes(res.Records))
}

// The two blocks of a pair send the same work at the same times, each behind its own salt.
func TestBothArmsGetTheSameWork(t *testing.T) {
	var bodies, salts [2][]string
	for k, arm := range swap.Arms {
		synctest.Test(t, func(t *testing.T) {
			s := &fakeServer{answer: always(swap.OK, time.Millisecond)}
			opt := options()
			opt.Block.Arm = arm
			p := PlanBlock(generator(t), swap.Step{Rate: 10}, 0, 5*time.Second, 1, StreamOf(opt.Block), nil)
			_, err := drive(t.Context(), s, p, opt)
			require.NoError(t, err)
			for _, a := range s.asks {
				salts[k] = append(salts[k], a.Prompt[:40])
				bodies[k] = append(bodies[k], a.Prompt[40:])
			}
		})
	}
	require.Equal(t, bodies[0], bodies[1])
	require.NotEqual(t, salts[0][0], salts[1][0])
}

func TestRecordOfARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{answer: always(swap.OK, 250*time.Millisecond)}
		p := PlanBlock(generator(t), swap.Step{Concurrency: 1}, 0, time.Second, 1, 7, nil)
		res, err := drive(t.Context(), s, p, options())
		require.NoError(t, err)
		r := res.Records[1]
		require.Equal(t, []int32{1, 3, 2, 1}, []int32{r.Step, r.Block, r.Pair, r.Seq})
		require.Equal(t, "candidate", r.Arm)
		require.Equal(t, int64(250_000), *r.FirstUS)
		require.Nil(t, r.HeadersUS)
		require.Len(t, r.TraceID, 32)
		require.Len(t, r.PromptSHA256, 64)
		require.Equal(t, "00-"+r.TraceID+"-", s.asks[1].TraceParent[:36])
		require.Equal(t, "-01", s.asks[1].TraceParent[52:])
		require.Equal(t, *r.OutputTokens, r.MaxTokens)
	})
}

// Through a gateway the record takes the arm that answered.
func TestArmFromTheGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{answer: always(swap.OK, time.Millisecond), arm: func(n int) string {
			return []string{"baseline", "candidate", ""}[n%3]
		}}
		opt := options()
		opt.Block.Arm = ""
		res, err := drive(t.Context(), s, PlanBlock(generator(t), swap.Step{Rate: 30}, 0, 10*time.Second, 1, 7, nil), opt)
		require.NoError(t, err)
		n := len(res.Records)
		require.InDelta(t, n/3, rawlog.WindowOf(res.Records, swap.Candidate).Requests, 1)
		require.InDelta(t, n/3, rawlog.Unattributed(res.Records), 1)
	})
}

func TestLostRecordsAreNoticed(t *testing.T) {
	cases := map[string]struct {
		seqs []int32
		lost bool
	}{
		"all":          {[]int32{1, 0}, false},
		"far apart":    {[]int32{100_000, 3}, false},
		"one missing":  {[]int32{0}, true},
		"one twice":    {[]int32{0, 0}, true},
		"one too many": {[]int32{0, 1, 2}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := ledger{outcomes: swap.OutcomeCounts{}}
			l.plans(2)
			for _, seq := range c.seqs {
				l.keep(&rawlog.Record{Seq: seq, Outcome: "ok"})
			}
			require.Equal(t, c.lost, errors.Is(l.check(), ErrLostRecords))
		})
	}
}
