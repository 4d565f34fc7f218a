package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
)

var lengths = []float64{
	37, 52, 64, 71, 88, 95, 103, 118, 131, 140, 156, 171, 190, 214, 233, 260, 291, 333, 378, 450,
	512, 640, 777, 960, 1210, 1500, 1890, 2400, 3100, 3900,
}

func TestTruncatedLogNormalMatchesReference(t *testing.T) {
	fitted, err := EstimateTruncatedLogNormal(lengths, 32, 4096)
	require.NoError(t, err)
	require.InDelta(t, 5.5141685582, fitted.Distribution.Mu, 1e-9)
	require.InDelta(t, 1.9030785434, fitted.Distribution.Sigma, 1e-9)
	require.InDelta(t, -218.2507616894, fitted.LogLikelihood, 1e-9)
	require.InDelta(t, .582935, fitted.SE.Mu, 1e-6)
	require.InDelta(t, .791579, fitted.SE.Sigma, 1e-6)
	require.InDelta(t, fitted.LogLikelihood, LogLikelihood(fitted.Distribution, lengths), 1e-9)
}

func TestWithoutBoundsItIsTheNaiveFit(t *testing.T) {
	fitted, err := EstimateTruncatedLogNormal(lengths, 0, math.Inf(1))
	require.NoError(t, err)
	require.InDelta(t, 5.7282748912, fitted.Distribution.Mu, 1e-9)
	require.InDelta(t, 1.2487717316, fitted.Distribution.Sigma, 1e-9)
	require.InDelta(t, -221.0812163373, fitted.LogLikelihood, 1e-9)
	naive := TruncatedLogNormal{fitted.Distribution.LogNormal, 32, 4096}
	require.InDelta(t, -219.4137901801, LogLikelihood(naive, lengths), 1e-9)
	require.InDelta(t, 1.2487717316/math.Sqrt(30), fitted.SE.Mu, 1e-6)
	require.InDelta(t, 1.2487717316/math.Sqrt(60), fitted.SE.Sigma, 1e-6)
}

// cutQuantile draws from a log-normal distribution cut to low..high.
func cutQuantile(d stats.LogNormal, low, high float64) func(float64) float64 {
	whole := distuv.LogNormal{Mu: d.Mu, Sigma: d.Sigma}
	from, to := whole.CDF(low), whole.CDF(high)
	return func(u float64) float64 { return whole.Quantile(from + u*(to-from)) }
}

func TestTruncatedLogNormalIsRecoveredWithinItsStandardError(t *testing.T) {
	truth := stats.LogNormal{Mu: 6, Sigma: 1}
	checkRecovery(t, 300, func(random *rand.Rand) []float64 {
		fitted, err := EstimateTruncatedLogNormal(draw(random, 800, cutQuantile(truth, 60, 2000)), 60, 2000)
		require.NoError(t, err)
		return []float64{(fitted.Distribution.Mu - truth.Mu) / fitted.SE.Mu, (fitted.Distribution.Sigma - truth.Sigma) / fitted.SE.Sigma}
	})
}

func logs(of ...float64) []float64 {
	values := make([]float64, len(of))
	for i, y := range of {
		values[i] = math.Exp(y)
	}
	return values
}

func TestTruncatedLogNormalThatDoesNotExist(t *testing.T) {
	low, high := 1., math.Exp(10)
	for name, c := range map[string]struct {
		values    []float64
		low, high float64
	}{
		"at both ends":                   {logs(0, .5, 1, 9, 9.5, 10), low, high},
		"at the ends only":               {logs(0, 10), low, high},
		"all at one end":                 {logs(10, 10, 10), low, high},
		"heavier than exponential above": {logs(0, .1, .2, .3, 8), low, math.Inf(1)},
		"heavier than exponential below": {logs(10, 9.9, 9.8, 9.7, 2), 0, high},
		"equal":                          {[]float64{7, 7, 7}, low, high},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := EstimateTruncatedLogNormal(c.values, c.low, c.high)
			require.ErrorIs(t, err, ErrNoMaximum)
		})
	}
}

