package hypothesis

import (
	"math"
	"slices"
)

// tally is one distinct value and how often each sample holds it.
type tally struct {
	value         float64
	first, second int
}

// merged is two samples in ascending order of their distinct values.
type merged struct {
	tallies       []tally
	first, second int
}

// merge sorts and counts two samples. ok is false where one is empty or holds a NaN; infinities have a place in the order.
func merge(first, second []float64) (m merged, ok bool) {
	a, okFirst := ascending(first)
	b, okSecond := ascending(second)
	if !okFirst || !okSecond {
		return merged{}, false
	}
	m = merged{first: len(a), second: len(b)}
	for len(a) > 0 || len(b) > 0 {
		next := tally{value: lowest(a, b)}
		next.first, a = countLeading(a, next.value)
		next.second, b = countLeading(b, next.value)
		m.tallies = append(m.tallies, next)
	}
	return m, true
}

func ascending(values []float64) (sorted []float64, ok bool) {
	if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
		return nil, false
	}
	sorted = slices.Clone(values)
	slices.Sort(sorted)
	return sorted, true
}

func lowest(a, b []float64) float64 {
	if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
		return a[0]
	}
	return b[0]
}

func countLeading(sorted []float64, value float64) (count int, rest []float64) {
	for count < len(sorted) && sorted[count] == value {
		count++
	}
	return count, sorted[count:]
}

// ties are how many of all values share each distinct one.
func (m merged) ties() []int {
	sizes := make([]int, len(m.tallies))
	for i, t := range m.tallies {
		sizes[i] = t.first + t.second
	}
	return sizes
}
