package reaction

import (
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

const (
	// tail is the share of requests above the P99.
	tail = 0.01
	// fewestAbove is how many requests must be above the line for its slope to be told at all.
	fewestAbove = 10
	// fewestBlocks have a spread from which bounds can be told.
	fewestBlocks = 4
	// doublings and halvings bound the search for a root: how far it looks, and how closely.
	doublings = 40
	halvings  = 26
)

// pair is one request: the tokens of its prompt and its latency in ms.
type pair struct{ x, y float64 }

// estimate is a number with one-sided bounds; an end that nothing bounds is infinite.
type estimate struct{ value, low, high float64 }

// unbounded is an estimate without bounds.
func unbounded(value float64) estimate { return estimate{value, math.Inf(-1), math.Inf(1)} }

// scaled multiplies by a positive factor.
func (e estimate) scaled(factor float64) estimate {
	return estimate{e.value * factor, e.low * factor, e.high * factor}
}

// tailSlope is the slope of the line that 1 % of the requests are above, by quantile regression (Koenker and Bassett 1978). Its
// bounds are where the rank score of the slope (Gutenbrunner, Jurečková, Koenker and Portnoy 1993) is as far from 0 as Student's t
// allows, with the spread of the scores between blocks, as requests of one block need not be independent. Inverting a test needs no
// density at the P99, which resampling a few blocks tells badly.
func tailSlope(blocks [][]pair, level float64) (estimate, bool) {
	s := newScorer(blocks)
	if s.above < fewestAbove || !(s.spread > 0) {
		return estimate{}, false
	}
	value, ok := s.crossing(0, 0)
	if !ok {
		return estimate{}, false
	}
	e := unbounded(value)
	if len(s.sums) < fewestBlocks {
		return e, true
	}
	t := stats.TQuantile(level, float64(len(s.sums)-1))
	if low, ok := s.crossing(t, value); ok {
		e.low = min(low, value)
	}
	if high, ok := s.crossing(-t, value); ok {
		e.high = max(high, value)
	}
	return e, true
}

// scorer computes the rank score of a slope.
type scorer struct {
	pairs []pair
	// block is that of each pair; sums are scratch.
	block []int
	sums  []float64
	// residuals and ordered are scratch.
	residuals, ordered []float64
	mean, spread       float64
	above              int
	// unit is a step that is wide for the slope.
	unit float64
}

func newScorer(blocks [][]pair) *scorer {
	s := &scorer{}
	least, most := math.Inf(1), math.Inf(-1)
	for _, pairs := range blocks {
		if len(pairs) == 0 {
			continue
		}
		for _, p := range pairs {
			s.pairs, s.block = append(s.pairs, p), append(s.block, len(s.sums))
			s.mean += p.x
			least, most = min(least, p.y), max(most, p.y)
		}
		s.sums = append(s.sums, 0)
	}
	n := float64(len(s.pairs))
	s.above = int(n * tail)
	s.mean /= n
	for _, p := range s.pairs {
		s.spread += (p.x - s.mean) * (p.x - s.mean)
	}
	s.spread = math.Sqrt(s.spread / n)
	s.unit = (most - least) / s.spread / 64
	s.residuals, s.ordered = make([]float64, len(s.pairs)), make([]float64, len(s.pairs))
	return s
}

// score is the sum of the distances from the mean prompt over the requests above the line of a slope, less what chance puts there.
// It falls with the slope and is 0 at the estimate. Its standard error is that between blocks, and never less than that of independent
// requests.
func (s *scorer) score(slope float64) (score, standardError float64) {
	for i, p := range s.pairs {
		s.residuals[i] = p.y - slope*(p.x-s.mean)
	}
	copy(s.ordered, s.residuals)
	line := nth(s.ordered, len(s.ordered)-1-s.above)
	clear(s.sums)
	count := 0
	for _, r := range s.residuals {
		if r > line {
			count++
		}
	}
	expected := float64(count) / float64(len(s.pairs))
	for i, r := range s.residuals {
		psi := -expected
		if r > line {
			psi += 1
		}
		s.sums[s.block[i]] += psi * (s.pairs[i].x - s.mean)
	}
	score, between := totalWithError(s.sums)
	// Few blocks can agree by chance, more so where the score is low: independent requests give at least this.
	return score, max(between, s.spread*math.Sqrt(float64(count)*(1-expected)))
}

// totalWithError is the sum of independent parts and its standard error.
func totalWithError(parts []float64) (total, standardError float64) {
	for _, v := range parts {
		total += v
	}
	k := float64(len(parts))
	squares := 0.
	for _, v := range parts {
		squares += (v - total/k) * (v - total/k)
	}
	return total, math.Sqrt(k / (k - 1) * squares)
}

// crossing is the slope at which the score falls through t standard errors, looked for from a slope outwards.
func (s *scorer) crossing(t, from float64) (slope float64, found bool) {
	beyond := func(slope float64) bool {
		score, se := s.score(slope)
		return score > t*orOne(se, t)
	}
	start := beyond(from)
	width := s.unit
	if !start {
		width = -width
	}
	inside := from
	for range doublings {
		outside := inside + width
		if beyond(outside) != start {
			return bisect(inside, outside, start, beyond), true
		}
		inside, width = outside, 2*width
	}
	return 0, false
}

// orOne spares the standard error where no multiple of it counts: of a single block it is not a number.
func orOne(se, t float64) float64 {
	if t == 0 {
		return 1
	}
	return se
}

func bisect(inside, outside float64, start bool, beyond func(float64) bool) float64 {
	for range halvings {
		middle := inside + (outside-inside)/2
		if middle == inside || middle == outside {
			break
		}
		if beyond(middle) == start {
			inside = middle
		} else {
			outside = middle
		}
	}
	return inside + (outside-inside)/2
}

// nth is the value at place k in ascending order. It reorders the values (Hoare's selection, middle of three as the pivot).
func nth(values []float64, k int) float64 {
	low, high := 0, len(values)-1
	for high-low > 16 {
		pivot := median(values[low], values[(low+high)/2], values[high])
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return values[k]
		}
	}
	slices.Sort(values[low : high+1])
	return values[k]
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
