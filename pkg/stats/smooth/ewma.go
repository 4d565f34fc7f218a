// Package smooth follows the level of a series: moving averages, moving quantiles and the mix of both that some dashboards use
// as a baseline. It is pure. Values are in the order of time.
//
// Hybrid has no coverage: a constant normal series exceeds it about every fourth time, and the value that is judged is part of
// it. It is here so that rules which were written for it can be followed; conformal sets thresholds with a known rate of alarms.
package smooth

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// EWMA is the exponentially weighted moving average with weights (1−decay)ᵏ for the value k places back, over their sum:
// pandas' ewm(alpha=decay, adjust=True).mean(). Decay is above 0 and at most 1; at 1 it is the series itself.
func EWMA(values []float64, decay float64) ([]float64, error) {
	if !(decay > 0 && decay <= 1) {
		return nil, fmt.Errorf("the decay is %g: it must be above 0 and at most 1", decay)
	}
	if err := checkFinite(values); err != nil {
		return nil, err
	}
	out := make([]float64, len(values))
	sum, weights := 0.0, 0.0
	for i, v := range values {
		sum = (1-decay)*sum + v
		weights = (1-decay)*weights + 1
		out[i] = sum / weights
	}
	return out, nil
}

// RollingQuantile is the p-quantile of each value and the window−1 before it, by linear interpolation (stats.Quantile):
// pandas' rolling(window).quantile(p). It is NaN where there are not as many values yet.
func RollingQuantile(values []float64, window int, p float64) ([]float64, error) {
	switch {
	case window < 1:
		return nil, fmt.Errorf("the window is %d values: it must have at least one", window)
	case !(p >= 0 && p <= 1):
		return nil, fmt.Errorf("the quantile is %g: it must be from 0 to 1", p)
	}
	if err := checkFinite(values); err != nil {
		return nil, err
	}
	out := make([]float64, len(values))
	for i := range values {
		if i+1 < window {
			out[i] = math.NaN()
			continue
		}
		out[i] = stats.Quantiles(values[i+1-window:i+1], p)[0]
	}
	return out, nil
}

// HybridOptions are the parts of Hybrid.
type HybridOptions struct {
	// Decay is that of EWMA, and Share its weight; the quantile has the rest.
	Decay, Share float64
	// Window and P are those of RollingQuantile.
	Window int
	P      float64
}

// ClassicHybrid is 0.6·EWMA(0.2) + 0.4·P95 of the last 30 values.
func ClassicHybrid() HybridOptions { return HybridOptions{Decay: 0.2, Share: 0.6, Window: 30, P: 0.95} }

// Hybrid is Share·EWMA + (1−Share)·RollingQuantile. It is NaN where there are fewer values than the window.
func Hybrid(values []float64, o HybridOptions) ([]float64, error) {
	if !(o.Share >= 0 && o.Share <= 1) {
		return nil, fmt.Errorf("the share of the average is %g: it must be from 0 to 1", o.Share)
	}
	average, err := EWMA(values, o.Decay)
	if err != nil {
		return nil, err
	}
	quantile, err := RollingQuantile(values, o.Window, o.P)
	if err != nil {
		return nil, err
	}
	for i, q := range quantile {
		quantile[i] = o.Share*average[i] + (1-o.Share)*q
	}
	return quantile, nil
}

func checkFinite(values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value %d of the series is %g: it must be finite", i, v)
		}
	}
	return nil
}
