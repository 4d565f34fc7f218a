package knee

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
)

// noiseLevel is the one-sided confidence with which a difference must be beyond noise.
const noiseLevel = 0.95

// Level is one point of a curve: what came of a load. Both must be positive and finite.
type Level struct {
	Load, Throughput float64
	// RelativeError is the standard error of the throughput over the throughput.
	RelativeError float64
}

// Growth is elastic: the growth of the logarithm of throughput over that of the load. It is 1 while twice the load gives twice
// the throughput and 0 where more load gives nothing more, whatever the units and however far the loads are apart.
type Growth struct {
	Value float64
	// Noise is the largest value that noise explains where there is no growth, with a confidence of 95 %.
	Noise float64
}

// Between is the growth from one level to a level of more load.
func Between(a, b Level) Growth {
	rise := math.Log(b.Load / a.Load)
	return Growth{
		Value: math.Log(b.Throughput/a.Throughput) / rise,
		Noise: stats.NormalQuantile(noiseLevel) * math.Hypot(a.RelativeError, b.RelativeError) / rise,
	}
}

// Fall is where growth falls.
type Fall struct {
	// At is the last level up to which growth lasts, and Next the level that shows it.
	At, Next int
	// Before is the growth from the first level to At, and After that from At to Next.
	Before, After Growth
}

// GrowthFall is the first level beyond which growth is less than the average growth up to it by at least a share, such as 0.4.
// levels must be in the order of their load. Growth beyond a level is taken to the next one that is far enough for noise not to
// hide such a fall. found is false for fewer than 3 levels or where one is not positive and finite.
func GrowthFall(levels []Level, share float64) (fall Fall, found bool) {
	for i, l := range levels {
		if !(l.Load > 0 && l.Throughput > 0) || math.IsInf(l.Load+l.Throughput, 1) || i > 0 && l.Load <= levels[i-1].Load {
			return Fall{}, false
		}
	}
	for i := 1; i < len(levels)-1; i++ {
		before := Between(levels[0], levels[i])
		next, ok := farEnough(levels, i, share/2*before.Value)
		if !ok || before.Value <= before.Noise {
			continue
		}
		if after := Between(levels[i], levels[next]); after.Value <= (1-share)*before.Value {
			return Fall{At: i, Next: next, Before: before, After: after}, true
		}
	}
	return Fall{}, false
}

// farEnough is the first level after the i-th to which growth is known to within noise. Neighbours that are close to each other
// say little.
func farEnough(levels []Level, i int, noise float64) (next int, ok bool) {
	for next := i + 1; next < len(levels); next++ {
		if Between(levels[i], levels[next]).Noise <= noise {
			return next, true
		}
	}
	return 0, false
}
