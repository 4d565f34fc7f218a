package stats

import "math"

const (
	radixBits   = 8
	radixDigits = 64 / radixBits
	radixSize   = 1 << radixBits
)

// orderKey maps a value to a number whose order is that of the values as slices.Sort has it: NaN, −Inf, …, −0, 0, …, +Inf.
func orderKey(v float64) uint64 {
	const sign = 1 << 63
	switch bits := math.Float64bits(v); {
	case v != v: //nolint:gocritic // dupSubExpr: only NaN differs from itself
		return 0
	case bits&sign != 0:
		return ^bits
	default:
		return bits | sign
	}
}

// keyValue is the value of a key.
func keyValue(key uint64) float64 {
	const sign = 1 << 63
	if key&sign != 0 {
		return math.Float64frombits(key &^ sign)
	}
	return math.Float64frombits(^key)
}

// radixSort sorts keys in ascending order and moves the tags along; equal keys keep their order. It goes digit by digit from the
// lowest, and over digits that all keys share not at all: a few nanoseconds a key, where comparing costs thirty times as much for
// a million. It returns the sorted keys and tags, which may lie where the arguments did.
func radixSort(keys []uint64, tags []int32) ([]uint64, []int32) {
	counts := countDigits(keys)
	otherKeys, otherTags := make([]uint64, len(keys)), make([]int32, len(tags))
	for digit := range counts {
		next := &counts[digit]
		if !startsOf(next, len(keys)) {
			continue
		}
		shift := radixBits * digit
		for i, key := range keys {
			at := &next[key>>shift%radixSize]
			otherKeys[*at], otherTags[*at] = key, tags[i]
			*at++
		}
		keys, otherKeys, tags, otherTags = otherKeys, keys, otherTags, tags
	}
	return keys, tags
}

// countDigits counts how often each digit has each value.
func countDigits(keys []uint64) (counts [radixDigits][radixSize]int) {
	for _, key := range keys {
		for digit := range counts {
			counts[digit][key>>(radixBits*digit)%radixSize]++
		}
	}
	return counts
}

// startsOf turns the counts of a digit into where the keys of each value begin. It reports false where all n keys share the digit.
func startsOf(counts *[radixSize]int, n int) bool {
	start := 0
	for value, count := range counts {
		if count == n {
			return false
		}
		counts[value] = start
		start += count
	}
	return true
}
