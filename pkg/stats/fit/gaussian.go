package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	gaussianSteps = 5000
	// gaussianSettled is the gain of the mean log-density in one step that ends the climb.
	gaussianSettled = 1e-13
	// leastVariance of a component, as a share of the sample's variance, keeps it from collapsing onto one value.
	leastVariance  = 1e-6
	gaussianStream = 0x6d69782d67617573
)

// Normal is a normal distribution.
type Normal struct{ Mean, SD float64 }

// GaussianMixture draws from Low with the probability Share, else from High. Low is the component with the smaller mean.
type GaussianMixture struct {
	Share     float64
	Low, High Normal
}

var _ Distribution = GaussianMixture{}

// LogDensity is the logarithm of the density at x.
func (m GaussianMixture) LogDensity(x float64) float64 {
	density, _ := m.assign(x)
	return density
}

func (m GaussianMixture) assign(x float64) (logDensity, low float64) {
	a := math.Log(m.Share) + m.Low.standard().LogProb(x)
	b := math.Log1p(-m.Share) + m.High.standard().LogProb(x)
	odds := math.Exp(-math.Abs(a - b))
	if a >= b {
		return a + math.Log1p(odds), 1 / (1 + odds)
	}
	return b + math.Log1p(odds), odds / (1 + odds)
}

// CDF is the probability of a value of at most x. At 0 it is the share of gaps that the mixture has negative.
func (m GaussianMixture) CDF(x float64) float64 {
	return m.Share*m.Low.standard().CDF(x) + (1-m.Share)*m.High.standard().CDF(x)
}

func (n Normal) standard() distuv.Normal { return distuv.Normal{Mu: n.Mean, Sigma: n.SD} }

// EstimateGaussianMixture is the classic mixture of two normal distributions, by plain expectation and maximisation from a seeded
// start: a first centre at random, a second with a probability that grows with the squared distance from it (k-means++,
// Arthur and Vassilvitskii 2007). It gives gaps a part below 0 and is there to be compared with EstimateWeibullMixture. SE is
// not computed and NaN.
func EstimateGaussianMixture(values []float64, seed uint64) (Fitted[GaussianMixture], error) {
	whole, err := gaussianSample(values)
	if err != nil {
		return Fitted[GaussianMixture]{}, err
	}
	m, before := gaussianStart(values, whole, seed), math.Inf(-1)
	n := float64(len(values))
	for range gaussianSteps {
		next, height := m.improve(values, whole)
		if height-before < gaussianSettled*n*(1+math.Abs(height)/n) {
			nan := Normal{math.NaN(), math.NaN()}
			return Fitted[GaussianMixture]{m.ordered(), GaussianMixture{math.NaN(), nan, nan}, height, len(values)}, nil
		}
		m, before = next, height
	}
	return Fitted[GaussianMixture]{}, fmt.Errorf("%w after %d steps", ErrNotConverged, gaussianSteps)
}

// gaussianSample checks the values and returns their mean and standard deviation.
func gaussianSample(values []float64) (Normal, error) {
	if len(values) < 2 {
		return Normal{}, fmt.Errorf("%w: %d given, at least 2 are needed", ErrData, len(values))
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Normal{}, fmt.Errorf("%w: value %d is %g, not finite", ErrData, i, v)
		}
	}
	m := tilt(values, nil, 0, slices.Max(values))
	if !(m.variance > 0) || math.IsInf(m.variance, 1) {
		return Normal{}, fmt.Errorf("%w: the values are equal, or their variance is not finite", ErrNoMaximum)
	}
	return Normal{m.mean, math.Sqrt(m.variance)}, nil
}

// gaussianStart assigns each value to the nearer of two centres.
func gaussianStart(values []float64, whole Normal, seed uint64) GaussianMixture {
	random := rand.New(rand.NewPCG(seed, gaussianStream))
	centre := values[random.IntN(len(values))]
	other := farFrom(values, centre, random)
	low := make([]float64, len(values))
	for i, v := range values {
		if math.Abs(v-centre) <= math.Abs(v-other) {
			low[i] = 1
		}
	}
	return fromMembers(values, low, whole)
}

func farFrom(values []float64, centre float64, random *rand.Rand) float64 {
	total := 0.0
	for _, v := range values {
		total += (v - centre) * (v - centre)
	}
	left := random.Float64() * total
	for _, v := range values {
		if left -= (v - centre) * (v - centre); left < 0 {
			return v
		}
	}
	return values[len(values)-1]
}

// improve takes one step. height is the log-likelihood before it.
func (m GaussianMixture) improve(values []float64, whole Normal) (next GaussianMixture, height float64) {
	low := make([]float64, len(values))
	for i, v := range values {
		var density float64
		density, low[i] = m.assign(v)
		height += density
	}
	return fromMembers(values, low, whole), height
}

// fromMembers fits each component to the values weighted by membership.
func fromMembers(values, low []float64, whole Normal) GaussianMixture {
	high := make([]float64, len(low))
	for i := range low {
		high[i] = 1 - low[i]
	}
	a, b := tilt(values, low, 0, whole.Mean), tilt(values, high, 0, whole.Mean)
	normal := func(m moments) Normal {
		return Normal{m.mean, math.Sqrt(max(m.variance, leastVariance*whole.SD*whole.SD))}
	}
	return GaussianMixture{a.total / float64(len(values)), normal(a), normal(b)}
}

func (m GaussianMixture) ordered() GaussianMixture {
	if m.Low.Mean > m.High.Mean {
		return GaussianMixture{1 - m.Share, m.High, m.Low}
	}
	return m
}
