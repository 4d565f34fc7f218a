// Package splitmix turns numbers that are close to each other, such as a seed and the index of a request, into seeds that have
// nothing to do with each other. It is pure.
package splitmix

// Mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014): neighbouring inputs give unrelated outputs. Plans, prompts
// and pauses depend on its values; they must not change.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}
