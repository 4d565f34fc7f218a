package recorded

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func settings() swap.Judge {
	return swap.Judge{Level: .95, Resamples: 499, MinBlocks: 10, MinTail: 30, Seed: 7}
}

func gates() []swap.Gate {
	return []swap.Gate{
		{Metric: swap.MetricTTFT, Stat: swap.StatP50, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter},
		{Metric: swap.MetricTTFT, Stat: swap.StatP95, Margin: .2, Unit: swap.Relative, Better: swap.LowerIsBetter},
		{Metric: swap.MetricTPOT, Stat: swap.StatMean, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter},
		{Metric: swap.MetricThroughput, Stat: swap.StatRate, Margin: .1, Unit: swap.Relative, Better: swap.HigherIsBetter},
		{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .02, Unit: swap.Absolute, Better: swap.LowerIsBetter},
	}
}

func options() Options { return Options{Gates: gates(), Settings: settings(), Noise: .03} }

// made is a run of n requests, of which every latency is slow times as long.
func made(seed uint64, n int, slow float64, timed bool) Run {
	random := rand.New(rand.NewPCG(seed, 5))
	requests := make([]Request, n)
	for i := range requests {
		ttft := slow * 100 * math.Exp(.2*random.NormFloat64())
		requests[i] = Request{
			TTFT: swap.Of(ttft), E2E: swap.Of(ttft + slow*10*99*math.Exp(.05*random.NormFloat64())),
			OutputTokens: swap.Of(100), PromptTokens: swap.Of(50), Outcome: swap.OK,
		}
		if timed {
			requests[i].Start = swap.Of(1e6 + .25*float64(i))
		}
	}
	return Run{
		Name: "run", Tool: "tool", Profile: "vllm", Stages: []Stage{NewStage(Level{Rate: 4}, requests, swap.Absent())},
	}
}

func judged(t *testing.T, baseline, candidate Run, o Options) swap.Verdict {
	t.Helper()
	v, err := Judge(swap.PerArm[Run]{Baseline: baseline, Candidate: candidate}, o)
	require.NoError(t, err)
	return v
}

func TestASlowerRunFailsAndTheOtherWayRoundPasses(t *testing.T) {
	fast, slow := made(1, 1200, 1, true), made(2, 1200, 1.6, true)
	v := judged(t, fast, slow, options())
	require.Equal(t, swap.Fail, v.Verdict, v.Summary)
	require.Equal(t, 20, v.Gates[0].Blocks)
	v = judged(t, slow, fast, options())
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	require.Len(t, v.Steps, 1)
	require.Equal(t, "4 req/s", v.Steps[0].Label)
	require.Equal(t, 1200, v.Steps[0].Planned.Candidate)
}

func TestEqualRunsPassWithinWideMarginsOnly(t *testing.T) {
	v := judged(t, made(1, 1200, 1, true), made(2, 1200, 1, true), options())
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	o := options()
	o.Noise = .2
	noisy := judged(t, made(1, 1200, 1, true), made(2, 1200, 1, true), o)
	require.Equal(t, swap.Inconclusive, noisy.Verdict, "a noise of 20 % hides any change of 10 %")
	require.Greater(t, noisy.Gates[0].High.Or(0), v.Gates[0].High.Or(0))
}

// Equal runs can pass by default gates, whose margins have room for the noise between runs; a slow one still fails.
func TestDefaultMarginsHaveRoomForTheNoise(t *testing.T) {
	o := options()
	o.OnlyMeasured, o.Gates = true, append(gates()[:1:1], gates()[3:]...)
	o.Gates[0].Margin, o.Gates[1].Margin = .05, .05
	v := judged(t, made(1, 4000, 1, true), made(2, 4000, 1, true), o)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	require.InDelta(t, .1, v.Gates[0].Gate.Margin, 1e-12)
	require.InDelta(t, .02, v.Gates[2].Gate.Margin, 1e-12)
	require.Contains(t, messages(v), "the default margins of ttft_p50, throughput were raised to 10 %")
	require.Equal(t, swap.Fail, judged(t, made(1, 4000, 1, true), made(2, 4000, 1.5, true), o).Verdict)
	o.OnlyMeasured = false
	v = judged(t, made(1, 4000, 1, true), made(2, 4000, 1.01, true), o)
	require.Equal(t, swap.Inconclusive, v.Verdict)
	require.Contains(t, v.Gates[0].Reason.Message, "the noise between runs alone takes the room within the margin")
	o.OnlyMeasured, o.Noise = true, 0
	require.InDelta(t, .05, judged(t, made(1, 4000, 1, true), made(2, 4000, 1, true), o).Gates[0].Gate.Margin, 1e-12)
}

