package fit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

const (
	// flat is the slope of the mean log-density, per unit of a working parameter, that counts as none.
	flat = 1e-9
	// nearlyFlat is what is accepted where rounding keeps the search from getting closer.
	nearlyFlat  = 1e-6
	ascentSteps = 2000
)

// ascend goes from a mixture that expectation and maximisation have brought near a maximum to that maximum, by BFGS, because
// they take thousands of steps for the last digits where components overlap (Jamshidian and Jennrich 1997).
func (e *weibullEM) ascend(m WeibullMixture) (WeibullMixture, error) {
	n := float64(len(e.logs))
	problem := optimize.Problem{
		Func: func(p []float64) float64 { return -fromWorking(p).logLikelihood(e.logs) / n },
		Grad: func(grad, p []float64) {
			for i, slope := range fromWorking(p).slope(e.logs) {
				grad[i] = -slope / n
			}
		},
	}
	start := m.working()
	settings := &optimize.Settings{GradientThreshold: flat, MajorIterations: ascentSteps, Converger: optimize.NeverTerminate{}}
	result, err := optimize.Minimize(problem, start[:], settings, &optimize.BFGS{})
	if result == nil {
		return m, fmt.Errorf("%w: %w", ErrNotConverged, err)
	}
	end := fromWorking(result.X)
	if _, _, ok := e.step(end); !ok || max(end.Short.Shape, end.Long.Shape) > mostShape {
		return end, errCollapsed
	}
	for _, slope := range end.slope(e.logs) {
		if !(math.Abs(slope)/n <= nearlyFlat) {
			return end, fmt.Errorf("%w after %d steps", ErrNotConverged, result.MajorIterations)
		}
	}
	return end, nil
}

// slope is the derivative of the log-likelihood by the working parameters (the score, by Fisher's identity the expected
// score of a value whose component is known).
func (m WeibullMixture) slope(logs []float64) [5]float64 {
	var slope [5]float64
	ready := m.ready()
	for _, z := range logs {
		_, p := ready.assign(z)
		shape, scale := ready.short.score(z)
		slope[0] += p - m.Share
		slope[1] += p * shape
		slope[2] += p * scale
		shape, scale = ready.long.score(z)
		slope[3] += (1 - p) * shape
		slope[4] += (1 - p) * scale
	}
	return slope
}

// score is the derivative of the log-density at exp(logX) by the logarithms of shape and scale.
func (w readyWeibull) score(logX float64) (shape, scale float64) {
	above := w.shape * (logX - w.logScale)
	excess := math.Expm1(above)
	return 1 - above*excess, w.shape * excess
}
