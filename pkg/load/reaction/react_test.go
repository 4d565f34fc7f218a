package reaction

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/capacity"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// plant makes the evidence of a load whose truth is known: both arms have the same slope, and rates are the tokens per second at
// concurrency 4, 8, 16, ….
type plant struct {
	slope  float64
	rates  []float64
	prices swap.Prices
	// failing is the share of requests that fail.
	failing float64
	// length is that of all prompts; 0 is log-normal.
	length int32
}

const (
	plantBlocks   = 5
	plantRequests = 250
	outputTokens  = 100
)

func (p plant) evidence(seed uint64) Evidence {
	random := rand.New(rand.NewPCG(seed, 17))
	e := Evidence{Level: .95, Settings: swap.Reaction{
		Scenario: swap.ScenarioFinance, SlopeMSPerToken: .8, CostPer1kTokens: .012, PricePerHour: &p.prices,
	}}
	var rates []capacity.BlockThroughput
	for k, rate := range p.rates {
		step := swap.Step{Concurrency: 4 << k}
		e.Steps = append(e.Steps, step)
		result := swap.StepResult{Step: k + 1, Label: step.Label()}
		for _, arm := range swap.Arms {
			*result.Throughput.Ptr(arm) = swap.Of(rate)
			for n := range plantBlocks {
				b := p.block(random, rate*(1+.01*random.NormFloat64()))
				b.Step, b.Block, b.Arm = k+1, n, arm
				e.Blocks = append(e.Blocks, b)
				if per, known := b.TokensPerSecond(); known {
					rates = append(rates, capacity.BlockThroughput{Step: k + 1, Arm: arm, PerSecond: per})
				}
			}
		}
		e.Results = append(e.Results, result)
	}
	e.Capacity = capacity.Of(e.Steps, e.Results, rates...)
	return e
}

func (p plant) block(random *rand.Rand, rate float64) judge.Block {
	b := judge.Block{MeasuredSeconds: plantRequests * outputTokens / rate}
	for range plantRequests {
		prompt, output := p.length, int32(outputTokens)
		if prompt == 0 {
			prompt = int32(256 * math.Exp(.5*random.NormFloat64()))
		}
		first := int64(1e3 * (40 + p.slope*float64(prompt) + 10*random.ExpFloat64()))
		r := rawlog.Record{Outcome: string(swap.OK), FirstUS: &first, PromptTokens: &prompt, OutputTokens: &output}
		if random.Float64() < p.failing {
			r.Outcome = string(swap.TimeoutTotal)
		}
		b.Requests.Append(&r)
	}
	return b
}

// saturating grows in proportion up to concurrency 32 and not at all from there on.
var saturating = []float64{80, 160, 320, 640, 645, 650}

func states(r swap.ReactionResult) []swap.ReactionState {
	var all []swap.ReactionState
	for _, s := range r.Steps {
		all = append(all, s.Arms.Candidate.State)
	}
	return all
}

