package fit

// Scored is a fit with what it is compared by. Err says why there is none; the rest is then meaningless.
type Scored[D Distribution] struct {
	Fitted[D]
	BIC            float64
	CramerVonMises float64
	Err            error
}

// GapModel names a model of the gaps between requests.
type GapModel string

// Models of gaps. They have 1, 2 and 5 parameters.
const (
	GapsExponential    GapModel = "exponential"
	GapsWeibull        GapModel = "weibull"
	GapsWeibullMixture GapModel = "weibull_mixture"
)

// Gaps are the models that gaps between requests were fitted with.
type Gaps struct {
	Exponential    Scored[Exponential]
	Weibull        Scored[Weibull]
	WeibullMixture Scored[WeibullMixture]
	// Best has the lowest BIC.
	Best GapModel
}

// CompareGaps fits a Poisson process and two wider models to gaps, which must be positive, and says which describes them best.
// A wider model that has no fit is left out of the comparison.
func CompareGaps(gaps []float64, seed uint64) (Gaps, error) {
	g := Gaps{
		Exponential:    score(gaps, 1, EstimateExponential),
		Weibull:        score(gaps, 2, EstimateWeibull),
		WeibullMixture: score(gaps, 5, func(gaps []float64) (Fitted[WeibullMixture], error) { return EstimateWeibullMixture(gaps, seed) }),
		Best:           GapsExponential,
	}
	if g.Exponential.Err != nil {
		return Gaps{}, g.Exponential.Err
	}
	lowest := g.Exponential.BIC
	if g.Weibull.Err == nil && g.Weibull.BIC < lowest {
		lowest, g.Best = g.Weibull.BIC, GapsWeibull
	}
	if g.WeibullMixture.Err == nil && g.WeibullMixture.BIC < lowest {
		g.Best = GapsWeibullMixture
	}
	return g, nil
}

func score[D Distribution](gaps []float64, parameters int, fit func([]float64) (Fitted[D], error)) Scored[D] {
	fitted, err := fit(gaps)
	if err != nil {
		return Scored[D]{Err: err}
	}
	return Scored[D]{
		Fitted:         fitted,
		BIC:            BIC(fitted.LogLikelihood, parameters, fitted.N),
		CramerVonMises: CramerVonMises(fitted.Distribution, gaps),
	}
}
