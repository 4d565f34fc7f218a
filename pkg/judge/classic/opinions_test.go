package classic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// everyRule with its defaults.
func everyRule() []swap.OpinionRule {
	return []swap.OpinionRule{
		{Rule: swap.RuleFivePercent, Metric: swap.MetricTTFT, Stat: swap.StatP99},
		{Rule: swap.RuleThreeEight, Metric: swap.MetricTTFT, Stat: swap.StatP99},
		{Rule: swap.RuleKSAdaptive, Metric: swap.MetricTTFT, Filter: swap.RuleIQRFilter},
		{Rule: swap.RuleCVR99, Metric: swap.MetricTTFT, CV: .15},
		{Rule: swap.RuleHybrid, Metric: swap.MetricTTFT, Stat: swap.StatP99},
		{Rule: swap.RuleSecondDiff},
		{Rule: swap.RuleErrors3x},
	}
}

// scene is a load stage; slower multiplies the candidate's latencies, failures are those of its last block.
type scene struct {
	steps, pairs, requests int
	slower                 float64
	failures               int
	noise                  float64
}

func usual() scene { return scene{steps: 3, pairs: 16, requests: 200, slower: 1, noise: .3} }

func (s scene) blocks() []judge.Block {
	random := rand.New(rand.NewPCG(5, 7))
	var blocks []judge.Block
	for step := range s.steps {
		for block := range 2 * s.pairs {
			arm := swap.Arms[(block+block/2)%2]
			b := judge.Block{Step: step + 1, Block: block + 1, Pair: block/2 + 1, Arm: arm, MeasuredSeconds: 10}
			last := step == s.steps-1 && block >= 2*s.pairs-2
			for i := range s.requests {
				b.Requests.Append(s.record(random, step, arm, last && arm == swap.Candidate && i < s.failures))
			}
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func (s scene) record(random *rand.Rand, step int, arm swap.Arm, fails bool) *rawlog.Record {
	if fails {
		return &rawlog.Record{Arm: string(arm), Outcome: string(swap.HTTP5xx), SentUnixNS: 1}
	}
	ttft := 100 * math.Exp(s.noise*random.NormFloat64())
	if arm == swap.Candidate {
		ttft *= s.slower
	}
	// The tokens of a step make the throughput 2000, 3000 and 3500 tok/s.
	tokens := int32(4000-2000/(1<<step)) / 20
	first := int64(1e3 * ttft)
	last := first + 1e6
	return &rawlog.Record{Arm: string(arm), Outcome: string(swap.OK), SentUnixNS: 1, FirstUS: &first, LastUS: &last, OutputTokens: &tokens}
}

func (s scene) opinions(rules ...swap.OpinionRule) []swap.Opinion {
	curve := swap.Capacity{}
	for step := range s.steps {
		curve.Steps = append(curve.Steps, step+1)
	}
	return Opinions(rules, s.blocks(), []swap.Capacity{{Steps: []int{1}}, curve})
}

func says(opinions []swap.Opinion) map[swap.RuleName]swap.Says {
	m := map[swap.RuleName]swap.Says{}
	for _, o := range opinions {
		m[o.Rule] = o.Says
	}
	return m
}

func TestOpinionsOfEqualArms(t *testing.T) {
	opinions := usual().opinions(everyRule()...)
	for _, o := range opinions {
		t.Logf("%s %s %s: %s", o.Rule, o.Subject, o.Says, o.Message)
		require.NotEmpty(t, o.Weakness)
		require.True(t, o.Value.Valid() && o.Threshold.Valid(), o.Rule)
	}
	require.Equal(t, map[swap.RuleName]swap.Says{
		swap.RuleFivePercent: swap.SaysSilent, swap.RuleThreeEight: swap.SaysSilent, swap.RuleKSAdaptive: swap.SaysSilent,
		swap.RuleCVR99: swap.SaysSilent, swap.RuleHybrid: swap.SaysFires, swap.RuleSecondDiff: swap.SaysFires,
		swap.RuleErrors3x: swap.SaysSilent,
	}, says(opinions))
	require.Equal(t, []string{
		"ttft_p99", "ttft_p99", "ttft after classic_iqr_p995", "ttft_p99", "ttft_p99", "throughput", "error_rate",
	}, subjects(opinions))
	require.Equal(t, "baseline: a knee at step 1; candidate: a knee at step 1", opinions[5].Message)
}

func subjects(opinions []swap.Opinion) []string {
	var names []string
	for _, o := range opinions {
		names = append(names, o.Subject)
	}
	return names
}

func TestOpinionsOfASlowCandidateThatFails(t *testing.T) {
	s := usual()
	s.slower, s.failures = 1.2, 3
	opinions := s.opinions(everyRule()...)
	for _, rule := range []swap.RuleName{swap.RuleFivePercent, swap.RuleThreeEight, swap.RuleKSAdaptive, swap.RuleErrors3x} {
		require.Equal(t, swap.SaysFires, says(opinions)[rule], rule)
	}
	require.Regexp(t, `^it rises by (19|20|21)(\.\d)? %; the rule blocks a rise of more than 5 %$`, opinions[0].Message)
	require.Equal(t, "the candidate's highest error rate of a block is 1.5 %; three times the baseline's mean is 0 %", opinions[6].Message)
	require.InDelta(t, .015, opinions[6].Value.Or(-1), 1e-9)
}

func TestTheGateGoesFirstWhereBothAreAsked(t *testing.T) {
	s := usual()
	s.slower, s.noise = 1.06, 0
	gate, matrix := everyRule()[0], everyRule()[1]
	require.Equal(t, "it rises by 6 %, which is a case for: mail", s.opinions(matrix)[0].Message)
	require.Equal(t, "it rises by 6 %, which is a case for: mail; classic_5pct goes first and says: block",
		s.opinions(gate, matrix)[1].Message)
	matrix.Stat = swap.StatP50
	require.Equal(t, "it rises by 6 %, which is a case for: mail", s.opinions(gate, matrix)[1].Message, "the gate is on something else")
	s.slower = .9
	require.Equal(t, "it falls by 10 %, which is a case for: block", s.opinions(matrix)[0].Message)
}

func TestOpinionsThatCannotBeComputed(t *testing.T) {
	for name, load := range map[string][]judge.Block{
		"nothing": nil, "no requests": {{Step: 1, Arm: swap.Baseline}, {Step: 1, Arm: swap.Candidate}},
	} {
		for _, o := range Opinions(everyRule(), load, nil) {
			require.Equal(t, swap.SaysCannotTell, o.Says, "%s: %s", name, o.Rule)
			require.NotEmpty(t, o.Message)
			require.False(t, o.Value.Valid() || o.Threshold.Valid())
		}
	}
	short := usual()
	short.pairs = 1
	require.Contains(t, short.opinions(everyRule()[3])[0].Message, "hold 2 sub-windows or more, and there are 1 of 10 s")
	short.pairs = 14
	require.Contains(t, short.opinions(everyRule()[4])[0].Message, "the level needs 30 values in a row")
	o := Opinions([]swap.OpinionRule{{Rule: "classic_oracle"}}, nil, nil)[0]
	require.Equal(t, swap.Opinion{Rule: "classic_oracle", Says: swap.SaysCannotTell, Message: "this version does not know the rule"}, o)
}

// A run of 12 s, and one without the curves of a live run.
func TestOpinionsOfAShortRunHaveNumbersOrSayWhyNot(t *testing.T) {
	s := usual()
	s.pairs, s.steps = 6, 2
	blocks := s.blocks()
	for i := range blocks {
		blocks[i].MeasuredSeconds = 2
	}
	for _, o := range Opinions(everyRule(), blocks, nil) {
		require.NotContains(t, o.Message, "Inf", o.Rule)
		require.NotContains(t, o.Message, "NaN", o.Rule)
		require.Equal(t, o.Says != swap.SaysCannotTell, o.Value.Valid(), o.Rule)
	}
	opinions := Opinions(everyRule(), blocks, nil)
	require.Equal(t, swap.SaysCannotTell, says(opinions)[swap.RuleCVR99])
	require.Equal(t, "a second difference needs 3 load steps of a live run that differ in their level only, and nothing here says which "+
		"steps do",
		opinions[5].Message)
	two := Opinions(everyRule()[5:6], blocks, []swap.Capacity{{Steps: []int{1, 2}}})[0]
	require.Equal(t, "a second difference needs 3 load steps that differ in their level only, and there are 2", two.Message)
	require.Equal(t, "a second difference needs 3 load steps that differ in their level only, and the load has 2: add steps",
		Plan{Levels: 2}.Reach(everyRule()[5]).Never)
}

func TestNoKneeAndNoBaseline(t *testing.T) {
	record := func(step int, arm swap.Arm, tokens int32) judge.Block {
		b := judge.Block{Step: step, Arm: arm, MeasuredSeconds: 1}
		zero := int64(0)
		b.Requests.Append(&rawlog.Record{Outcome: string(swap.OK), SentUnixNS: 1, FirstUS: &zero, LastUS: &zero, OutputTokens: &tokens})
		return b
	}
	var blocks []judge.Block
	for step := 1; step <= 3; step++ {
		blocks = append(blocks, record(step, swap.Baseline, int32(10*step)), record(step, swap.Candidate, int32(10*step)))
	}
	o := Opinions(everyRule()[5:6], blocks, []swap.Capacity{{Steps: []int{1, 2, 3}}})[0]
	require.Equal(t, swap.SaysSilent, o.Says)
	require.Equal(t, "baseline: no knee; candidate: no knee", o.Message)

	mean := swap.OpinionRule{Rule: swap.RuleFivePercent, Metric: swap.MetricTTFT, Stat: swap.StatMean}
	o = Opinions([]swap.OpinionRule{mean}, blocks, nil)[0]
	require.Equal(t, swap.SaysCannotTell, o.Says, "nothing is relative to 0")
}

func TestAnUnsteadyStepIsNamed(t *testing.T) {
	s := usual()
	s.pairs = 4
	blocks := s.blocks()
	slow := int64(900e3)
	for i := range blocks {
		if blocks[i].Step == 2 && blocks[i].Arm == swap.Candidate && blocks[i].Pair%2 == 0 {
			for range 100 {
				blocks[i].Requests.Append(&rawlog.Record{Outcome: string(swap.OK), SentUnixNS: 1, FirstUS: &slow, LastUS: &slow})
			}
		}
	}
	o := Opinions(everyRule()[3:4], blocks, nil)[0]
	require.Equal(t, swap.SaysFires, o.Says)
	require.Contains(t, o.Message, "no window is steady for the candidate in step 2")
}

// Blocks in any order of arms, and failed requests, do not change what the rules on answered requests see.
func TestOpinionsDependOnTheArmsOnly(t *testing.T) {
	s := usual()
	s.pairs, s.requests = 4, 30
	want := s.opinions(everyRule()[:3]...)
	blocks := s.blocks()
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(slices.Clone(blocks)).Draw(t, "blocks")
		require.Equal(t, want, Opinions(everyRule()[:3], shuffled, nil))
	})
}

func TestReachOfAPlan(t *testing.T) {
	step := PlannedStep{Blocks: 4, Requests: swap.Of(600)}
	plan := Plan{BlockSeconds: 30, Steps: []PlannedStep{step, {Blocks: 20, Requests: swap.Of(300)}}, Levels: 2}
	for _, r := range everyRule() {
		reach := plan.Reach(r)
		t.Logf("%s: %+v", r.Rule, reach)
		require.Equal(t, r.Rule == swap.RuleSecondDiff, reach.Never != "", r.Rule)
	}
	plan.Levels, plan.Steps = 3, []PlannedStep{{Blocks: 1}, step, {Blocks: 1}}
	require.Empty(t, plan.Reach(everyRule()[5]).Never)
	require.Contains(t, plan.Reach(everyRule()[4]).Never, "the longest step has 8", "the step that comes closest is spoken of")
	require.Empty(t, plan.Reach(everyRule()[3]).Never, "one step is enough")
	require.True(t, math.IsNaN(plan.Reach(everyRule()[0]).ByChance), "a step whose requests are not known")
	plan.Steps = []PlannedStep{{Blocks: 1}}
	require.NotEmpty(t, plan.Reach(everyRule()[3]).Never)
	require.Empty(t, plan.Reach(swap.OpinionRule{Rule: "classic_oracle"}).Never)
}
