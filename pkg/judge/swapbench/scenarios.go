package swapbench

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/swap"
)

func gate(metric swap.Metric, stat swap.Stat, margin float64) swap.Gate {
	g := swap.Gate{Metric: metric, Stat: stat, Margin: margin, Unit: swap.Relative, Better: swap.LowerIsBetter}
	switch metric {
	case swap.MetricErrorRate:
		g.Unit = swap.Absolute
	case swap.MetricQuality:
		g.Unit, g.Better = swap.Absolute, swap.HigherIsBetter
	case swap.MetricThroughput:
		g.Better = swap.HigherIsBetter
	case swap.MetricOutputTokens:
		g.Better = swap.Either
	}
	return g
}

// The default gates of the product, and others that scenarios need, with the default margins.
var (
	ttftP50    = gate(swap.MetricTTFT, swap.StatP50, .05)
	ttftP95    = gate(swap.MetricTTFT, swap.StatP95, .08)
	ttftP99    = gate(swap.MetricTTFT, swap.StatP99, .1)
	tpotP50    = gate(swap.MetricTPOT, swap.StatP50, .05)
	tpotP95    = gate(swap.MetricTPOT, swap.StatP95, .1)
	throughput = gate(swap.MetricThroughput, swap.StatRate, .05)
	errorRate  = gate(swap.MetricErrorRate, swap.StatRate, .005)
	length     = gate(swap.MetricOutputTokens, swap.StatMean, .05)
	quality    = gate(swap.MetricQuality, swap.StatMean, .01)

	defaultGates = []swap.Gate{ttftP50, ttftP95, ttftP99, tpotP95, throughput, errorRate, length}
	// judgeDefaults are the product's; resamples and seed are those of the benchmark.
	judgeDefaults = swap.Judge{Level: .95, MinBlocks: 10, MinTail: 30}
)

// subject is the default gates with one of them first.
func subject(first swap.Gate) []swap.Gate {
	gates := []swap.Gate{first}
	for _, g := range defaultGates {
		if g.Name() != first.Name() {
			gates = append(gates, g)
		}
	}
	return gates
}

var (
	passOrOpen = []swap.Decision{swap.Pass, swap.Inconclusive}
	failOrOpen = []swap.Decision{swap.Fail, swap.Inconclusive}
	failOnly   = []swap.Decision{swap.Fail}
	open       = []swap.Decision{swap.Inconclusive}
)

// usual is a sound measurement without a difference: 4,000 requests an arm in 20 blocks.
func usual(name, group, truth string, gates ...swap.Gate) Scenario {
	return Scenario{
		Name: name, Group: group, Truth: truth, Gates: gates, Accept: passOrOpen, Pairs: 20, Requests: 200,
		Marginal: process.LogNormal(100, .5), Phi: .5, TTFT: 1, TPOT: 1, Tokens: 1, Throughput: 1,
		BaseErrors: .002, CandErrors: .002,
	}
}

// Scenarios are all scenarios, in the order of the table.
func Scenarios() []Scenario {
	var all []Scenario
	for _, part := range [][]Scenario{noChange(), regressions(), margins(), improvements(), faults()} {
		all = append(all, part...)
	}
	return all
}

// scored gives answers a score of 0 or 1, which for most prompts depends on the prompt alone.
func (s *Scenario) scored(base, cand float64) {
	s.Gates = []swap.Gate{quality}
	s.BaseQuality, s.CandQuality, s.ScoredByPrompt = base, cand, .8
}

var families = []struct {
	name     string
	marginal process.Marginal
}{
	{"lognormal", process.LogNormal(100, .5)},
	{"weibull", process.Weibull(100, .9)},
	{"pareto", process.Pareto(50, 80, 3)},
	{"bimodal", process.Bimodal(100, .3, .03, 6)},
}

