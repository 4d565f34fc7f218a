package pace

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/swapgate/swapgate/pkg/splitmix"
)

// longestThink bounds a pause, in means. It changes the mean by less than 0.005 %.
const longestThink = 10

// ThinkTime is the pause before request i of a slot: exponentially distributed with the given mean, at most ten times the
// mean, and a function of its arguments alone. It comes from the inverse of the distribution, so that a seed keeps its
// meaning whatever the standard library does.
func ThinkTime(seed, slot, i uint64, mean time.Duration) time.Duration {
	if mean <= 0 {
		return 0
	}
	r := rand.New(rand.NewPCG(seed^thinkStream, splitmix.Mix(slot)^splitmix.Mix(^i)))
	means := min(longestThink, -math.Log(1-r.Float64()))
	return time.Duration(min(means*float64(mean), math.MaxInt64/2))
}

// thinkStream keeps pauses independent of arrivals and prompts that are drawn from the same seed.
const thinkStream = 0xe7037ed1a0b428db
