package drift

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Rules say how gates are watched.
type Rules struct {
	Watch swap.Watch
	Judge swap.Judge
}

// Metric compares one gate's statistic now with then. The message says what decided.
func (r Rules) Metric(g swap.Gate, then, now []registry.Level, noise Noise) swap.DriftMetric {
	m := swap.DriftMetric{Gate: g, Name: g.Name(), Unit: unitOf(g.Metric), Level: r.Judge.Level, Response: swap.DriftInconclusive}
	then, now = align(then, now)
	if why := r.refusal(g, now); why != "" {
		m.Message = m.Name + " " + why
		return m
	}
	s := Settings{Relative: g.Unit != swap.Absolute, Better: g.Better, Level: r.Judge.Level, Noise: noise}
	c, ok := compareGate(g, then, now, s)
	if !ok {
		return r.incomparable(m, then, now)
	}
	r.fill(&m, c, noise)
	return m
}

// compareGate compares what the gate is about in the way that fits it.
func compareGate(g swap.Gate, then, now []registry.Level, s Settings) (c Comparison, ok bool) {
	if g.Metric == swap.MetricErrorRate {
		return CompareShares(sharesOf(then), sharesOf(now), s)
	}
	if givenBySchedule(g, now) {
		if c, ok = ComparePaired(scheduledOf(g, then), scheduledOf(g, now), s); ok {
			return c, ok
		}
	}
	return Compare(valuesOf(g, then), valuesOf(g, now), s)
}

// refusal says why the gate cannot be watched at all, or nothing.
func (r Rules) refusal(g swap.Gate, now []registry.Level) string {
	if !kept(g) {
		return "is not among the numbers that a stored baseline has of each block: watch p50, p95 or p99 of it"
	}
	q, isQuantile := g.Stat.Quantile()
	if !isQuantile {
		return ""
	}
	n := 0
	for _, l := range now {
		for _, b := range l.Blocks {
			n += b.Requests
		}
	}
	if tail := float64(n) * min(q, 1-q); tail < float64(r.Judge.MinTail) {
		return fmt.Sprintf("rests on %.0f of %d requests beyond the quantile, and judge.min_tail is %d: hold the steps longer", tail, n,
			r.Judge.MinTail)
	}
	return ""
}

// incomparable is a block where every block now falls on failures and none did then, and otherwise not known.
func (r Rules) incomparable(m swap.DriftMetric, then, now []registry.Level) swap.DriftMetric {
	failedThen, ofThen := onFailures(valuesOf(m.Gate, then))
	failedNow, ofNow := onFailures(valuesOf(m.Gate, now))
	m.Blocks, m.BaselineBlocks = ofNow, ofThen
	switch {
	case failedNow == ofNow && ofNow >= r.Judge.MinBlocks && failedThen == 0:
		m.Response = swap.DriftBlock
		m.Message = fmt.Sprintf("%s falls on failed requests in all %d blocks, and did in none of the baseline", m.Name, ofNow)
	case failedNow > 0 || failedThen > 0:
		m.Message = fmt.Sprintf("%s falls on failed requests in %d of %d blocks now and in %d of %d of the baseline, so there is no level to "+
			"compare", m.Name, failedNow, ofNow, failedThen, ofThen)
	default:
		m.Message = m.Name + " has no level to compare: fewer than two blocks of the same load, or the server does not tell"
	}
	return m
}

func onFailures(blocks [][]float64) (failed, all int) {
	for _, values := range blocks {
		for _, v := range values {
			all++
			if math.IsInf(v, 1) {
				failed++
			}
		}
	}
	return failed, all
}

func (r Rules) fill(m *swap.DriftMetric, c Comparison, noise Noise) {
	limits, e := LimitsFor(m.Gate, r.Watch), c.Worsening
	m.Baseline, m.Now = swap.Of(c.Baseline), swap.Of(c.Now)
	m.Change, m.Low, m.High = swap.Of(e.Theta), swap.Of(e.Low), swap.Of(e.High)
	m.NowError = swap.Of(c.PerBlock / math.Sqrt(float64(c.Blocks)))
	m.Blocks, m.BaselineBlocks = c.Blocks, c.BlocksThen
	if noise.Known() {
		m.RunToRun = swap.Of(noise.SD)
	}
	m.Response = limits.Decide(e)
	if r.Watch.Rule == swap.DriftClassic3_8 {
		m.Response = limits.Point(e.Theta)
	}
	if m.Response == swap.DriftInconclusive {
		m.NeedBlocks = limits.NeedBlocks(e.Theta, c.PerBlock, c.Fixed, r.Judge.Level)
	}
	m.Message = says(*m, limits, r.Watch.Rule)
}
