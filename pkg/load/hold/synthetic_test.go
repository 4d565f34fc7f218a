package hold

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// process makes the TTFT of one arm. Its logarithm is ln 400 + sigma·noise, half of whose variance is AR(1) with phi.
type process struct {
	requests   int // per block
	sigma, phi float64
	// drift is the change of the logarithm from block to block.
	drift float64
	// blockSigma is the standard deviation of a level that is common to a block, and blockPhi its correlation from block to
	// block.
	blockSigma, blockPhi float64
	// transient is added to the logarithm at the beginning and fades with the time constant fade, in requests.
	transient, fade float64
	// spike is the share of requests that take ten times as long.
	spike float64
}

func typical(requests int) process { return process{requests: requests, sigma: 0.5, phi: 0.9} }

// generator makes one block after another.
type generator struct {
	process
	random       *rand.Rand
	state, level float64
	made, blocks int
}

func (p process) start(random *rand.Rand) *generator {
	return &generator{process: p, random: random, state: random.NormFloat64(), level: random.NormFloat64()}
}

func (g *generator) next() float64 {
	g.state = g.phi*g.state + math.Sqrt(1-g.phi*g.phi)*g.random.NormFloat64()
	noise := math.Sqrt(.5) * (g.state + g.random.NormFloat64())
	log := math.Log(400) + g.sigma*noise + g.blockSigma*g.level + g.drift*float64(g.blocks)
	if g.transient != 0 {
		log += g.transient * math.Exp(-float64(g.made)/g.fade)
	}
	g.made++
	if g.random.Float64() < g.spike {
		log += math.Log(10)
	}
	return math.Exp(log)
}

func (g *generator) block() []float64 {
	g.level = g.blockPhi*g.level + math.Sqrt(1-g.blockPhi*g.blockPhi)*g.random.NormFloat64()
	values := make([]float64, g.requests)
	for i := range values {
		values[i] = g.next()
	}
	g.blocks++
	slices.Sort(values)
	return values
}

// placed makes a healthy block of the k-th place in a step, counted from 0.
func placed(k int, arm swap.Arm, ttft []float64) Block {
	n := len(ttft)
	return Block{
		BlockPlan: swap.BlockPlan{Step: 1, Block: k + 1, Arm: arm, Pair: k/2 + 1},
		Planned:   n, Outcomes: swap.OutcomeCounts{swap.OK: n}, Flow: flowing(n, n, 1), TTFT: ttft, E2E: ttft,
	}
}

// flowing is the flow of n requests over 30 s, the first of which ended well, over stretch times the time.
func flowing(n, answered int, stretch float64) Flow {
	var f Flow
	for i := range n {
		at := 30 * float64(i) / float64(n)
		f.Plan(at)
		if i < answered {
			f.Answer(at, 2+(stretch-1)*at)
		}
	}
	return f
}

// decide is what a step comes to after some blocks.
func decide(p Plan, done []Block) (swap.StepEnd, bool) {
	c := Begin(p)
	for _, b := range done {
		c.Add(b)
	}
	return c.End()
}

// order is ABBA ABBA.
func order(k int) swap.Arm {
	if k%4 == 1 || k%4 == 2 {
		return swap.Candidate
	}
	return swap.Baseline
}

// drive adds blocks until the plan ends, as a load step would.
func drive(p Plan, arms swap.PerArm[process], random *rand.Rand) ([]Block, swap.StepEnd) {
	generators := swap.PerArm[*generator]{Baseline: arms.Baseline.start(random), Candidate: arms.Candidate.start(random)}
	course := Begin(p)
	var done []Block
	for {
		arm := order(len(done))
		b := placed(len(done), arm, generators.Get(arm).block())
		course.Add(b)
		done = append(done, b)
		if end, ended := course.End(); ended {
			return done, end
		}
	}
}

func both(p process) swap.PerArm[process] { return swap.PerArm[process]{Baseline: p, Candidate: p} }

func extended(rule swap.SteadyRule, planned, most int) Plan {
	const block = 30 * time.Second
	return Plan{
		Step: swap.Step{Concurrency: 64}, Blocks: planned, Block: block, Level: 0.95,
		Extend: &swap.Extend{
			Rule: rule, Precision: DefaultPrecision, CV: DefaultCV, MaxHold: swap.Duration(time.Duration(most) * block),
		},
	}
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
