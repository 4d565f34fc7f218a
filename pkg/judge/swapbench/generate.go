package swapbench

import (
	"math"
	"math/rand/v2"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// correlatedShare is the part of the variance of a latency that follows the AR(1) process.
	correlatedShare = .5
	blockSeconds    = 10
	// rateNoise is the standard deviation of the logarithm of a block's throughput.
	rateNoise = .02
	// tokensNoise is the standard deviation of the logarithm of an answer's length.
	tokensNoise = .1
	tokens      = 100
	tpotMS      = 10
	// promptTokens is the length of every prompt.
	promptTokens = 200
)

// generator draws one repetition. It makes one record at a time and keeps the memory of its numbers.
type generator struct {
	*Scenario
	random *rand.Rand
	launch swap.PerArm[float64]
	arms   swap.PerArm[arm]

	// prompts is the seed of what the prompts of each pair decide.
	prompts uint64

	record               rawlog.Record
	firstUS, lastUS      int64
	outputTokens, prompt int32
	score                float64
}

// Evidence generates the repetition of a seed: blocks in the order ABBA, resamples for the bootstrap of the judge.
func (s *Scenario) Evidence(random *rand.Rand, resamples int) judge.Evidence {
	g := generator{Scenario: s, random: random, prompt: promptTokens}
	for _, arm := range swap.Arms {
		*g.launch.Ptr(arm), *g.arms.Ptr(arm) = math.Exp(s.Launch*random.NormFloat64()), s.arm(arm)
	}
	settings := judgeDefaults
	settings.Resamples, settings.Seed = resamples, random.Uint64()
	if s.isScored() {
		g.prompts = random.Uint64()
	}
	e := judge.Evidence{
		Gates: s.Gates, EvidenceSHA256: "swapbench", Settings: settings,
		Planned: swap.PerArm[int]{Baseline: s.Pairs, Candidate: s.Pairs},
		Blocks:  make([]judge.Block, 0, 2*s.Pairs),
	}
	for number := 1; number <= 2*s.Pairs; number++ {
		arm := swap.Baseline
		if number%4 == 2 || number%4 == 3 {
			arm = swap.Candidate
		}
		e.Blocks = append(e.Blocks, g.block(number, arm))
	}
	if s.Spoil != nil {
		s.Spoil(&e)
	}
	return e
}

// arm is what an arm truly does.
type arm struct {
	ttft, tpot         process.Process
	tokens, rate, fail float64
	quality            float64
}

func (s *Scenario) arm(which swap.Arm) arm {
	a := arm{
		ttft:   process.Process{Marginal: s.Marginal, Phi: s.Phi, Share: correlatedShare},
		tpot:   process.Process{Marginal: process.LogNormal(tpotMS, .2), Phi: s.Phi, Share: correlatedShare},
		tokens: tokens, rate: 1, fail: s.BaseErrors, quality: s.BaseQuality,
	}
	if which == swap.Candidate {
		a.ttft.Shift, a.tpot.Shift, a.tokens, a.rate, a.fail = s.TTFT, s.TPOT, tokens*s.Tokens, s.Throughput, s.CandErrors
		a.ttft.Faulty, a.ttft.FaultFactor = s.TailShare, s.TailFactor
		a.quality = s.CandQuality
	}
	return a
}

func (g *generator) block(number int, which swap.Arm) judge.Block {
	a := g.arms.Ptr(which)
	level := g.launch.Get(which) * math.Exp(math.Log1p(g.Drift)*float64(number-1)/float64(2*g.Pairs-1))
	ttft, tpot := a.ttft.Block(g.random, g.Requests, level), a.tpot.Block(g.random, g.Requests, level)
	b := judge.Block{
		Step: 1, Block: number, Pair: (number + 1) / 2, Arm: which, ScheduleSHA256: "s", Planned: g.Requests, Recorded: g.Requests,
		MeasuredSeconds: blockSeconds * a.tokens / tokens / a.rate * math.Exp(rateNoise*g.random.NormFloat64()),
	}
	b.Requests.Grow(g.Requests)
	prompts := rand.New(rand.NewPCG(g.prompts, uint64(b.Pair))) //nolint:gosec // G115: pairs count from 1
	failed := 0
	r := &g.record
	*r = rawlog.Record{Arm: string(which), Measured: true, SentUnixNS: 1, LateUS: 100}
	for seq := range g.Requests {
		r.Seq, r.Outcome = int32(seq), string(swap.OK)
		r.FirstUS, r.LastUS, r.OutputTokens, r.PromptTokens, r.CachedTokens, r.Quality = nil, nil, nil, nil, nil, nil
		prompt := prompts.Float64()
		if g.random.Float64() < a.fail {
			r.Outcome = string(swap.HTTP5xx)
			failed++
		} else {
			g.answer(a, ttft[seq], tpot[seq])
			g.grade(a, prompt)
		}
		if g.SpoilRecord != nil {
			g.SpoilRecord(r)
		}
		b.Requests.Append(r)
	}
	b.Outcomes = swap.OutcomeCounts{swap.OK: g.Requests - failed, swap.HTTP5xx: failed}
	return b
}

func (g *generator) answer(a *arm, ttft, tpot float64) {
	g.outputTokens = max(2, int32(math.Round(a.tokens*math.Exp(tokensNoise*g.random.NormFloat64()))))
	g.firstUS = int64(1e3 * ttft)
	g.lastUS = g.firstUS + int64(1e3*tpot*float64(g.outputTokens-1))
	r := &g.record
	r.FirstUS, r.LastUS, r.OutputTokens, r.PromptTokens = &g.firstUS, &g.lastUS, &g.outputTokens, &g.prompt
}

func (s *Scenario) isScored() bool { return s.BaseQuality+s.CandQuality > 0 }

// grade scores an answer. A prompt is a number from 0 to 1, which is also how hard it is where it decides alone.
func (g *generator) grade(a *arm, prompt float64) {
	if !g.isScored() {
		return
	}
	if decides := g.ScoredByPrompt; prompt < decides {
		prompt /= decides
	} else {
		prompt = g.random.Float64()
	}
	if g.score = 0; prompt < a.quality {
		g.score = 1
	}
	g.record.Quality = &g.score
}
