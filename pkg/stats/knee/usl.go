package knee

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// USL is the universal scalability law (Gunther 1993): at load N a throughput of
//
//	X(N) = λN / (1 + σ(N−1) + κN(N−1)).
type USL struct {
	// Lambda is the throughput at load 1.
	Lambda float64
	// Sigma is contention, the share of work that cannot be done in parallel, and Kappa is coherency, the cost that grows with
	// pairs. Neither is negative.
	Sigma, Kappa float64
}

// At is the throughput at a load.
func (u USL) At(load float64) float64 {
	return u.Lambda * load / (1 + u.Sigma*(load-1) + u.Kappa*load*(load-1))
}

// Peak is the load of the highest throughput, √((1−σ)/κ). ok is false where there is none, because throughput grows for ever
// (κ = 0) or never did (σ ≥ 1).
func (u USL) Peak() (load float64, ok bool) {
	if u.Sigma >= 1 || u.Kappa <= 0 {
		return 0, false
	}
	load = math.Sqrt((1 - u.Sigma) / u.Kappa)
	return load, !math.IsInf(load, 1)
}

// RelativeError is the root mean square of the residuals over the mean throughput.
func (u USL) RelativeError(loads, throughputs []float64) float64 {
	squares, sum := 0.0, 0.0
	for i, n := range loads {
		squares += (throughputs[i] - u.At(n)) * (throughputs[i] - u.At(n))
		sum += throughputs[i]
	}
	return math.Sqrt(squares*float64(len(loads))) / sum
}

// FitUSL fits the law by least squares of the throughputs. Loads count in the unit in which 1 is one request or user at a time;
// where there is no such unit, divide them by the smallest. Then no curve that grows faster than its load from the smallest on
// is fitted. ok is false for fewer than 3 points, for loads that do not increase from above 0, and for throughputs that are not
// positive and finite.
func FitUSL(loads, throughputs []float64) (fit USL, ok bool) {
	f, ok := newFitting(loads, throughputs)
	if !ok {
		return USL{}, false
	}
	return f.law(f.search(starts)), true
}

// starts are where a search for the best fit begins.
var starts = [][]float64{{1, 1}, {0.1, 1}, {1, 0.1}, {3, 3}}

// fitting minimises over x = (s, t) with σ = s²/N and κ = t²/N², N the largest load, so that neither is negative and both are
// of the order of 1. λ is linear and comes of σ and κ.
type fitting struct {
	loads, throughputs []float64
	largest            float64
}

func newFitting(loads, throughputs []float64) (fitting, bool) {
	if !isCurve(loads, throughputs) || loads[0] <= 0 {
		return fitting{}, false
	}
	for _, v := range throughputs {
		if v <= 0 {
			return fitting{}, false
		}
	}
	return fitting{loads, throughputs, loads[len(loads)-1]}, true
}

// search is the best minimum from several starts.
func (f fitting) search(starts [][]float64) []float64 {
	problem := optimize.Problem{Func: f.loss, Grad: f.gradient}
	best, least := starts[0], math.Inf(1)
	for _, start := range starts {
		// An error means that no better point was found along a line, which is how a search at a minimum ends.
		result, _ := optimize.Minimize(problem, start, &optimize.Settings{MajorIterations: 500}, &optimize.BFGS{})
		if result != nil && result.F < least {
			best, least = result.X, result.F
		}
	}
	return best
}

func (f fitting) shape(x []float64) USL {
	return USL{Lambda: 1, Sigma: x[0] * x[0] / f.largest, Kappa: x[1] * x[1] / (f.largest * f.largest)}
}

// law has the λ that fits best.
func (f fitting) law(x []float64) USL {
	u := f.shape(x)
	product, square := 0.0, 0.0
	for i, n := range f.loads {
		g := u.At(n)
		product += g * f.throughputs[i]
		square += g * g
	}
	u.Lambda = product / square
	return u
}

func (f fitting) loss(x []float64) float64 {
	u := f.law(x)
	for _, n := range f.loads {
		if !(u.At(n) > 0) {
			return math.Inf(1)
		}
	}
	e := u.RelativeError(f.loads, f.throughputs)
	return e * e
}

// gradient leaves λ alone, because the loss does not depend on it to first order where it fits best.
func (f fitting) gradient(grad, x []float64) {
	u := f.law(x)
	sum, bySigma, byKappa := 0.0, 0.0, 0.0
	for i, n := range f.loads {
		at := u.At(n)
		slope := 2 * (f.throughputs[i] - at) * at * at * (n - 1) / (u.Lambda * n)
		bySigma += slope
		byKappa += slope * n
		sum += f.throughputs[i]
	}
	scale := float64(len(f.loads)) / (sum * sum)
	grad[0] = scale * bySigma * 2 * x[0] / f.largest
	grad[1] = scale * byKappa * 2 * x[1] / (f.largest * f.largest)
}
