package changepoint

import (
	"errors"
	"math/rand/v2"
	"slices"
)

// permutationStream separates the random numbers of permutations from other users of the same seed.
const permutationStream = 0x6368616e6765

// PermutationOptions say when DetectByPermutation calls something a change.
type PermutationOptions struct {
	// MaxP is the largest p-value of a change point.
	MaxP float64
	// Permutations is how often the values are shuffled for one p-value, which is at least 1/(Permutations+1).
	Permutations int
	// MinSegment is the fewest values between two change points.
	MinSegment int
	Seed       uint64
}

// DefaultPermutations ask for p ≤ 0.01 of 999 permutations and three values between changes.
func DefaultPermutations(seed uint64) PermutationOptions {
	return PermutationOptions{MaxP: 0.01, Permutations: 999, MinSegment: defaultSegment, Seed: seed}
}

func (o PermutationOptions) check() error {
	switch {
	case o.MinSegment < 1:
		return errors.New("min segment must be at least 1")
	case !(1/float64(o.Permutations+1) <= o.MaxP) || o.Permutations < 1:
		return errors.New("too few permutations: a p-value is at least 1/(permutations+1), which must not be above max p")
	}
	return checkShare("max p", o.MaxP)
}

// PermutationPoint is a change point whose significance comes from permutations.
type PermutationPoint struct {
	// Index is the first value after the change.
	Index int
	// T is the energy statistic of the values before and after, up to the changes found before this one.
	T float64
	// P is the share of permutations within the segments found before this one, of which some split had a T at least as large.
	P float64
}

// DetectByPermutation finds changes of the distribution by e-divisive (Matteson and James 2014): it splits where the energy
// statistic is largest, as long as a permutation test finds that significant. Points come in the order of the series. A
// series of n values takes O(n·log n) for each permutation. The error is for a value that is not finite and for bad options.
func DetectByPermutation(series []float64, o PermutationOptions) ([]PermutationPoint, error) {
	if err := errors.Join(o.check(), checkFinite(series)); err != nil {
		return nil, err
	}
	if len(series) == 0 {
		return nil, nil
	}
	d := divisive{o: o, random: rand.New(rand.NewPCG(o.Seed, permutationStream)), sums: newRankSums(len(series))}
	d.segments = []segment{d.segment(series, 0)}
	var found []PermutationPoint
	for p, ok := d.next(); ok; p, ok = d.next() {
		found = append(found, p)
	}
	slices.SortFunc(found, func(a, b PermutationPoint) int { return a.Index - b.Index })
	return found, nil
}

// segment is what lies between two changes, with its best split.
type segment struct {
	// start is its place in the series.
	start  int
	values []float64
	// splitAt counts from start; t is 0 where there is no split.
	splitAt int
	t       float64
	// shuffled has the values in any order.
	shuffled ranked
}

// divisive is a series that is being split.
type divisive struct {
	o        PermutationOptions
	random   *rand.Rand
	sums     rankSums
	segments []segment
}

func (d *divisive) segment(values []float64, start int) segment {
	s := segment{start: start, values: values, shuffled: newRanked(values)}
	s.splitAt, s.t = s.shuffled.bestSplit(d.o.MinSegment, d.sums)
	return s
}

// next splits the segment whose best split is best of all, if that is significant.
func (d *divisive) next() (PermutationPoint, bool) {
	best := 0
	for i, s := range d.segments {
		if s.t > d.segments[best].t {
			best = i
		}
	}
	s := d.segments[best]
	if s.t <= 0 {
		return PermutationPoint{}, false
	}
	p, significant := d.test(s.t)
	if !significant {
		return PermutationPoint{}, false
	}
	left, right := d.segment(s.values[:s.splitAt], s.start), d.segment(s.values[s.splitAt:], s.start+s.splitAt)
	d.segments = slices.Replace(d.segments, best, best+1, left, right)
	return PermutationPoint{Index: right.start, T: s.t, P: p}, true
}

// test shuffles each segment in itself and counts how often the best split is as good as t. It stops when the answer is known.
func (d *divisive) test(t float64) (p float64, significant bool) {
	const rounding = 1 - 1e-12
	extreme, all := 0, float64(d.o.Permutations+1)
	for range d.o.Permutations {
		if d.shuffledBest() >= t*rounding {
			extreme++
		}
		if float64(extreme+1) > d.o.MaxP*all {
			return 1, false
		}
	}
	return float64(extreme+1) / all, true
}

func (d *divisive) shuffledBest() float64 {
	best := 0.0
	for _, s := range d.segments {
		d.random.Shuffle(len(s.values), s.shuffled.swap)
		_, t := s.shuffled.bestSplit(d.o.MinSegment, d.sums)
		best = max(best, t)
	}
	return best
}
