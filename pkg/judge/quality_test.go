package judge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func qualityGate() swap.Gate {
	return swap.Gate{
		Metric: swap.MetricQuality, Stat: swap.StatMean, Margin: .01, Unit: swap.Absolute, Better: swap.HigherIsBetter,
	}
}

// scored gives the good answers of an arm a score of 1 with a probability, else 0. A share of them is decided by the prompt, which both
// arms of a pair have in common.
func (s *scene) scored(seed uint64, quality swap.PerArm[float64], byPrompt float64) {
	random := rand.New(rand.NewPCG(seed, 17))
	s.each(func(r *rawlog.Record) {
		if !r.Good() {
			return
		}
		prompt := rand.New(rand.NewPCG(seed, uint64(r.Step)<<40|uint64(r.Pair)<<20|uint64(r.Seq)))
		u, decided := prompt.Float64(), prompt.Float64() < byPrompt
		if !decided {
			u = random.Float64()
		}
		score := 0.
		if u < quality.Get(swap.Arm(r.Arm)) {
			score = 1
		}
		r.Quality = &score
	})
}

func judgeQuality(s scene, quality swap.PerArm[float64], byPrompt float64, gates ...swap.Gate) swap.Comparison {
	s.scored(s.seed, quality, byPrompt)
	return Decide(s.evidence(gates...))
}

func both(v float64) swap.PerArm[float64] { return swap.PerArm[float64]{Baseline: v, Candidate: v} }

func TestQualityIsJudged(t *testing.T) {
	s := usual()
	worse := judgeQuality(s, swap.PerArm[float64]{Baseline: .9, Candidate: .8}, .8, qualityGate())
	require.Equal(t, swap.Fail, worse.Decision)
	require.InDelta(t, -.1, worse.Gates[0].Change.Or(0), .02)
	require.InDelta(t, .9, worse.Gates[0].Baseline.Or(0), .02)
	require.Equal(t, "fraction", worse.Gates[0].Unit)
	require.Equal(t, 3600, worse.Gates[0].N.Baseline)
	require.Contains(t, worse.Gates[0].Reason.Message, "candidate's quality of the answers mean is ")
	require.Contains(t, worse.Gates[0].Reason.Message, " percentage points lower than the baseline's (")
	require.Equal(t, "the candidate's answers meet fewer of the expectations of their prompts than the baseline's", worse.Reasons[0].Message)

	same := judgeQuality(s, both(.9), .95, qualityGate())
	require.Equal(t, swap.Pass, same.Decision, same.Gates[0].Reason.Message)
	better := judgeQuality(s, swap.PerArm[float64]{Baseline: .8, Candidate: .9}, .8, qualityGate())
	require.Equal(t, swap.Pass, better.Decision)
	require.False(t, better.Gates[0].Regressed)

	// Where each arm answers a prompt anew by chance, pairs of 3,600 answers are too few for a point.
	open := judgeQuality(s, both(.9), 0, qualityGate())
	require.Equal(t, swap.Inconclusive, open.Decision)
	require.Equal(t, swap.ReasonNotDecided, open.Gates[0].Reason.Code)
	require.Greater(t, open.Gates[0].NeedBlocks, 24)
}

func TestQualityAgainstALimit(t *testing.T) {
	g := qualityGate()
	g.Margin, g.VS, g.Limit = 0, swap.AgainstSLO, .85
	require.Equal(t, swap.Pass, judgeQuality(usual(), both(.9), .5, g).Decision)
	c := judgeQuality(usual(), both(.8), .5, g)
	require.Equal(t, swap.Fail, c.Decision)
	require.Contains(t, c.Gates[0].Reason.Message, "below the limit of 85.00 %")
}

func TestQualityWithoutScoresIsNoData(t *testing.T) {
	for name, only := range map[string]swap.Arm{"none": "", "baseline": swap.Baseline, "candidate": swap.Candidate} {
		s := usual()
		s.scored(1, both(.9), 1)
		s.each(func(r *rawlog.Record) {
			if r.Arm != string(only) {
				r.Quality = nil
			}
		})
		c := Decide(s.evidence(qualityGate()))
		require.Equal(t, swap.Inconclusive, c.Decision, name)
		require.Equal(t, swap.ReasonNoData, c.Reasons[0].Code, name)
		require.Contains(t, c.Reasons[0].Message, "none of its answers has a score: write what a good answer is beside prompts", name)
	}
}

