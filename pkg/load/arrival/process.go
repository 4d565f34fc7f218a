package arrival

import (
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// process draws the gaps of a renewal process with a mean gap of 1.
type process interface {
	// first draws the time to the first arrival of the process in equilibrium: a gap chosen by its length, cut at a uniform
	// place.
	first(src source) float64
	next(src source) float64
}

func newProcess(a *swap.Arrival, gaps Gaps) process {
	if a == nil {
		return poisson{}
	}
	switch {
	case a.Process == swap.ArrivalPoisson || a.Process == "":
		return poisson{}
	case a.Process == swap.ArrivalConstant:
		return constant{}
	case a.Process == swap.ArrivalGamma && a.CV > 0:
		return gamma{shape: 1 / (a.CV * a.CV)}
	case a.Process == swap.ArrivalWeibull && len(a.Weibull) > 0:
		return newWeibull(a.Weibull)
	case a.Process == swap.ArrivalTrace && gaps.total() > 0:
		return &recorded{gaps: gaps, mean: float64(gaps.total()) / float64(len(gaps))}
	}
	panic(fmt.Sprintf("arrival: %q is not a process, or lacks its settings: cv %g, %d weibull components, %d recorded gaps",
		a.Process, a.CV, len(a.Weibull), len(gaps)))
}

// poisson has exponential gaps, which have no memory: the first is like the others.
type poisson struct{}

func (poisson) first(src source) float64 { return src.exponential() }
func (poisson) next(src source) float64  { return src.exponential() }

// constant has equal gaps and a uniform phase.
type constant struct{}

func (constant) first(src source) float64 { return src.Float64() }
func (constant) next(source) float64      { return 1 }

// gamma has gamma-distributed gaps; the coefficient of variation is 1/√shape. Chosen by length, a gap is gamma-distributed
// with a shape that is larger by 1.
type gamma struct{ shape float64 }

func (g gamma) first(src source) float64 { return src.unit() * src.gamma(g.shape+1) / g.shape }
func (g gamma) next(src source) float64  { return src.gamma(g.shape) / g.shape }

// weibull is a mixture of Weibull distributions.
type weibull struct {
	parts []weibullPart
}

// weibullPart is one component. Its weight is its share of the gaps, its share of time their part of the time.
type weibullPart struct {
	weight, time float64
	shape, scale float64
}

// newWeibull rescales a mixture to a mean of 1. The mean of a component is scale·Γ(1+1/shape).
func newWeibull(parts []swap.WeibullPart) weibull {
	var w weibull
	weights, mean := 0.0, 0.0
	for _, p := range parts {
		weights += p.Weight
		mean += p.Weight * p.Scale * math.Gamma(1+1/p.Shape)
	}
	mean /= weights
	for _, p := range parts {
		part := weibullPart{weight: p.Weight / weights, shape: p.Shape, scale: p.Scale / mean}
		part.time = part.weight * part.scale * math.Gamma(1+1/p.Shape)
		w.parts = append(w.parts, part)
	}
	return w
}

// first uses that a gap chosen by its length is scale·G^(1/shape) with G gamma-distributed with shape 1+1/shape.
func (w weibull) first(src source) float64 {
	p := w.pick(src, func(p weibullPart) float64 { return p.time })
	return src.unit() * p.scale * math.Pow(src.gamma(1+1/p.shape), 1/p.shape)
}

func (w weibull) next(src source) float64 {
	p := w.pick(src, func(p weibullPart) float64 { return p.weight })
	return p.scale * math.Pow(src.exponential(), 1/p.shape)
}

// pick draws a component by shares that sum to 1.
func (w weibull) pick(src source, share func(weibullPart) float64) weibullPart {
	u := src.Float64()
	last := len(w.parts) - 1
	i := slices.IndexFunc(w.parts[:last], func(p weibullPart) bool {
		u -= share(p)
		return u < 0
	})
	if i < 0 {
		i = last
	}
	return w.parts[i]
}
