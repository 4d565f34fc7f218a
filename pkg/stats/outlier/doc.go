// Package outlier labels values that differ from those around them, so that a person can see where jitter comes from. It is
// pure.
//
// It labels and never removes: a quantile of what is left after outliers were taken away is a quantile of something else. A gate
// on P99 that looks at cleaned values does not see what it is there for.
//
// Hampel finds glitches in a series, GTest a period in it, and Cluster groups of requests that are like each other and unlike the
// rest. SlidingZScore and ClassicFences are older rules which an outlier itself hides from; they are here so that rules which
// were written for them can be followed.
package outlier

import (
	"fmt"
	"math"
)

// checkFinite names the first value that is no number.
func checkFinite(values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d is %g: it must be finite", i, v)
		}
	}
	return nil
}