func TestWithoutTimesBlocksAreStretchesOfTheFile(t *testing.T) {
	o := options()
	o.OnlyMeasured = true
	v := judged(t, made(1, 1200, 1, false), made(2, 1200, 1.6, false), o)
	require.Equal(t, swap.Fail, v.Verdict)
	require.Len(t, v.Gates, 4, "throughput is not known")
	require.Contains(t, messages(v), "neither run tells of throughput")
	require.Contains(t, messages(v), "recorded without blocks")
	o.OnlyMeasured = false
	v = judged(t, made(1, 1200, 1, false), made(2, 1200, 1, false), o)
	require.Equal(t, swap.Inconclusive, v.Verdict, "a gate that was asked for is not left out")
}

// A latency of 0 is no measurement: of many such nothing is decided, and a summary has no such figure.
func TestALatencyOfZeroIsMissing(t *testing.T) {
	for gate, zero := range map[string]func(*Request){
		"ttft_p50":  func(r *Request) { r.TTFT = swap.Of(0) },
		"tpot_mean": func(r *Request) { r.E2E = r.TTFT },
	} {
		zeroed := made(2, 1200, 1, true)
		requests := zeroed.Stages[0].Requests
		for i := range requests {
			if i%2 == 0 {
				zero(&requests[i])
			}
		}
		zeroed.Stages[0] = NewStage(Level{Rate: 4}, requests, swap.Absent())
		v := judged(t, made(1, 1200, 1, true), zeroed, options())
		require.Equal(t, swap.Inconclusive, v.Verdict)
		require.Contains(t, messages(v), "candidate: the good answers have 600 latencies of 0")
		for _, g := range v.Gates {
			if g.Name == gate {
				require.Equal(t, swap.ReasonPartialData, g.Reason.Code)
			}
		}
	}
	one := []Request{{TTFT: swap.Of(1), E2E: swap.Of(0), Outcome: swap.OK}}
	one = append(one, Request{TTFT: swap.Of(1), E2E: swap.Of(1), OutputTokens: swap.Of(1), Outcome: swap.OK})
	s := NewStage(Level{}, one, swap.Absent())
	require.Equal(t, 1, s.Zeros)
	require.False(t, s.Requests[0].E2E.Valid())
	require.Equal(t, swap.Of(1), s.Requests[1].E2E, "one token has no time between tokens")
	summary := NewSummary(Level{}, swap.Absent())
	summary.Figure("ttft_p50", swap.Of(0))
	require.Empty(t, summary.Summary)
}

// Other tools do not tell when a request was planned.
func TestTheTimeFromThePlanIsNotKnown(t *testing.T) {
	o := options()
	o.Gates = []swap.Gate{{Metric: swap.MetricTTFTScheduled, Stat: swap.StatP50, Margin: .5, Unit: swap.Relative, Better: swap.LowerIsBetter}}
	v := judged(t, made(1, 1200, 1, true), made(2, 1200, 1, true), o)
	require.Equal(t, swap.Inconclusive, v.Verdict)
	require.Equal(t, swap.ReasonNoData, v.Gates[0].Reason.Code)
	require.Equal(t, "candidate answered, but none of its answers has a time to first token from the planned send", v.Gates[0].Reason.Message)
}

func messages(v swap.Verdict) string {
	all := ""
	for _, f := range v.Findings {
		all += f.Subject + ": " + f.Message + "\n"
	}
	return all
}

func TestFewRequestsDecideNothing(t *testing.T) {
	for n := range 49 {
		v := judged(t, made(1, n+1, 1, true), made(2, n+1, 3, true), options())
		require.Equal(t, swap.Inconclusive, v.Verdict, n)
	}
}

func summarised(level Level, ttft float64) Stage {
	s := NewSummary(level, swap.Of(60))
	s.Count(swap.OK, 500)
	s.Figure("ttft_p50", swap.Of(ttft))
	return s
}

