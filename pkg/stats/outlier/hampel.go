package outlier

import (
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

// toDeviation makes a median absolute deviation an estimate of the standard deviation of normal values: 1/Φ⁻¹(3/4).
const toDeviation = 1.4826

// HampelOptions are the window and the limit of Hampel.
type HampelOptions struct {
	// Window is how many values are looked at, an odd number with the judged one in the middle.
	Window int
	// Deviations is how many standard deviations from the median are too many.
	Deviations float64
}

// HampelDefaults are 31 values and 3 standard deviations.
func HampelDefaults() HampelOptions { return HampelOptions{Window: 31, Deviations: 3} }

// Hampel labels the values of a series that are further than Deviations·1.4826·MAD from the median of the window around them
// (Hampel 1974). It returns their indices. At the ends of the series the window is shorter. Where more than half of a window
// is equal, MAD is 0 and every other value in its middle is labelled. The error is for a value that is not finite, a window
// that is even or below 3, and a negative limit.
func Hampel(series []float64, o HampelOptions) ([]int, error) {
	switch {
	case o.Window < 3 || o.Window%2 == 0:
		return nil, fmt.Errorf("the window is %d values: it must be odd and at least 3", o.Window)
	case !(o.Deviations >= 0):
		return nil, fmt.Errorf("the limit is %g standard deviations: it must not be negative", o.Deviations)
	}
	if err := checkFinite(series); err != nil {
		return nil, err
	}
	var labelled []int
	half := o.Window / 2
	for i, v := range series {
		centre, mad := spread(series[max(0, i-half):min(len(series), i+half+1)])
		if math.Abs(v-centre) > o.Deviations*toDeviation*mad {
			labelled = append(labelled, i)
		}
	}
	return labelled, nil
}

// spread is the median and the median absolute deviation from it.
func spread(values []float64) (median, mad float64) {
	sorted := slices.Sorted(slices.Values(values))
	median = stats.Quantile(sorted, 0.5)
	for i, v := range sorted {
		sorted[i] = math.Abs(v - median)
	}
	slices.Sort(sorted)
	return median, stats.Quantile(sorted, 0.5)
}

// SlidingZScore labels the values that are further than limit sample standard deviations (n−1) from the mean of the last window
// values, the judged one among them: pandas' (x − x.rolling(window).mean())/x.rolling(window).std(). The first window−1 values
// are not judged. It returns indices.
//
// An outlier widens the deviation that it is judged by: none of w values can be (w−1)/√w or more deviations off, so that a limit
// of 3 needs 11 values. A limit that cannot be passed is an error, as is a value that is not finite. Hampel has no such limit.
func SlidingZScore(series []float64, window int, limit float64) ([]int, error) {
	most := float64(window-1) / math.Sqrt(float64(window))
	switch {
	case window < 2 || !(limit >= 0):
		return nil, fmt.Errorf("window %d and limit %g: the window must be at least 2 and the limit not negative", window, limit)
	case limit >= most:
		return nil, fmt.Errorf("the limit of %g can never be passed: of %d values none is further than %.3g deviations from their mean",
			limit, window, most)
	}
	if err := checkFinite(series); err != nil {
		return nil, err
	}
	var labelled []int
	for end := window; end <= len(series); end++ {
		values := series[end-window : end]
		if math.Abs(values[window-1]-stats.Mean(values)) > limit*stats.StandardDeviation(values) && !constant(values) {
			labelled = append(labelled, end-1)
		}
	}
	return labelled, nil
}

func constant(values []float64) bool { return slices.Min(values) == slices.Max(values) }
