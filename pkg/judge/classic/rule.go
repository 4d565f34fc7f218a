package classic

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Rule is what all rules have in common.
type Rule interface {
	Name() swap.RuleName
	// Weakness is one sentence on where the rule goes wrong, with its numbers.
	Weakness() string
}

// Reading is what a rule says of some values.
type Reading struct {
	// Fires says that the rule found what it looks for.
	Fires bool
	// Value is the number that was held against Threshold. Each is NaN where there is none.
	Value, Threshold float64
	// Refusal says why the rule cannot be computed; empty where it can.
	Refusal string
}

func refuse(format string, args ...any) Reading {
	return Reading{Value: math.NaN(), Threshold: math.NaN(), Refusal: fmt.Sprintf(format, args...)}
}

// above fires for a value above the threshold.
func above(value, threshold float64) Reading {
	return Reading{Fires: value > threshold, Value: value, Threshold: threshold}
}

// typicalSigma is the spread of the logarithm of a typical TTFT.
const typicalSigma = 0.5

// seed is fixed: the same options and plan always have the same chances.
const seed = 0x636c6173736963

func normalCDF(x float64) float64 { return stats.TCDF(x, math.Inf(1)) }

// populationSD is NumPy's std of two values or more: the root of the mean squared deviation.
func populationSD(values []float64) float64 {
	n := float64(len(values))
	return stats.StandardDeviation(values) * math.Sqrt((n-1)/n)
}

// notFinite is the index of the first value that is NaN or infinite, or −1.
func notFinite(values []float64) int {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return i
		}
	}
	return -1
}

func percent(fraction float64) string { return fmt.Sprintf("%.3g %%", 100*fraction) }