func TestSummariesShowTheChangeAndDecideNothing(t *testing.T) {
	baseline := Run{Name: "a", Profile: "vllm", Stages: []Stage{summarised(Level{Rate: 1}, 50), summarised(Level{Rate: 8}, 100)}}
	candidate := Run{Name: "b", Profile: "vllm", Stages: []Stage{summarised(Level{Rate: 8.05}, 200), summarised(Level{Rate: 9}, 1)}}
	v := judged(t, baseline, candidate, options())
	require.Equal(t, swap.Inconclusive, v.Verdict)
	require.InDelta(t, 1, v.Gates[0].Change.Or(0), 1e-12, "at the level that both have")
	require.Equal(t, swap.ReasonLowN, v.Gates[0].Reason.Code)
	require.Equal(t, swap.ReasonNoData, v.Gates[1].Reason.Code)
	require.False(t, v.Gates[0].High.Valid())
	require.Contains(t, messages(v), "only the baseline was measured at 1 req/s")
	require.Contains(t, messages(v), "only the candidate was measured at 9 req/s")
}

func TestOneRunOfSummariesIsComparedAsSummaries(t *testing.T) {
	measured := made(1, 1200, 1, true)
	v := judged(t, measured, Run{Profile: "vllm", Stages: []Stage{summarised(Level{Rate: 4}, 300)}}, options())
	require.Equal(t, swap.Inconclusive, v.Verdict)
	require.InDelta(t, 2, v.Gates[0].Change.Or(0), .1)
}

func TestNoCommonLevelIsAPlanMismatch(t *testing.T) {
	other := made(2, 1200, 1, true)
	other.Stages[0].Level = Level{Rate: 5}
	v := judged(t, made(1, 1200, 1, true), other, options())
	require.Equal(t, swap.Inconclusive, v.Verdict)
	require.Equal(t, swap.ReasonPlanMismatch, v.Reasons[0].Code)
	require.Contains(t, v.Reasons[0].Message, "the baseline's has 4 req/s, the candidate's 5 req/s")
	none := judged(t, Run{}, Run{}, options())
	require.Equal(t, swap.Inconclusive, none.Verdict)
}

func TestRunsOfTwoToolsAreRefused(t *testing.T) {
	other := made(2, 100, 1, true)
	other.Profile = "aiperf"
	_, err := Judge(swap.PerArm[Run]{Baseline: made(1, 100, 1, true), Candidate: other}, options())
	require.ErrorIs(t, err, ErrTools)
}

func TestOtherPromptsAreNoticed(t *testing.T) {
	other := made(2, 1200, 1, true)
	other.Stages[0].PromptTokens = swap.Of(60)
	require.Contains(t, messages(judged(t, made(1, 1200, 1, true), other, options())), "the runs did different work")
}

// Failures rank above every latency, so that a candidate cannot win by failing.
func TestAFailingRunDoesNotPass(t *testing.T) {
	failing := made(2, 1200, .5, true)
	for i := range failing.Stages[0].Requests {
		if i%10 == 0 {
			failing.Stages[0].Requests[i] = Request{Start: failing.Stages[0].Requests[i].Start, Outcome: swap.HTTP5xx}
		}
	}
	failing.Stages[0] = NewStage(Level{Rate: 4}, failing.Stages[0].Requests, swap.Absent())
	require.Equal(t, swap.Fail, judged(t, made(1, 1200, 1, true), failing, options()).Verdict)
}

func TestCuttingLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		starts := rapid.SliceOfN(rapid.Float64Range(0, 1000), n, n).Draw(t, "starts")
		requests := make([]Request, n)
		for i := range requests {
			requests[i] = Request{Start: swap.Of(starts[i]), E2E: swap.Of(10), TTFT: swap.Of(1), Outcome: swap.OK}
		}
		s := NewStage(Level{Concurrency: rapid.IntRange(0, 9).Draw(t, "c")}, requests, swap.Absent())
		blocks := s.cut(rapid.IntRange(1, n).Draw(t, "k"))
		total, seconds := 0, 0.0
		for _, b := range blocks {
			require.Positive(t, b.Requests.Len())
			require.GreaterOrEqual(t, b.MeasuredSeconds, 0.0)
			total += b.Requests.Len()
			seconds += b.MeasuredSeconds
		}
		require.Equal(t, n, total)
		require.InDelta(t, s.Seconds.Or(0), seconds, 1e-6)
	})
}

