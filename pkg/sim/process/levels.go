package process

import (
	"math"
	"math/rand/v2"
)

// Drift is a slow change of the whole system: a rise over the run, and a stationary Ornstein–Uhlenbeck process.
type Drift struct {
	// Rise is the relative change from the first block to the last.
	Rise float64
	// Wander is the standard deviation of the logarithm of the process, Memory its correlation from one block to the next.
	Wander, Memory float64
}

// Levels are the multipliers of n blocks in the order of time.
func (d Drift) Levels(random *rand.Rand, n int) []float64 {
	levels := make([]float64, n)
	state := random.NormFloat64()
	innovation := math.Sqrt(1 - d.Memory*d.Memory)
	for i := range levels {
		levels[i] = (1 + d.Rise*float64(i)/float64(max(1, n-1))) * math.Exp(d.Wander*state)
		state = d.Memory*state + innovation*random.NormFloat64()
	}
	return levels
}