// A uniform distribution on the logarithms has the variance (b−a)²/12: a symmetric sample has a fit just below it.
func TestTheFitExistsUpToTheVarianceOfTheUniform(t *testing.T) {
	high := math.Exp(2)
	at := 1 / math.Sqrt(3) // logarithms 1±d have the variance d²; the limit is 4/12
	_, err := EstimateTruncatedLogNormal(logs(1-at*1.0001, 1+at*1.0001), 1, high)
	require.ErrorIs(t, err, ErrNoMaximum)
	fitted, err := EstimateTruncatedLogNormal(logs(1-at*.999, 1+at*.999), 1, high)
	require.NoError(t, err)
	require.InDelta(t, 1, fitted.Distribution.Mu, 1e-6)
	require.Greater(t, fitted.Distribution.Sigma, 5.)
}

func TestTruncatedLogNormalRefusesBadBounds(t *testing.T) {
	for _, bounds := range [][2]float64{{0, 0}, {5, 4}, {-1, 9}, {math.NaN(), 9}, {0, math.NaN()}, {0, 2.5}, {1.5, 9}} {
		_, err := EstimateTruncatedLogNormal([]float64{1, 2, 3}, bounds[0], bounds[1])
		require.ErrorIs(t, err, ErrData, "%v", bounds)
	}
}

func TestTruncatedLogNormalFollowsTheUnitAndIsTheMostLikely(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(10, 1000), 3, 20, rapid.ID).Draw(t, "values")
		low := rapid.SampledFrom([]float64{0, 1, 10}).Draw(t, "low")
		high := rapid.SampledFrom([]float64{1000, 5000, math.Inf(1)}).Draw(t, "high")
		fitted, err := EstimateTruncatedLogNormal(values, low, high)
		if err != nil {
			requireNoMaximum(t, err)
			return
		}
		d := fitted.Distribution
		unit := 1024.
		scaled, err := EstimateTruncatedLogNormal(times(values, unit), low*unit, high*unit)
		if err != nil {
			t.Fatal(err)
		}
		if fitted.SE.Mu < 1e3*d.Sigma {
			requireClose(t, d.Mu+math.Log(unit), scaled.Distribution.Mu, 1e-3)
			requireClose(t, d.Sigma, scaled.Distribution.Sigma, 1e-3)
		}
		other := d
		other.Mu += d.Sigma * rapid.Float64Range(-1, 1).Draw(t, "mu")
		other.Sigma *= math.Exp(rapid.Float64Range(-1, 1).Draw(t, "sigma"))
		if LogLikelihood(other, values) > fitted.LogLikelihood+1e-6 {
			t.Fatalf("%+v beats %+v", other, d)
		}
	})
}

func requireNoMaximum(t *rapid.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, ErrNoMaximum)
}

func TestTruncatedDensityIntegratesToItsCDF(t *testing.T) {
	d := TruncatedLogNormal{stats.LogNormal{Mu: 5, Sigma: 1}, 50, 500}
	require.Zero(t, d.CDF(50))
	require.InDelta(t, 1, d.CDF(500), 1e-12)
	require.InDelta(t, 1, d.CDF(1e9), 1e-12)
	whole := distuv.LogNormal{Mu: 5, Sigma: 1}
	require.InDelta(t, (whole.CDF(200)-whole.CDF(50))/(whole.CDF(500)-whole.CDF(50)), d.CDF(200), 1e-10)
	density := whole.Prob(200) / (whole.CDF(500) - whole.CDF(50))
	require.InDelta(t, math.Log(density), d.LogDensity(200), 1e-12)
	require.True(t, math.IsInf(d.LogDensity(49), -1) && math.IsInf(d.LogDensity(501), -1))
}
