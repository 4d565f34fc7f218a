package pace

import (
	"math"
	"math/rand/v2"
	"time"
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
	r := rand.New(rand.NewPCG(seed^thinkStream, mix(slot)^mix(^i)))
	means := min(longestThink, -math.Log(1-r.Float64()))
	return time.Duration(min(means*float64(mean), math.MaxInt64/2))
}

// thinkStream keeps pauses independent of arrivals and prompts that are drawn from the same seed.
const thinkStream = 0xe7037ed1a0b428db

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014): neighbouring inputs give unrelated outputs.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}