func noChange() []Scenario {
	var all []Scenario
	same := func(name string, change func(*Scenario)) {
		s := usual("same/"+name, "no change", "the arms are alike", defaultGates...)
		s.Line = FalseFail
		change(&s)
		all = append(all, s)
	}
	for _, family := range families {
		for _, phi := range []float64{0, .5, .9, .95} {
			same(fmt.Sprintf("%s/phi=%g", family.name, phi), func(s *Scenario) { s.Marginal, s.Phi = family.marginal, phi })
		}
		same(family.name+"/drift", func(s *Scenario) { s.Marginal, s.Phi, s.Drift = family.marginal, .9, .1 })
	}
	same("launch", func(s *Scenario) { s.Phi, s.Launch = .9, .02 })
	same("launch-and-drift", func(s *Scenario) { s.Phi, s.Launch, s.Drift = .9, .02, .1 })
	same("heavy-tail", func(s *Scenario) { s.Marginal, s.Phi = process.Pareto(50, 80, 1.8), .9 })
	same("quality", func(s *Scenario) { s.scored(.9, .9) })
	same("quality/perfect", func(s *Scenario) { s.scored(1, 1) })
	same("quality/by-chance", func(s *Scenario) {
		s.scored(.9, .9)
		s.ScoredByPrompt = 0
	})
	return all
}

func regressions() []Scenario {
	var all []Scenario
	worse := func(name, truth string, effect float64, g swap.Gate, accept []swap.Decision, change func(*Scenario)) {
		s := usual("worse/"+name, "regression", truth, g)
		s.Effect, s.Accept, s.Phi = effect, accept, .9
		change(&s)
		all = append(all, s)
	}
	for _, x := range []float64{.03, .05, .2, .5, 1} {
		accept := failOrOpen
		if x < .1 {
			accept = passOrOpen
		}
		percent := fmt.Sprintf("+%g%%", math.Round(x*100))
		worse("ttft-p95/"+percent, "every first token is later", x, ttftP95, accept, func(s *Scenario) { s.TTFT = 1 + x })
		worse("tpot-p95/"+percent, "every token takes longer", x, tpotP95, accept, func(s *Scenario) { s.TPOT = 1 + x })
	}
	worse("ttft-p99/+20%", "every first token is later; 20,000 requests an arm", .2, ttftP99, failOnly, func(s *Scenario) {
		s.TTFT, s.Requests, s.Line = 1.2, 1000, TailPower
		s.BaseErrors, s.CandErrors = 0, 0
	})
	// Failed requests count as the slowest, so here P99 is P99.2 of the answers: further out, and known less well.
	worse("ttft-p99/+20%/errors", "the same, and 0.2 % of the requests of both arms fail", .2, ttftP99, failOrOpen, func(s *Scenario) {
		s.TTFT, s.Requests = 1.2, 1000
	})
	worse("ttft-p99/+20%/phi=0.5", "the same with less dependence", .2, ttftP99, failOrOpen, func(s *Scenario) {
		s.TTFT, s.Requests, s.Phi = 1.2, 1000, .5
	})
	worse("tail/2%x3", "2 % of requests take three times as long", tailEffect(), ttftP99, failOrOpen, func(s *Scenario) {
		s.TailShare, s.TailFactor, s.Phi = .02, 3, .5
	})
	for _, x := range []float64{.1, .2, .5} {
		worse(fmt.Sprintf("throughput/-%g%%", x*100), "fewer tokens a second", x, throughput, failOnly, func(s *Scenario) {
			s.Gates, s.Throughput, s.Line = subject(throughput), 1-x, BlockPower
		})
	}
	fails := func(name string, x float64, accept []swap.Decision, change func(*Scenario)) {
		worse("errors/"+name, "points more requests fail", x, errorRate, accept, func(s *Scenario) {
			s.CandErrors = s.BaseErrors + x
			change(s)
		})
	}
	fails("+0.2", .002, passOrOpen, func(*Scenario) {})
	fails("+0.5", .005, failOrOpen, func(s *Scenario) { s.Line = AtMargin })
	fails("+1", .01, failOnly, func(s *Scenario) { s.Gates, s.Line, s.Requests = subject(errorRate), BlockPower, 1000 })
	fails("+1/4000", .01, failOrOpen, func(s *Scenario) { s.Gates = subject(errorRate) })
	fails("+5", .05, failOnly, func(s *Scenario) { s.Gates, s.Line = subject(errorRate), BlockPower })
	worse("length/+10%", "answers are longer", .1, length, failOnly, func(s *Scenario) { s.Tokens = 1.1 })
	for _, q := range []struct {
		points float64
		accept []swap.Decision
	}{{.005, passOrOpen}, {.02, failOrOpen}, {.1, failOnly}} {
		worse(fmt.Sprintf("quality/-%g", 100*q.points), "points fewer answers are good", q.points, quality, q.accept, func(s *Scenario) {
			s.scored(.9, .9-q.points)
		})
	}
	worse("length/-20%", "answers are shorter", .2, length, failOnly, func(s *Scenario) { s.Tokens = .8 })
	return all
}

