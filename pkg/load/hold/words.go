package hold

import (
	"math"
	"strconv"

	"github.com/swapgate/swapgate/pkg/swap"
)

// percent writes a share with two or three digits.
func percent(share float64) string {
	digits := 0
	if math.Abs(share) < 0.0995 {
		digits = 1
	}
	return strconv.FormatFloat(100*share, 'f', digits, 64) + " %"
}

func percentile(q float64) string {
	return "P" + strconv.FormatFloat(math.Round(1000*q)/10, 'f', -1, 64)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

func milliseconds(v float64) string { return swap.Of(v).String() + " ms" }