func TestReact(t *testing.T) {
	const kept, reached, undecided = swap.LimitKept, swap.LimitReached, swap.LimitUndecided
	both := func(price float64) swap.Prices { return swap.Prices{Baseline: price, Candidate: price} }
	for name, tt := range map[string]struct {
		plant plant
		// states are the candidate's, recommended the step.
		states      []swap.ReactionState
		recommended int
		// sensitivity, knee and cost are the states of the candidate's second step.
		sensitivity, knee, cost swap.ReactionState
		message                 string
	}{
		"gentle, without a price": {
			plant{slope: .3, rates: saturating},
			[]swap.ReactionState{kept, kept, kept, reached, reached, reached},
			3,
			kept, kept, swap.LimitAbsent,
			"concurrency 16 is the highest step at which the candidate keeps every limit that is known; concurrency 32 reaches a limit",
		},
		"steep": {
			plant{slope: 1.2, rates: saturating},
			[]swap.ReactionState{reached, reached, reached, reached, reached, reached},
			0,
			reached, kept, swap.LimitAbsent,
			"no step is known to keep every limit: concurrency 4 reaches a limit",
		},
		"at the limit of the slope": {
			plant{slope: .8, rates: saturating[:4]},
			[]swap.ReactionState{undecided, undecided, undecided, undecided},
			0,
			undecided, kept, swap.LimitAbsent,
			"no step is known to keep every limit: concurrency 32 is not decided",
		},
		// 10 per hour at 640 tokens/s are 0.00434 for 1,000 tokens, at 160 tokens/s 0.0174.
		"dear at a low load": {
			plant{slope: .3, rates: saturating[:4], prices: both(10)},
			[]swap.ReactionState{reached, reached, kept, kept},
			4,
			kept, kept, reached,
			"concurrency 32 is the highest step at which the candidate keeps every limit that is known; no higher step was run",
		},
		"cheap": {
			plant{slope: .3, rates: saturating[:4], prices: both(2)},
			[]swap.ReactionState{kept, kept, kept, kept},
			4,
			kept, kept, kept,
			"concurrency 32 is the highest step at which the candidate keeps every limit that is known; no higher step was run",
		},
		"prompts of one length": {
			plant{slope: 5, length: 256, rates: saturating[:3]},
			[]swap.ReactionState{kept, kept, kept},
			3,
			swap.LimitAbsent, kept, swap.LimitAbsent, "",
		},
		"failures hide the P99": {
			plant{slope: .3, failing: .03, rates: saturating[:3]},
			[]swap.ReactionState{undecided, undecided, undecided},
			0,
			undecided, kept, swap.LimitAbsent, "",
		},
		"two steps have no knee": {
			plant{slope: .3, rates: saturating[:2]},
			[]swap.ReactionState{kept, kept},
			2,
			kept, swap.LimitAbsent, swap.LimitAbsent, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := React(tt.plant.evidence(3))
			second := r.Steps[1].Arms.Candidate
			for _, s := range r.Steps {
				a := s.Arms.Candidate
				t.Log(s.Label, a.State, a.Utilisation, a.Rank, "|", a.Sensitivity.Message, "|", a.Knee.Message, "|", a.Cost.Message)
			}
			require.Equal(t, tt.states, states(r))
			require.Equal(t, []swap.ReactionState{tt.sensitivity, tt.knee, tt.cost},
				[]swap.ReactionState{second.Sensitivity.State, second.Knee.State, second.Cost.State})
			require.Len(t, r.Recommended, 1)
			require.Equal(t, tt.recommended, r.Recommended[0].Step)
			if tt.message != "" {
				require.Equal(t, tt.message, r.Recommended[0].Message)
			}
			require.InDelta(t, second.Sensitivity.Value.Or(tt.plant.slope), tt.plant.slope, .06)
		})
	}
}

func TestReactionFindsAndDecidesNothing(t *testing.T) {
	e := plant{slope: .3, rates: saturating}.evidence(3)
	spec := swap.Spec{Load: swap.Load{Steps: e.Steps}, Judge: swap.Judge{Level: .95}}
	before := swap.Comparison{Decision: swap.Pass, Capacity: e.Capacity}
	c := before
	Apply(&c, spec, e.Results, e.Blocks)
	require.Equal(t, before, c, "it was not asked")
	spec.Load.Reaction = &e.Settings
	Apply(&c, spec, e.Results, e.Blocks)
	require.Equal(t, swap.Pass, c.Decision)
	require.Empty(t, c.Reasons)
	require.Len(t, c.Findings, 1)
	require.Equal(t, swap.Notable, c.Findings[0].Severity)
	require.Contains(t, c.Findings[0].Message, "at concurrency 32 the load is 1 times that of the knee at concurrency 32")
	require.Contains(t, c.Findings[0].Next, "concurrency 16 is the highest step")
	require.NotNil(t, c.Reaction)
}

// A step that a limit ended is no step to recommend, nor is any above it.
func TestStepsThatALimitEnded(t *testing.T) {
	e := plant{slope: .3, rates: saturating[:4]}.evidence(3)
	e.Results[2].Ended = swap.StepEnd{Code: swap.EndedLimit, Arm: swap.Candidate}
	r := React(e).Recommended[0]
	require.Equal(t, 2, r.Step)
	require.Contains(t, r.Message, "concurrency 16 was ended by a limit")
}

// Steps that differ in their prompts only are one axis: single lengths have no slope, together they have.
func TestGradientIsOneAxis(t *testing.T) {
	e := Evidence{Level: .95, Settings: swap.Reaction{SlopeMSPerToken: .8, CostPer1kTokens: .012}}
	random := rand.New(rand.NewPCG(5, 5))
	for k, length := range []int32{64, 256, 1024} {
		step := swap.Step{Concurrency: 1, InputTokens: &swap.Lengths{Median: int(length)}}
		e.Steps = append(e.Steps, step)
		e.Results = append(e.Results, swap.StepResult{Step: k + 1, Label: fmt.Sprint(length)})
		for range plantBlocks {
			b := plant{slope: 1.1, length: length}.block(random, 100)
			b.Step, b.Arm = k+1, swap.Candidate
			e.Blocks = append(e.Blocks, b)
		}
	}
	r := React(e)
	require.Empty(t, r.Recommended, "lengths are not loads")
	for _, s := range r.Steps {
		require.Equal(t, swap.LimitReached, s.Arms.Candidate.Sensitivity.State)
		require.InDelta(t, 1.1, s.Arms.Candidate.Sensitivity.Value.Or(0), .03)
		require.Equal(t, swap.LimitUndecided, s.Arms.Baseline.State, "it has no blocks")
	}
}