// tailEffect is the rise of P99 where 2 % of requests take three times as long.
func tailEffect() float64 {
	s := usual("", "", "")
	s.TailShare, s.TailFactor = .02, 3
	return s.arm(swap.Candidate).ttft.Quantile(.99)/s.arm(swap.Baseline).ttft.Quantile(.99) - 1
}

func margins() []Scenario {
	var all []Scenario
	at := func(name string, g swap.Gate, change func(*Scenario)) {
		s := usual("margin/"+name, "at the margin", "the candidate is worse by exactly the margin", g)
		s.Effect, s.Accept, s.Line = g.Margin, failOrOpen, AtMargin
		change(&s)
		all = append(all, s)
	}
	for _, phi := range []float64{0, .9} {
		at(fmt.Sprintf("ttft-p95/phi=%g", phi), ttftP95, func(s *Scenario) { s.TTFT, s.Phi = 1+ttftP95.Margin, phi })
		at(fmt.Sprintf("ttft-p99/phi=%g", phi), ttftP99, func(s *Scenario) { s.TTFT, s.Phi = 1+ttftP99.Margin, phi })
	}
	at("ttft-p50", ttftP50, func(s *Scenario) { s.TTFT = 1 + ttftP50.Margin })
	at("tpot-p50", tpotP50, func(s *Scenario) { s.TPOT = 1.05 })
	at("throughput", throughput, func(s *Scenario) { s.Throughput = .95 })
	at("quality", quality, func(s *Scenario) { s.scored(.9, .9-quality.Margin) })
	at("quality/by-chance", quality, func(s *Scenario) {
		s.scored(.9, .9-quality.Margin)
		s.ScoredByPrompt = 0
	})
	at("quality/rare", quality, func(s *Scenario) { s.scored(1, 1-quality.Margin) })
	at("length", length, func(s *Scenario) { s.Tokens = 1.05 })
	return all
}

func improvements() []Scenario {
	var all []Scenario
	better := func(name string, effect float64, g swap.Gate, change func(*Scenario)) {
		s := usual("better/"+name, "improvement", "the candidate is better", g)
		s.Effect = effect
		change(&s)
		all = append(all, s)
	}
	better("ttft-p95/-20%", -.2, ttftP95, func(s *Scenario) { s.TTFT = .8 })
	better("tpot-p95/-20%", -.2, tpotP95, func(s *Scenario) { s.TPOT = .8 })
	better("throughput/+20%", -.2, throughput, func(s *Scenario) { s.Throughput = 1.2 })
	better("quality/+5", -.05, quality, func(s *Scenario) { s.scored(.9, .95) })
	better("errors/-1.8", -.018, errorRate, func(s *Scenario) { s.BaseErrors = .02 })
	return all
}

