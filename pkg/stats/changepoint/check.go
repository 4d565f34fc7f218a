package changepoint

import (
	"fmt"
	"math"
)

// checkFinite names the first value that is no number.
func checkFinite(series []float64) error {
	for i, v := range series {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d of the series is %g: change points need finite values", i, v)
		}
	}
	return nil
}

func checkShare(name string, v float64) error {
	if !(v > 0 && v < 1) {
		return fmt.Errorf("%s is %g: it must be between 0 and 1", name, v)
	}
	return nil
}
