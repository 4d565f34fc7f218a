package fit

import (
	"fmt"
	"math"
)

// WeibullMixture draws from Short with the probability Share, else from Long. Short is the component with the smaller scale.
type WeibullMixture struct {
	Share       float64
	Short, Long Weibull
}

var _ Distribution = WeibullMixture{}

// LogDensity is the logarithm of the density at x.
func (m WeibullMixture) LogDensity(x float64) float64 {
	if !(x > 0) {
		return math.Inf(-1)
	}
	density, _ := m.ready().assign(math.Log(x))
	return density
}

// CDF is the probability of a value of at most x.
func (m WeibullMixture) CDF(x float64) float64 {
	return m.Share*m.Short.CDF(x) + (1-m.Share)*m.Long.CDF(x)
}

// Mean is the mean of the mixture.
func (m WeibullMixture) Mean() float64 { return m.Share*m.Short.Mean() + (1-m.Share)*m.Long.Mean() }

// ready is a mixture with what does not depend on the value computed beforehand.
type readyMixture struct {
	logShare, logRest float64
	short, long       readyWeibull
}

func (m WeibullMixture) ready() readyMixture {
	return readyMixture{math.Log(m.Share), math.Log1p(-m.Share), m.Short.ready(), m.Long.ready()}
}

// assign returns the log-density at exp(logX), and the probability that such a value is from Short.
func (m readyMixture) assign(logX float64) (logDensity, short float64) {
	a, b := m.logShare+m.short.logDensity(logX), m.logRest+m.long.logDensity(logX)
	odds := math.Exp(-math.Abs(a - b))
	if a >= b {
		return a + math.Log1p(odds), 1 / (1 + odds)
	}
	return b + math.Log1p(odds), odds / (1 + odds)
}

func (m WeibullMixture) ordered() WeibullMixture {
	if m.Short.Scale > m.Long.Scale {
		return WeibullMixture{1 - m.Share, m.Long, m.Short}
	}
	return m
}

func (m WeibullMixture) valid() bool {
	for _, v := range []float64{m.Short.Shape, m.Short.Scale, m.Long.Shape, m.Long.Scale} {
		if !(v > 0) || math.IsInf(v, 1) {
			return false
		}
	}
	return m.Share > 0 && m.Share < 1
}

// EstimateWeibullMixture finds a mixture of two Weibull distributions by expectation and maximisation (Dempster, Laird and Rubin
// 1977) from ten seeded starts; each is followed for a while, the most likely one to its end (Biernacki, Celeux and Govaert
// 2003). The maximisation solves the weighted likelihood equations of each component. Starts that collapse onto a single
// value are given up; where all do, there is no maximum.
func EstimateWeibullMixture(values []float64, seed uint64) (Fitted[WeibullMixture], error) {
	logs, err := positive(values)
	if err != nil {
		return Fitted[WeibullMixture]{}, err
	}
	sorted := thinned(logs)
	err = errCollapsed
	for _, start := range trials(sorted, weibullStarts(sorted, seed)) {
		var fitted Fitted[WeibullMixture]
		if fitted, err = climbMixture(logs, start); err == nil {
			return fitted, nil
		}
	}
	return Fitted[WeibullMixture]{}, err
}

// EstimateWeibullMixtureFrom is the maximum that expectation and maximisation climb to from a given start.
func EstimateWeibullMixtureFrom(values []float64, start WeibullMixture) (Fitted[WeibullMixture], error) {
	logs, err := positive(values)
	if err != nil {
		return Fitted[WeibullMixture]{}, err
	}
	if !start.valid() {
		return Fitted[WeibullMixture]{}, fmt.Errorf("%w: %+v is not a mixture to start from", ErrData, start)
	}
	return climbMixture(logs, start)
}

func climbMixture(logs []float64, start WeibullMixture) (Fitted[WeibullMixture], error) {
	em := newWeibullEM(logs)
	near, _, ok := em.climb(start, trialSteps)
	if !ok {
		return Fitted[WeibullMixture]{}, errCollapsed
	}
	end, err := em.ascend(near)
	if err != nil {
		return Fitted[WeibullMixture]{}, err
	}
	m := end.ordered()
	return Fitted[WeibullMixture]{
		Distribution: m, SE: mixtureErrors(logs, m), LogLikelihood: m.logLikelihood(logs), N: len(logs),
	}, nil
}

func (m WeibullMixture) logLikelihood(logs []float64) float64 {
	sum := 0.0
	ready := m.ready()
	for _, z := range logs {
		density, _ := ready.assign(z)
		sum += density
	}
	return sum
}

func mixtureErrors(logs []float64, m WeibullMixture) WeibullMixture {
	at := m.working()
	errs := standardErrors(func(p []float64) float64 { return fromWorking(p).logLikelihood(logs) }, at[:])
	return WeibullMixture{
		m.Share * (1 - m.Share) * errs[0],
		Weibull{m.Short.Shape * errs[1], m.Short.Scale * errs[2]},
		Weibull{m.Long.Shape * errs[3], m.Long.Scale * errs[4]},
	}
}
