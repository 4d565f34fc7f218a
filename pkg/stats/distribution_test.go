package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStudentsTTendsToTheNormalDistribution(t *testing.T) {
	for _, df := range []float64{1e7, 1e8, 1e9, 1e12, 1e15, 1e300, math.Inf(1)} {
		for _, p := range []float64{.005, .05, .5, .95, .995} {
			require.InDelta(t, NormalQuantile(p), TQuantile(p, df), 1e-6, "df %g", df)
			require.InDelta(t, p, TCDF(NormalQuantile(p), df), 1e-7, "df %g", df)
		}
	}
}