func TestSizesOfBlocks(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		level Level
		want  []int
	}{
		{13, 4, Level{Rate: 4}, []int{3, 3, 3, 4}},
		{13, 4, Level{Rate: 4, Concurrency: 5}, []int{3, 3, 3, 4}},
		{15, 4, Level{}, []int{3, 4, 4, 4}},
		{37, 3, Level{Concurrency: 5}, []int{10, 10, 17}},
		{37, 4, Level{Concurrency: 5}, []int{9, 9, 9, 10}},
		{47, 4, Level{Concurrency: 5}, []int{10, 10, 10, 17}},
		{9, 3, Level{Concurrency: 5}, []int{3, 3, 3}},
		{12, 3, Level{Concurrency: 1}, []int{4, 4, 4}},
	} {
		s := Stage{Level: c.level, Requests: make([]Request, c.n)}
		require.Equal(t, c.want, s.sizes(c.k))
	}
}

// A closed loop starts its requests in rounds, of which the first waits least. Cut into 20 blocks of 7 and 8 by turns, 150 requests of
// rounds of 5 would make the baseline differ from itself.
func TestRoundsOfAClosedLoopDoNotMakeARunDifferFromItself(t *testing.T) {
	rounds := func(seed uint64) Run {
		random := rand.New(rand.NewPCG(seed, 1))
		requests := make([]Request, 150)
		for i := range requests {
			ttft := 100 * (1 + float64(i%5)) * math.Exp(.05*random.NormFloat64())
			requests[i] = Request{Start: swap.Of(float64(i/5) + float64(i%5)/1e3), TTFT: swap.Of(ttft), E2E: swap.Of(ttft + 1), Outcome: swap.OK}
		}
		return Run{Name: "run", Profile: "vllm", Stages: []Stage{NewStage(Level{Concurrency: 5}, requests, swap.Absent())}}
	}
	o := options()
	o.Gates = gates()[:1]
	o.Gates[0].Stat = swap.StatMean
	for seed := range uint64(20) {
		v := judged(t, rounds(seed), rounds(seed+100), o)
		require.Equal(t, swap.Pass, v.Verdict, v.Summary)
		require.Equal(t, 15, v.Gates[0].Blocks)
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		a, b Level
		same bool
		text string
	}{
		{Level{Rate: 8}, Level{Rate: 8.07}, true, "8 req/s"},
		{Level{Rate: 8}, Level{Rate: 8.2}, false, "8 req/s"},
		{Level{Rate: 8, Concurrency: 16}, Level{Rate: 8}, false, "8 req/s, at most 16 in flight"},
		{Level{Concurrency: 4}, Level{Concurrency: 4}, true, "concurrency 4"},
		{Level{Concurrency: 4}, Level{}, false, "concurrency 4"},
		{Level{Name: "throughput"}, Level{Name: "throughput"}, true, "throughput"},
		{Level{}, Level{}, true, "unknown load"},
	} {
		require.Equal(t, c.same, c.a.Same(c.b), "%v %v", c.a, c.b)
		require.Equal(t, c.same, c.b.Same(c.a), "%v %v", c.b, c.a)
		require.Equal(t, c.text, c.a.String())
	}
}

func TestFailedBy(t *testing.T) {
	for text, want := range map[string]swap.Outcome{
		"HTTP Error 503: x": swap.HTTP5xx, "status_code=429": swap.HTTP429, "Bad Request": swap.HTTP4xx, "Service Unavailable": swap.HTTP5xx,
		"TimeoutError: ": swap.TimeoutTotal, "Connection refused by connect": swap.ConnectFailed, "ClientPayloadError": swap.ResetMidStream,
		"Server disconnected": swap.ResetMidStream, "something else 500 tokens": swap.StreamError, "": swap.StreamError,
	} {
		require.Equal(t, want, FailedBy(text), text)
	}
}

func TestProblemsAreToldAllAtOnceUpToABound(t *testing.T) {
	p := NewProblems("f.json")
	require.NoError(t, p.Err())
	for i := range 25 {
		p.Line = i + 1
		p.Add(Field("list", i, "x"), "do this", "is %d", i)
	}
	err := p.Err()
	require.ErrorContains(t, err, "f.json:1: list[0].x: is 0\nf.json:2: list[1].x: is 1\n")
	require.ErrorContains(t, err, "f.json: and 5 more problems")
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, []string{"do this"}, e.Next())
}
