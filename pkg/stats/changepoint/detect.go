package changepoint

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// defaultSegment is the fewest values between two changes: fewer cannot be told from a spike.
const defaultSegment = 3

// Options say when Detect calls something a change.
type Options struct {
	// MaxP is the largest p-value of a change point.
	MaxP float64
	// MinMagnitude is the smallest relative change that counts, such as 0.05; 0 takes all.
	MinMagnitude float64
	// MinSegment is the fewest values between two change points, at least 2. Fewer values alone make no change.
	MinSegment int
	// Window is how many values are searched at once, at least twice MinSegment. Changes that are closer to each other than
	// half a window are found best.
	Window int
}

// Defaults are those of Hunter: p ≤ 0.001 in windows of 50 values, any magnitude; and three values between changes.
func Defaults() Options { return Options{MaxP: 0.001, MinSegment: defaultSegment, Window: 50} }

func (o Options) check() error {
	switch {
	case o.MinSegment < 2:
		return errors.New("min segment must be at least 2")
	case o.Window < 2*o.MinSegment:
		return fmt.Errorf("the window must be at least %d, twice the min segment", 2*o.MinSegment)
	case !(o.MinMagnitude >= 0):
		return errors.New("min magnitude must not be negative")
	}
	return checkShare("max p", o.MaxP)
}

// firstPass is the p-value of weak change points, of which the merge step keeps the good ones.
func (o Options) firstPass() float64 {
	switch {
	case o.MaxP < 0.05:
		return 10 * o.MaxP
	case o.MaxP < 0.5:
		return 2 * o.MaxP
	}
	return o.MaxP
}

// Point is a change of the mean.
type Point struct {
	// Index is the first value after the change.
	Index int
	// Before and After are the means from the change before to this one, and from this one to the next. The standard deviations
	// divide by n−1.
	Before, After                   float64
	DeviationBefore, DeviationAfter float64
	// P is the two-sided p-value of Student's t-test, or the largest of those without the MinSegment−1 smallest or largest values
	// of either side, if that is larger. It does not know that the place of the change was searched for.
	P float64
}

// Relative is the change relative to the mean before; ok is false for a mean of 0.
func (p Point) Relative() (change float64, ok bool) { return relative(p.Before, p.After) }

// Magnitude is the relative change, or that of the way back if it is larger, without a sign. A change from or to 0 is 1.
func (p Point) Magnitude() float64 {
	there, _ := relative(p.Before, p.After)
	back, _ := relative(p.After, p.Before)
	return max(math.Abs(there), math.Abs(back))
}

func relative(from, to float64) (float64, bool) {
	if from == 0 {
		return 0, false
	}
	return to/from - 1, true
}

// Detect finds changes of the mean. It looks for weak change points in overlapping windows by e-divisive and then takes away,
// one by one, what makes a segment too short, the least significant, and the smallest, until all that is left counts. Points
// come in the order of the series. The error is for a value that is not finite and for bad options.
func Detect(series []float64, o Options) ([]Point, error) {
	if err := errors.Join(o.check(), checkFinite(series)); err != nil {
		return nil, err
	}
	var weak []int
	for start := 0; start < len(series); {
		end := min(start+o.Window, len(series))
		next := start + o.Window/2
		for _, at := range splits(series[start:end], o) {
			weak = append(weak, start+at)
			next = max(next, start+at)
		}
		start = next
	}
	slices.Sort(weak)
	return merge(series, slices.Compact(weak), o), nil
}

// splits are the weak change points of one window. They are tested with the values after them that the candidate goes with, and
// not with all up to the next change, among which a later change back would hide them.
func splits(window []float64, o Options) []int {
	ends := []int{0, len(window)}
	for {
		found, from := candidate{}, 0
		for i, a := range ends[:len(ends)-1] {
			if c := best(window[a:ends[i+1]], o.MinSegment); c.q > found.q {
				found, from = c, a
			}
		}
		at := from + found.at
		if found.q == 0 || equalMeans(sideOf(window[from:at]), sideOf(window[at:from+found.end])) > o.firstPass() {
			return ends[1 : len(ends)-1]
		}
		ends = append(ends, at)
		slices.Sort(ends)
	}
}

func pointAt(series []float64, from, at, to int, o Options) Point {
	before, after := series[from:at], series[at:to]
	a, b := sideOf(before), sideOf(after)
	return Point{
		Index: at, Before: a.mean, After: b.mean, DeviationBefore: a.deviation(), DeviationAfter: b.deviation(),
		P: max(equalMeans(a, b), withoutFew(before, after, o.MinSegment-1)),
	}
}

// merge takes weak change points away until those that are left count.
func merge(series []float64, at []int, o Options) []Point {
	points := make([]Point, len(at))
	refresh := func(i int) {
		if i >= 0 && i < len(points) {
			points[i] = pointAt(series, endBefore(at, i), at[i], endAfter(at, i, len(series)), o)
		}
	}
	for i := range points {
		refresh(i)
	}
	for {
		i, ok := worst(points, o)
		if !ok {
			return points
		}
		at, points = slices.Delete(at, i, i+1), slices.Delete(points, i, i+1)
		refresh(i - 1)
		refresh(i)
	}
}

func endBefore(at []int, i int) int {
	if i == 0 {
		return 0
	}
	return at[i-1]
}

func endAfter(at []int, i, n int) int {
	if i == len(at)-1 {
		return n
	}
	return at[i+1]
}

// worst is the point to take away next: the least significant of those beside a segment that is too short; else the least
// significant if it is not significant; else the smallest if it is too small.
func worst(points []Point, o Options) (i int, ok bool) {
	least, crowded, smallest := -1, -1, -1
	for i, p := range points {
		if least < 0 || p.P > points[least].P {
			least = i
		}
		short := i > 0 && p.Index-points[i-1].Index < o.MinSegment || i+1 < len(points) && points[i+1].Index-p.Index < o.MinSegment
		if short && (crowded < 0 || p.P > points[crowded].P) {
			crowded = i
		}
		if smallest < 0 || cmp.Less(p.Magnitude(), points[smallest].Magnitude()) {
			smallest = i
		}
	}
	switch {
	case crowded >= 0:
		return crowded, true
	case least >= 0 && points[least].P > o.MaxP:
		return least, true
	case smallest >= 0 && points[smallest].Magnitude() < o.MinMagnitude:
		return smallest, true
	}
	return 0, false
}
