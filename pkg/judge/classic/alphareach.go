package classic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// AlphaPlan is what is expected of a rollout.
type AlphaPlan struct {
	// Requests of each arm in a window, and the share of them that converts.
	Requests, Conversion float64
	// Windows is how many there will be: 1,440 in a day of one minute each.
	Windows int
}

// AlphaNeedsWindows is how many windows there must be before a rollback can be asked for: three, and the one before.
const AlphaNeedsWindows = alphaWindows + 1

// Needed is the average δ of three windows, in its unit, at which α falls by 40 % in all; for "each" it is that of every window.
func (a AlphaDecay) Needed() float64 {
	factor := 1 - alphaDrop
	if a.DropSemantics != DropEach {
		factor = math.Pow(factor, 1./alphaWindows)
	}
	return (factor-1)/alphaStep + alphaTarget
}

// MostFall is the largest fall of α in one window and over three, for the worst δ that the unit allows.
func (a AlphaDecay) MostFall() (one, three float64) {
	factor := max(0, 1+alphaStep*(a.DeltaUnit.Delta(1, 0)-alphaTarget))
	bound := alphaFloor / alphaCeiling
	return 1 - max(factor, bound), 1 - max(math.Pow(factor, alphaWindows), bound)
}

// Disarmed is the α below which the floor keeps it from falling far enough.
func (a AlphaDecay) Disarmed() float64 {
	if a.DropSemantics == DropEach {
		return alphaFloor / math.Pow(1-alphaDrop, alphaWindows)
	}
	return alphaFloor / (1 - alphaDrop)
}

// WindowsTo is how many windows with the same δ take α from one value to a lower one; +Inf where it does not fall.
func (AlphaDecay) WindowsTo(from, to, delta float64) float64 {
	factor := 1 + alphaStep*(delta-alphaTarget)
	switch {
	case factor >= 1:
		return math.Inf(1)
	case factor <= 0:
		return 1
	}
	return math.Log(to/from) / math.Log(factor)
}

// Reach says whether α can fall far enough at all, and in which share of rollouts with equal arms it does so on noise. Whether the
// error rate rises is left out: see RiseByChance.
func (a AlphaDecay) Reach(plan AlphaPlan) Reach {
	one, three := a.MostFall()
	most, asked := three, "over three windows"
	if a.DropSemantics == DropEach {
		most, asked = one, "in one window"
	}
	if most <= alphaDrop {
		return never("δ as %s lets α fall by at most %s %s, and the rollback asks for more than %s: write another delta_unit",
			a.DeltaUnit, percent(most), asked, percent(alphaDrop))
	}
	if plan.Windows <= alphaWindows || !(plan.Requests >= 1) || !(plan.Conversion > 0 && plan.Conversion < 1) {
		return Reach{ByChance: math.NaN()}
	}
	r := Reach{ByChance: a.byChance(plan)}
	if r.ByChance > worthAWord {
		r.Noise = fmt.Sprintf("with %.0f requests a window and a conversion of %s, noise alone makes α fall by more than %s within %d windows "+
			"of %s of rollouts with equal arms", plan.Requests, percent(plan.Conversion), percent(alphaDrop), plan.Windows, percent(r.ByChance))
	}
	return r
}

// byChance simulates rollouts with equal arms and follows the fall of α alone.
func (a AlphaDecay) byChance(plan AlphaPlan) float64 {
	const runs = 100
	conversions := distuv.Binomial{N: math.Round(plan.Requests), P: plan.Conversion, Src: rand.NewPCG(seed, 9)}
	fired := 0
	for range runs {
		alphas := []float64{a.start()}
		for range plan.Windows {
			delta := a.DeltaUnit.Delta(conversions.Rand()/conversions.N, conversions.Rand()/conversions.N)
			if math.IsNaN(delta) || math.IsInf(delta, 0) {
				continue // a window without a conversion of the baseline has no relative difference
			}
			alphas = append(alphas, a.Next(alphas[len(alphas)-1], delta))
			if len(alphas) > alphaWindows && a.fall(alphas) > alphaDrop {
				fired++
				break
			}
		}
	}
	return float64(fired) / runs
}

// RiseByChance is the probability that a window has 15 % more errors than are expected in it.
func (AlphaDecay) RiseByChance(expected float64) float64 {
	return distuv.Poisson{Lambda: expected}.Survival((1 + errorRise) * expected)
}