func faults() []Scenario {
	var all []Scenario
	fault := func(name, reason string, change func(*Scenario)) {
		s := usual("fault/"+name, "data quality", name+": the evidence cannot carry a verdict", defaultGates...)
		s.Accept, s.Reason, s.Line = open, reason, DataFault
		change(&s)
		all = append(all, s)
	}
	spoil := func(change func(*judge.Evidence)) func(*Scenario) { return func(s *Scenario) { s.Spoil = change } }
	fault("cache", swap.ReasonContaminated, func(s *Scenario) { s.SpoilRecord = cachedFor(swap.Candidate, 120) })
	fault("cache-baseline", swap.ReasonContaminated, func(s *Scenario) { s.SpoilRecord = cachedFor(swap.Baseline, 60) })
	fault("clock", swap.ReasonClock, func(s *Scenario) { s.SpoilRecord = backwards })
	fault("late-client", swap.ReasonInstrument, func(s *Scenario) { s.SpoilRecord = func(r *rawlog.Record) { r.LateUS = 200_000 } })
	fault("throttled-client", swap.ReasonInstrument, spoil(func(e *judge.Evidence) {
		e.Instruments = []judge.Instrument{{Step: 1, State: swap.InstrumentState{Faults: []swap.InstrumentFault{
			{Signal: "throttled", Message: "the client was throttled", Next: "give it more CPU"},
		}}}}
	}))
	fault("plan-mismatch", swap.ReasonPlanMismatch, spoil(func(e *judge.Evidence) { e.Blocks[1].ScheduleSHA256 = "other" }))
	fault("telemetry", swap.ReasonTelemetryMissing, spoil(func(e *judge.Evidence) {
		e.Telemetry = []swap.SourceState{{Source: "engine", Required: true}}
	}))
	fault("missing-block", swap.ReasonIncomplete, spoil(func(e *judge.Evidence) { e.Blocks = e.Blocks[:len(e.Blocks)-1] }))
	fault("missing-records", swap.ReasonIncomplete, spoil(func(e *judge.Evidence) { e.Blocks[0].Recorded -= 10 }))
	fault("no-data", swap.ReasonNoData, spoil(func(e *judge.Evidence) { e.Blocks = nil }))
	fault("no-scores", swap.ReasonNoData, func(s *Scenario) { s.Gates = []swap.Gate{quality} })
	fault("few-blocks", swap.ReasonLowN, func(s *Scenario) { s.Pairs = 4 })
	// A median of 100 requests may be judged; these gates may not.
	fault("few-requests", swap.ReasonLowN, func(s *Scenario) { s.Gates, s.Requests = []swap.Gate{ttftP99, ttftP95}, 5 })
	fault("sample-ratio", swap.ReasonSampleRatio, spoil(fewerMeasured))
	fault("baseline-fails", swap.ReasonNoData, func(s *Scenario) { s.BaseErrors = 1 })
	broken := usual("worse/all-fail", "regression", "every request of the candidate fails", errorRate)
	broken.Accept, broken.CandErrors, broken.Effect = failOnly, 1, 1-broken.BaseErrors
	return append(all, broken)
}

func cachedFor(which swap.Arm, tokens int32) func(*rawlog.Record) {
	return func(r *rawlog.Record) {
		if !r.Good() {
			return
		}
		cached := int32(0)
		if r.Arm == string(which) {
			cached = tokens
		}
		r.CachedTokens = &cached
	}
}

func backwards(r *rawlog.Record) {
	if r.Good() && r.Seq%50 == 0 {
		early := -*r.FirstUS
		r.FirstUS = &early
	}
}

// fewerMeasured drops a fifth of the candidate's measured requests, as when settling takes longer on one arm.
func fewerMeasured(e *judge.Evidence) {
	for i := range e.Blocks {
		b := &e.Blocks[i]
		if b.Arm != swap.Candidate {
			continue
		}
		var kept judge.Requests
		ttft, tpot := b.Requests.PerRequest(swap.MetricTTFT), b.Requests.PerRequest(swap.MetricTPOT)
		n := b.Requests.PerRequest(swap.MetricOutputTokens)
		for k := range b.Requests.Len() * 4 / 5 {
			r := rawlog.Record{Measured: true, SentUnixNS: 1, LateUS: 100, Arm: string(b.Arm), Outcome: string(b.Requests.Outcome(k))}
			if r.Good() {
				first, count := int64(1e3*ttft[k]), int32(n[k])
				last := first + int64(1e3*tpot[k]*(n[k]-1))
				r.FirstUS, r.LastUS, r.OutputTokens = &first, &last, &count
			}
			kept.Append(&r)
		}
		b.Requests = kept
	}
}
