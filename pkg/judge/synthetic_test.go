package judge

import (
	"math"
	"math/rand/v2"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// scene is a synthetic measurement: what the candidate does differently from the baseline.
type scene struct {
	seed            uint64
	steps, pairs    int
	requests        int
	ttft, tpot      float64
	tokens          float64
	baseFail, fails float64
	failAs          swap.Outcome
	noise           float64
	// drift multiplies the candidate's latencies in the second half of each step.
	drift float64
	// spoils change records before they are evidence.
	spoils []func(*rawlog.Record)
}

// spoil changes every n-th answered record of an arm; 0 changes none.
func (s *scene) spoil(arm swap.Arm, every int, change func(*rawlog.Record)) {
	seen := 0
	s.each(func(r *rawlog.Record) {
		if r.Arm != string(arm) || every == 0 || !r.Good() {
			return
		}
		if seen++; seen%every == 0 {
			change(r)
		}
	})
}

// each changes every record.
func (s *scene) each(change func(*rawlog.Record)) { s.spoils = append(s.spoils, change) }

func usual() scene {
	return scene{
		seed: 1, steps: 2, pairs: 12, requests: 150, ttft: 1, tpot: 1, tokens: 1, failAs: swap.HTTP5xx, noise: .3, drift: 1,
	}
}

func settings() swap.Judge {
	return swap.Judge{Level: .95, Resamples: 499, MinBlocks: 10, MinTail: 30, Seed: 7}
}

func gate(metric swap.Metric, stat swap.Stat, margin float64) swap.Gate {
	g := swap.Gate{Metric: metric, Stat: stat, Margin: margin, Unit: swap.Relative, Better: swap.LowerIsBetter}
	switch metric {
	case swap.MetricErrorRate:
		g.Unit = swap.Absolute
	case swap.MetricThroughput:
		g.Better = swap.HigherIsBetter
	case swap.MetricOutputTokens:
		g.Better = swap.Either
	}
	return g
}

func usualGates() []swap.Gate {
	return []swap.Gate{
		gate(swap.MetricTTFT, swap.StatP50, .1), gate(swap.MetricTTFT, swap.StatP99, .2),
		gate(swap.MetricTPOT, swap.StatP50, .1), gate(swap.MetricTPOT, swap.StatP95, .1),
		gate(swap.MetricE2E, swap.StatMean, .1), gate(swap.MetricThroughput, swap.StatRate, .1),
		gate(swap.MetricErrorRate, swap.StatRate, .01), gate(swap.MetricOutputTokens, swap.StatMean, .1),
	}
}

func (s scene) evidence(gates ...swap.Gate) Evidence {
	random := rand.New(rand.NewPCG(s.seed, 99))
	e := Evidence{Gates: gates, Settings: settings(), EvidenceSHA256: "abc"}
	for step := 1; step <= s.steps; step++ {
		for block := 1; block <= 2*s.pairs; block++ {
			arm := swap.Baseline
			if block%4 == 2 || block%4 == 3 {
				arm = swap.Candidate
			}
			e.Blocks = append(e.Blocks, s.block(random, step, block, arm))
			*e.Planned.Ptr(arm)++
		}
	}
	return e
}

func (s scene) block(random *rand.Rand, step, number int, arm swap.Arm) Block {
	b := Block{
		Step: step, Block: number, Pair: (number + 1) / 2, Arm: arm, MeasuredSeconds: 10, ScheduleSHA256: "s",
		Planned: s.requests, Recorded: s.requests, Outcomes: swap.OutcomeCounts{},
	}
	level := .05 * random.NormFloat64()
	for seq := range s.requests {
		record := s.record(random, arm, level, number > s.pairs)
		record.Step, record.Block, record.Pair, record.Seq = int32(step), int32(number), int32(b.Pair), int32(seq)
		b.Outcomes[swap.Outcome(record.Outcome)]++
		for _, change := range s.spoils {
			change(&record)
		}
		b.Requests.Append(&record)
	}
	return b
}

func (s scene) record(random *rand.Rand, arm swap.Arm, level float64, late bool) rawlog.Record {
	ttft, tpot, tokens, fails := 100., 10., 100., s.baseFail
	if arm == swap.Candidate {
		ttft, tpot, tokens, fails = ttft*s.ttft, tpot*s.tpot, tokens*s.tokens, s.fails
		if late {
			ttft *= s.drift
		}
	}
	record := rawlog.Record{Arm: string(arm), Measured: true, SentUnixNS: 1, LateUS: 100, Outcome: string(swap.OK)}
	if random.Float64() < fails {
		record.Outcome = string(s.failAs)
		return record
	}
	n := int32(math.Round(tokens * math.Exp(.1*random.NormFloat64())))
	first := int64(1e3 * ttft * math.Exp(level+s.noise*random.NormFloat64()))
	last := first + int64(1e3*tpot*math.Exp(level+s.noise*random.NormFloat64()/3)*float64(n-1))
	record.FirstUS, record.LastUS, record.OutputTokens = &first, &last, &n
	return record
}
