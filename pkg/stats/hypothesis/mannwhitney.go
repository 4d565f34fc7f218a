package hypothesis

import "math"

// MannWhitneyTest asks whether values of one sample tend to be higher than those of the other.
type MannWhitneyTest struct {
	// U is the number of pairs in which the first sample's value is the higher one, where a tie counts one half. Over the
	// number of pairs it is the probability that a value of the first sample is higher.
	U float64

	samples merged
}

// MannWhitney compares two samples, in any order, by their ranks (Mann and Whitney 1947; Wilcoxon's rank sum). Infinite values
// take part. ok is false where a sample is empty or holds a NaN. It takes O(N log N).
func MannWhitney(first, second []float64) (test MannWhitneyTest, ok bool) {
	samples, ok := merge(first, second)
	if !ok {
		return MannWhitneyTest{}, false
	}
	return MannWhitneyTest{U: samples.pairsWon(), samples: samples}, true
}

func (m merged) pairsWon() float64 {
	won, below := 0.0, 0
	for _, t := range m.tallies {
		won += float64(t.first) * (float64(below) + float64(t.second)/2)
		below += t.second
	}
	return won
}

// P is the exact p-value where it can be counted, and the asymptotic one with the continuity correction otherwise.
func (t MannWhitneyTest) P() float64 {
	if p, ok := t.ExactP(); ok {
		return p
	}
	return t.AsymptoticP()
}

// ExactP is the two-sided p-value: the share of all ways to deal the values to the two samples, ties as they are, that bring U
// at least as far from mn/2. ok is false where counting them takes too long: above about 75 values in each sample, or 63 with
// ties; more where one sample is small.
func (t MannWhitneyTest) ExactP() (p float64, ok bool) {
	m, u := t.samples.first, t.U
	if n := t.samples.second; n < m {
		m, u = n, float64(m)*float64(n)-u
	}
	d, ok := newRankDistribution(t.samples.ties(), m)
	if !ok {
		return 0, false
	}
	return farFromCentre(d.probability, int(math.Round(float64(d.unit)*u))), true
}

// AsymptoticP is the two-sided normal approximation with corrections for ties and continuity,
//
//	z = (|U − mn/2| − ½)/σ,  σ² = mn/12 · (N+1 − Σ(t³−t)/(N(N−1))).
//
// It is 1 where all values are equal.
func (t MannWhitneyTest) AsymptoticP() float64 { return t.normalP(.5) }

// AsymptoticPUncorrected is AsymptoticP without the correction for continuity.
func (t MannWhitneyTest) AsymptoticPUncorrected() float64 { return t.normalP(0) }

func (t MannWhitneyTest) normalP(continuity float64) float64 {
	m, n := float64(t.samples.first), float64(t.samples.second)
	total, tied := m+n, 0.0
	for _, size := range t.samples.ties() {
		s := float64(size)
		tied += s * (s*s - 1)
	}
	variance := m * n / 12 * (total + 1 - tied/(total*(total-1)))
	return twoSidedNormal(math.Abs(t.U-m*n/2)-continuity, variance)
}

// twoSidedNormal is the probability that a normal variable is at least this far from its mean.
func twoSidedNormal(far, variance float64) float64 {
	if far <= 0 || !(variance > 0) {
		return 1
	}
	return math.Erfc(far / math.Sqrt(2*variance))
}
