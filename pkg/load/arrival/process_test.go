package arrival

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/swapgate/swapgate/pkg/swap"
)

func draws(n int, draw func(source) float64) []float64 {
	src := newSource(11, 3)
	out := make([]float64, n)
	for i := range out {
		out[i] = draw(src)
	}
	return out
}

// weibullCV is the coefficient of variation of a mixture in closed form: the k-th moment of a component is scale^k·Γ(1+k/shape).
func weibullCV(parts []swap.WeibullPart) float64 {
	moment := func(k float64) (sum float64) {
		for _, p := range parts {
			sum += p.Weight * math.Pow(p.Scale, k) * math.Gamma(1+k/p.Shape)
		}
		return sum
	}
	return math.Sqrt(moment(2)-moment(1)*moment(1)) / moment(1)
}

// TestGapsHaveTheMeanAndCVAskedFor also holds the first gap to equilibrium, whose mean is (1+cv²)/2.
func TestGapsHaveTheMeanAndCVAskedFor(t *testing.T) {
	cvs := map[string]float64{
		"poisson": 1, "constant": 0, "even": 0.3, "bursty": 3,
		"weibull": weibullCV(arrivals["weibull"].Weibull), "mixture": weibullCV(arrivals["mixture"].Weibull),
	}
	for name, cv := range cvs {
		t.Run(name, func(t *testing.T) {
			const n = 100_000
			p := newProcess(arrivals[name], nil)
			mean, sd := stat.MeanStdDev(draws(n, p.next), nil)
			require.InDelta(t, 1, mean, 4*cv/math.Sqrt(n)+1e-9)
			require.InDelta(t, cv, sd/mean, 0.04*cv+1e-9)
			firsts := draws(n, p.first)
			mean, sd = stat.MeanStdDev(firsts, nil)
			require.InDelta(t, (1+cv*cv)/2, mean, 4*sd/math.Sqrt(n))
		})
	}
}

// TestSamplersFollowTheirLaw compares with the distribution functions by the statistic of Kolmogorov and Smirnov, whose
// limit at the level 0.001 is 1.95/√n.
func TestSamplersFollowTheirLaw(t *testing.T) {
	const n = 40_000
	laws := map[string]struct {
		draw func(source) float64
		cdf  func(float64) float64
	}{
		"normal":      {source.normal, distuv.UnitNormal.CDF},
		"exponential": {source.exponential, distuv.Exponential{Rate: 1}.CDF},
		"gamma 0.05":  {func(s source) float64 { return s.gamma(0.05) }, distuv.Gamma{Alpha: 0.05, Beta: 1}.CDF},
		"gamma 0.7":   {func(s source) float64 { return s.gamma(0.7) }, distuv.Gamma{Alpha: 0.7, Beta: 1}.CDF},
		"gamma 1":     {func(s source) float64 { return s.gamma(1) }, distuv.Gamma{Alpha: 1, Beta: 1}.CDF},
		"gamma 40":    {func(s source) float64 { return s.gamma(40) }, distuv.Gamma{Alpha: 40, Beta: 1}.CDF},
		"weibull": {
			newWeibull([]swap.WeibullPart{{Weight: 1, Shape: 2, Scale: 9}}).next,
			distuv.Weibull{K: 2, Lambda: 1 / math.Gamma(1.5)}.CDF,
		},
	}
	for name, law := range laws {
		t.Run(name, func(t *testing.T) {
			require.Less(t, kolmogorov(draws(n, law.draw), law.cdf), 1.95/math.Sqrt(n))
		})
	}
}