func signalOf(u float64) swap.ReactionSignal { return against(u, 1, unbounded(u), "") }

func drawWeights(t *rapid.T) swap.ReactionWeights {
	a, b, c := rapid.Float64Range(.01, 1).Draw(t, "a"), rapid.Float64Range(.01, 1).Draw(t, "b"), rapid.Float64Range(.01, 1).Draw(t, "c")
	return swap.ReactionWeights{Sensitivity: a / (a + b + c), Knee: b / (a + b + c), Cost: c / (a + b + c)}
}

// Weights change the order and the classic rule, never the state; exchanging signals with their weights changes nothing.
func TestWeightsOnlyRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SliceOfN(rapid.Float64Range(-1, 3), 3, 3).Draw(t, "u")
		w := drawWeights(t)
		arm := func(i, j, k int) swap.ArmReaction {
			return swap.ArmReaction{Sensitivity: signalOf(u[i]), Knee: signalOf(u[j]), Cost: signalOf(u[k])}
		}
		a, b, c := arm(0, 1, 2), arm(1, 2, 0), arm(0, 1, 2)
		weigh(&a, weightsOf(swap.Reaction{Weights: &w}))
		weigh(&b, weightsOf(swap.Reaction{Weights: &swap.ReactionWeights{Sensitivity: w.Knee, Knee: w.Cost, Cost: w.Sensitivity}}))
		weigh(&c, weightsOf(swap.Reaction{Scenario: swap.ScenarioContent}))
		require.InDelta(t, a.Rank.Or(9), b.Rank.Or(-9), 1e-12)
		require.InDelta(t, a.Classic.Or(9), b.Classic.Or(-9), 1e-12)
		require.Equal(t, a.State, b.State)
		require.Equal(t, a.State, c.State)
		require.Equal(t, a.Utilisation, c.Utilisation)
		require.LessOrEqual(t, a.Rank.Or(9), a.Utilisation.Or(0)+1e-12, "a mean is not above the largest")
	})
}

// Another currency or time unit on both sides of a limit changes no utilisation.
func TestUnitsDoNotMatterToTheCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.Float64Range(10, 1000), 1, 8).Draw(t, "rates")
		price, limit := rapid.Float64Range(.1, 100).Draw(t, "price"), rapid.Float64Range(.001, .1).Draw(t, "limit")
		factor := rapid.Float64Range(.01, 100).Draw(t, "factor")
		a, b := cost(rates, price, limit, .95), cost(rates, factor*price, factor*limit, .95)
		require.InEpsilon(t, a.Utilisation.Or(0), b.Utilisation.Or(1), 1e-9)
		require.LessOrEqual(t, a.Low.Or(0), a.Utilisation.Or(0))
		require.GreaterOrEqual(t, a.High.Or(math.Inf(1)), a.Utilisation.Or(0))
	})
	s := cost([]float64{100, 100, 100}, 3.6, .012, .95)
	require.InDelta(t, .01, s.Value.Or(0), 1e-12)
	require.InDelta(t, .01/.012, s.High.Or(0), 1e-12)
	require.Equal(t, swap.LimitUndecided, cost(nil, 1, .012, .95).State)
	require.Equal(t, swap.LimitUndecided, cost([]float64{100}, 1, .012, .95).State, "one block has no spread")
}

func TestAtKnee(t *testing.T) {
	level := &swap.LoadLevel{Label: "concurrency 32", Load: swap.Of(32)}
	known := swap.Bend{Knee: level, KneeLow: swap.Of(16), KneeHigh: swap.Of(32), Confirmed: true}
	doubtful, open := known, known
	doubtful.Confirmed, open.KneeHigh = false, swap.Absent()
	for _, tt := range []struct {
		load float64
		bend *swap.Bend
		want swap.ReactionState
	}{
		{8, &known, swap.LimitKept},
		{16, &known, swap.LimitUndecided},
		{32, &known, swap.LimitReached},
		{64, &known, swap.LimitReached},
		{64, &doubtful, swap.LimitUndecided},
		{8, &doubtful, swap.LimitKept},
		{64, &open, swap.LimitUndecided},
		{64, &swap.Bend{}, swap.LimitKept},
		{64, &swap.Bend{KneeLow: swap.Of(64)}, swap.LimitUndecided},
		{64, nil, swap.LimitAbsent},
	} {
		require.Equal(t, tt.want, atKnee(tt.load, tt.bend).State, fmt.Sprint(tt.load, tt.bend))
	}
}
