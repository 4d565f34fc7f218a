package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	// trialSteps is how far each start is followed before the best one is followed to its end.
	trialSteps = 30
	// leastMembers is the fewest values that a component may stand for. The likelihood of a component of one value has no
	// bound.
	leastMembers = 2.
)

// weibullEM climbs the likelihood of a Weibull mixture on values whose logarithms are given.
type weibullEM struct {
	logs        []float64
	short, long []float64
}

func newWeibullEM(logs []float64) *weibullEM {
	return &weibullEM{logs, make([]float64, len(logs)), make([]float64, len(logs))}
}

// step assigns every value to the components by probability, and fits each component to what is its own. It also returns
// the log-likelihood of m. ok is false when a component collapses.
func (e *weibullEM) step(m WeibullMixture) (next WeibullMixture, logLikelihood float64, ok bool) {
	members, n := 0.0, float64(len(e.logs))
	ready := m.ready()
	for i, z := range e.logs {
		density, p := ready.assign(z)
		e.short[i], e.long[i] = p, 1-p
		members += p
		logLikelihood += density
	}
	if !(members >= leastMembers && n-members >= leastMembers) {
		return m, logLikelihood, false
	}
	short, okShort := weightedWeibull(e.logs, e.short, m.Short.Shape)
	long, okLong := weightedWeibull(e.logs, e.long, m.Long.Shape)
	return WeibullMixture{members / n, short, long}, logLikelihood, okShort && okLong
}

// climb takes steps. It is false when a component collapses.
func (e *weibullEM) climb(m WeibullMixture, steps int) (end WeibullMixture, logLikelihood float64, ok bool) {
	for range steps {
		if m, logLikelihood, ok = e.step(m); !ok {
			return m, logLikelihood, false
		}
	}
	return m, logLikelihood, true
}

var errCollapsed = fmt.Errorf("%w: a component ended on a single value", ErrNoMaximum)

// working are the parameters without limits: the logit of the share and the logarithms of shapes and scales.
func (m WeibullMixture) working() [5]float64 {
	return [5]float64{
		math.Log(m.Share / (1 - m.Share)),
		math.Log(m.Short.Shape), math.Log(m.Short.Scale), math.Log(m.Long.Shape), math.Log(m.Long.Scale),
	}
}

func fromWorking(p []float64) WeibullMixture {
	return WeibullMixture{
		Share: 1 / (1 + math.Exp(-p[0])), Short: weibullFromLogs(p[1], p[2]), Long: weibullFromLogs(p[3], p[4]),
	}
}

// trials follows each start for a while and returns the ends, the most likely first.
func trials(logs []float64, starts []WeibullMixture) []WeibullMixture {
	em := newWeibullEM(logs)
	var ends []WeibullMixture
	height := map[WeibullMixture]float64{}
	for _, start := range starts {
		if end, reached, ok := em.climb(start, trialSteps); ok {
			ends = append(ends, end)
			height[end] = reached
		}
	}
	slices.SortStableFunc(ends, func(a, b WeibullMixture) int { return cmp.Compare(height[b], height[a]) })
	return ends
}
