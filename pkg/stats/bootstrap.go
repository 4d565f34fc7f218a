package stats

import "math/rand/v2"

// bootstrapStream separates the bootstrap's random numbers from other users of the same seed.
const bootstrapStream = 0x9e3779b97f4a7c15

// Strata groups blocks: Strata[k] is the group of block k. Blocks are exchanged only within their group.
type Strata []int

// MergeSingles joins every group of a single block to the group before it (the first to the one after), because one block
// alone says nothing about its variance.
func (s Strata) MergeSingles() Strata {
	merged := make(Strata, len(s))
	id, open := -1, false
	for _, group := range s.members() {
		single := len(group) == 1
		if id < 0 || !single && !open {
			id++
		}
		open = id == 0 && single && group[0] == 0
		for _, k := range group {
			merged[k] = id
		}
	}
	return merged
}

// Count is the number of groups.
func (s Strata) Count() int { return len(s.members()) }

// members lists the blocks of each group, in the order in which the groups first appear.
func (s Strata) members() [][]int {
	var groups [][]int
	at := map[int]int{}
	for k, g := range s {
		i, ok := at[g]
		if !ok {
			i = len(groups)
			at[g] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], k)
	}
	return groups
}

// Bootstrap evaluates statistic under resamples random reweightings of the blocks and returns the values in the order
// drawn. In each group of n blocks it draws n−1 with replacement and scales the counts by n/(n−1) (the rescaling
// bootstrap of Rao and Wu 1988), which makes the variance unbiased for sums even where groups are small. A group of one
// keeps weight 1. The weights slice is reused between calls of statistic.
func Bootstrap(strata Strata, resamples int, seed uint64, statistic func(weights []float64) float64) []float64 {
	random := rand.New(rand.NewPCG(seed, bootstrapStream))
	groups := strata.members()
	weights := make([]float64, len(strata))
	values := make([]float64, resamples)
	for i := range values {
		for _, group := range groups {
			reweigh(random, group, weights)
		}
		values[i] = statistic(weights)
	}
	return values
}

func reweigh(random *rand.Rand, group []int, weights []float64) {
	n := len(group)
	if n == 1 {
		weights[group[0]] = 1
		return
	}
	for _, k := range group {
		weights[k] = 0
	}
	unit := float64(n) / float64(n-1)
	for range n - 1 {
		weights[group[random.IntN(n)]] += unit
	}
}
