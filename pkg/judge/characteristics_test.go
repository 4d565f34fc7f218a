package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// simulation draws the latencies of both arms: log-normal with σ = .5, half of the variance of the logarithm being an
// AR(1) process that starts anew in each block, as when a block drains before the next.
type simulation struct {
	// pairs of blocks in each step, and requests in each block.
	pairs, requests int
	// steps of load; each is e^.4 slower than the one before. 0 is one step.
	steps int
	phi   float64
	// shift is the candidate's true log-ratio; drift the rise over the run, spread over ABBA blocks.
	shift, drift float64
	// marginal is another distribution.
	marginal process.Marginal
}

const sigma = .5

func (s simulation) block(random *rand.Rand, shift float64) []float64 {
	p := process.Process{Marginal: process.LogNormal(1, sigma), Phi: s.phi, Share: .5}
	if s.marginal != nil {
		p.Marginal = s.marginal
	}
	return p.Block(random, s.requests, math.Exp(shift))
}

func (s simulation) arms(random *rand.Rand) (base, cand [][]float64) {
	for step := range max(1, s.steps) {
		slower := math.Exp(.4 * float64(step))
		b, c := s.step(random)
		base, cand = append(base, scaled(b, slower)...), append(cand, scaled(c, slower)...)
	}
	return base, cand
}

func (s simulation) step(random *rand.Rand) (base, cand [][]float64) {
	for k := range s.pairs {
		first, second := s.driftAt(2*k), s.driftAt(2*k+1)
		if k%2 == 1 {
			first, second = second, first
		}
		base, cand = append(base, s.block(random, first)), append(cand, s.block(random, s.shift+second))
	}
	return base, cand
}

func (s simulation) driftAt(block int) float64 { return s.drift * float64(block) / float64(2*s.pairs) }

// rates are how often a gate passed and failed, and how often each bound missed the truth.
type rates struct{ pass, fail, missLow, missHigh float64 }

func (s simulation) run(t *testing.T, stat swap.Stat) rates {
	t.Helper()
	random := rand.New(rand.NewPCG(42, uint64(s.pairs)))
	var r rates
	for range repetitions {
		base, cand := s.arms(random)
		m := compareQuantiles(s.pairs, base, cand, gate(swap.MetricTTFT, stat, .1), resamples, random.Uint64())
		result := m.settle(m.failP(), 1, settings())
		low, high := m.interval.bounds(.95)
		for _, c := range []struct {
			rate *float64
			hit  bool
		}{
			{&r.pass, result.Decision == swap.Pass},
			{&r.fail, result.Decision == swap.Fail},
			{&r.missLow, low > s.shift},
			{&r.missHigh, high < s.shift},
		} {
			if c.hit {
				*c.rate += 1 / float64(repetitions)
			}
		}
	}
	t.Logf("pass %.3f, fail %.3f, bounds miss %.3f below and %.3f above", r.pass, r.fail, r.missLow, r.missHigh)
	return r
}

// compareQuantiles judges the arms' values of each block, with pairsPerStep pairs in a step.
func compareQuantiles(pairsPerStep int, base, cand [][]float64, g swap.Gate, resamples int, seed uint64) measured {
	p := pairs{list: make([]pair, len(base)), strata: make(stats.Strata, len(base))}
	for k := range p.strata {
		p.strata[k] = k / pairsPerStep
	}
	chosen := settings()
	chosen.Resamples, chosen.Seed = resamples, seed
	arms := swap.PerArm[pooled]{Baseline: pooled{Pooled: stats.Pool(base)}, Candidate: pooled{Pooled: stats.Pool(cand)}}
	m := measured{gate: g, pairs: len(base), unstableP: 1}
	for _, arm := range swap.Arms {
		q, _ := g.Stat.Quantile()
		*m.values.Ptr(arm) = stats.Quantile(arms.Get(arm).Sorted(), q)
	}
	m.compareQuantiles(p, chosen, arms)
	return m
}

func TestOperatingCharacteristics(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates thousands of runs")
	}
	t.Run("equal arms, φ=.9", func(t *testing.T) {
		t.Parallel()
		r := simulation{pairs: 20, requests: 200, phi: .9}.run(t, swap.StatP99)
		require.LessOrEqual(t, r.fail, .01)
		nominal(t, r.missLow)
		nominal(t, r.missHigh)
	})
	t.Run("equal arms over four steps, φ=.9", func(t *testing.T) {
		t.Parallel()
		r := simulation{pairs: 4, steps: 4, requests: 100, phi: .9}.run(t, swap.StatP95)
		require.LessOrEqual(t, r.fail, .01)
		nominal(t, r.missLow)
		nominal(t, r.missHigh)
	})
	t.Run("equal arms under drift, φ=.9", func(t *testing.T) {
		t.Parallel()
		r := simulation{pairs: 20, requests: 200, phi: .9, drift: .1}.run(t, swap.StatP95)
		require.LessOrEqual(t, r.fail, .01)
		nominal(t, r.missLow)
		nominal(t, r.missHigh)
	})
	t.Run("at the margin, φ=.9", func(t *testing.T) {
		t.Parallel()
		r := simulation{pairs: 20, requests: 200, phi: .9, shift: math.Log(1.1)}.run(t, swap.StatP95)
		nominal(t, r.pass)
		nominal(t, r.fail)
	})
	t.Run("equal arms, the quantile between two modes", func(t *testing.T) {
		t.Parallel()
		cold := process.Bimodal(100, .2, .05, 5)
		r := simulation{pairs: 20, requests: 200, phi: .9, marginal: cold}.run(t, swap.StatP95)
		require.LessOrEqual(t, r.fail, .015)
		require.Greater(t, 1-r.missLow-r.missHigh, .87)
	})
	t.Run("twice the margin, φ=.5", func(t *testing.T) {
		t.Parallel()
		r := simulation{pairs: 20, requests: 200, phi: .5, shift: math.Log(1.2)}.run(t, swap.StatP95)
		require.Greater(t, r.fail, .8)
		require.Zero(t, r.pass)
	})
}

// nominal holds an error rate to its nominal 5 % within what the simulation can resolve.
func nominal(t *testing.T, rate float64) {
	t.Helper()
	require.GreaterOrEqual(t, rate, .03)
	require.LessOrEqual(t, rate, .075)
}
