package hypothesis

import "math"

// largestPathGrid is the most cells of a path count that is done exactly: two samples of 4,096, in about a tenth of a second.
const largestPathGrid = 1 << 24

// KolmogorovSmirnovTest asks whether two samples come from one distribution.
type KolmogorovSmirnovTest struct {
	// D is the greatest distance between the two empirical distribution functions, from 0 to 1.
	D float64

	samples merged
	// reach is D·m·n, a whole number.
	reach int
}

// KolmogorovSmirnov compares the empirical distribution functions of two samples, in any order (Smirnov 1939). Infinite values
// take part. ok is false where a sample is empty or holds a NaN. It takes O(N log N).
func KolmogorovSmirnov(first, second []float64) (test KolmogorovSmirnovTest, ok bool) {
	samples, ok := merge(first, second)
	if !ok {
		return KolmogorovSmirnovTest{}, false
	}
	reach := samples.reach()
	d := float64(reach) / (float64(samples.first) * float64(samples.second))
	return KolmogorovSmirnovTest{D: d, samples: samples, reach: reach}, true
}

// reach is the greatest |i·n − j·m| where i of the m first values and j of the n second are at most some value.
func (m merged) reach() int {
	i, j, greatest := 0, 0, 0
	for _, t := range m.tallies {
		i += t.first
		j += t.second
		greatest = max(greatest, distance(i*m.second, j*m.first))
	}
	return greatest
}

func distance(a, b int) int { return max(a-b, b-a) }

// P is the exact p-value where it can be counted, and the asymptotic one otherwise.
func (t KolmogorovSmirnovTest) P() float64 {
	if p, ok := t.ExactP(); ok {
		return p
	}
	return t.AsymptoticP()
}

// AsymptoticP is Q(D·√(mn/(m+n))) with KolmogorovSurvival Q. It is too large for small samples and for ties.
func (t KolmogorovSmirnovTest) AsymptoticP() float64 {
	m, n := float64(t.samples.first), float64(t.samples.second)
	return KolmogorovSurvival(t.D * math.Sqrt(m*n/(m+n)))
}

// ExactP is the share of all ways to deal the values to the two samples that give a D at least as large: of the lattice paths
// from (0,0) to (m,n), those that leave the band |i·n − j·m| < D·m·n (Hodges 1958; Kim and Jennrich 1973). With ties only
// points between distinct values count (Schröer and Trenkler 1995), so it stays exact given the ties. ok is false where m·n is
// above 2²⁴.
func (t KolmogorovSmirnovTest) ExactP() (p float64, ok bool) {
	m, n := t.samples.first, t.samples.second
	if float64(m)*float64(n) > largestPathGrid {
		return 0, false
	}
	between, inverse := t.samples.between(), inverses(m+n)
	// left[j] is the share of the paths to (i,j) that have left the band, for the i of the loop.
	left := make([]float64, n+1)
	for i := range m + 1 {
		before := 0.0
		for j := range left {
			switch {
			case between[i+j] && distance(i*n, j*m) >= t.reach:
				before = 1
			default:
				before = (float64(i)*left[j] + float64(j)*before) * inverse[i+j]
			}
			left[j] = before
		}
	}
	return left[n], true
}

// between says of each number of values whether the ones after are higher, not equal.
func (m merged) between() []bool {
	out := make([]bool, m.first+m.second+1)
	out[0] = true
	at := 0
	for _, size := range m.ties() {
		at += size
		out[at] = true
	}
	return out
}

// inverses are 1/s for each s up to highest, and 0 for s = 0.
func inverses(highest int) []float64 {
	out := make([]float64, highest+1)
	for s := 1; s <= highest; s++ {
		out[s] = 1 / float64(s)
	}
	return out
}