func TestPromptsWithoutExpectationAreLeftOut(t *testing.T) {
	s := usual()
	s.scored(1, both(.9), 1)
	s.each(func(r *rawlog.Record) {
		if r.Seq%3 == 0 {
			r.Quality = nil
		}
	})
	c := Decide(s.evidence(qualityGate()))
	require.Equal(t, swap.Pass, c.Decision, c.Reasons)
	require.Equal(t, 2400, c.Gates[0].N.Candidate)
	require.Empty(t, c.Findings, "they lack nothing")
}

func TestFailedRequestsHaveNoScore(t *testing.T) {
	s := usual()
	s.fails = .3
	c := judgeQuality(s, both(1), 1, qualityGate(), gate(swap.MetricErrorRate, swap.StatRate, .01))
	require.Equal(t, swap.Pass, c.Gates[0].Decision, "the error rate judges those")
	require.Equal(t, swap.Fail, c.Gates[1].Decision)
}

// What happened in none of the answers may still happen: a perfect score of few answers shows little.
func TestFewPerfectAnswersDoNotPass(t *testing.T) {
	for requests, want := range map[int]swap.Decision{10: swap.Inconclusive, 50: swap.Pass} {
		s := usual()
		s.steps, s.pairs, s.requests = 1, 20, requests
		c := judgeQuality(s, both(1), 1, qualityGate())
		require.Equal(t, want, c.Decision, "%d requests: %s", requests, c.Gates[0].Reason.Message)
		require.InDelta(t, -math.Log(.05)/float64(20*requests), c.Gates[0].High.Or(0), 1e-12)
		if want == swap.Inconclusive {
			require.Equal(t, 51, c.Gates[0].NeedBlocks, "500 answers show it with the usual power")
		}
	}
}

func TestQualityNeedsAnAbsoluteMargin(t *testing.T) {
	g := qualityGate()
	g.Unit = swap.Relative
	c := judgeQuality(usual(), both(.9), 1, g)
	require.Equal(t, swap.Inconclusive, c.Decision)
	require.True(t, strings.HasPrefix(c.Reasons[0].Message, "quality is compared as a difference"))
}

func TestRunToRunNoiseDoesNotTouchQuality(t *testing.T) {
	s := usual()
	s.scored(1, both(.9), .95)
	e := s.evidence(qualityGate())
	apart := e
	apart.RunToRun = .1
	require.Equal(t, Decide(e).Gates[0].High, Decide(apart).Gates[0].High)
}

// Swapping the arms mirrors the bounds, and a p-value agrees with its bound.
func TestQualityMirrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := unseenInterval{
			newWiderInterval(studentInterval{
				theta: rapid.Float64Range(-.2, .2).Draw(t, "theta"), se: rapid.Float64Range(0, .05).Draw(t, "se"), df: 20,
			}, []float64{-.05, 0, .05}), float64(rapid.IntRange(10, 10_000).Draw(t, "n")),
		}
		low, high := i.bounds(.95)
		inner, outer := i.interval.bounds(.95)
		require.Less(t, low, inner)
		require.Greater(t, high, outer)
		const step = 1e-6
		if p := i.pAbove(low - step); i.interval.pAbove(low-step) <= .05 {
			require.LessOrEqual(t, p, .0501)
		}
		require.GreaterOrEqual(t, i.pAbove(low+step), .0499)
		require.GreaterOrEqual(t, i.pBelow(high-step), .0499)
	})
}

func TestScoresTakeMemoryOnlyWhereThereAreSome(t *testing.T) {
	var q Requests
	score := .5
	for i := range 10 {
		r := rawlog.Record{Outcome: string(swap.OK)}
		if i == 6 {
			r.Quality = &score
		}
		q.Append(&r)
		require.Equal(t, i < 6, q.PerRequest(swap.MetricQuality) == nil)
	}
	got := q.PerRequest(swap.MetricQuality)
	require.Len(t, got, 10)
	for i, v := range got {
		require.Equal(t, i != 6, math.IsNaN(v))
	}
	require.InDelta(t, .5, got[6], 0)
}
