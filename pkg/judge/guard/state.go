package guard

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Settings of a guard.
type Settings struct {
	// Alpha is the nominal chance that the guard ever fires on a candidate that is no worse than the margins. The true one is
	// about half of it where differences are skewed, as shares of rare events are: their mean and their spread rise together.
	Alpha float64 `json:"alpha"`
	// MinSlices is how many slices a gate needs before it may fire: the confidence sequence is an asymptotic one.
	MinSlices int `json:"min_slices"`
	// MinRequests is how many requests of each arm a slice needs; smaller ones are joined.
	MinRequests float64 `json:"min_requests"`
	// Horizon is the number of slices at which the bounds are tightest.
	Horizon float64 `json:"horizon"`
}

// Default is the settings with which less than one rollout in a hundred is stopped falsely, with every gate at its margin, and
// a rise of P99 by half is seen after about eleven slices of 200 requests.
func Default() Settings { return Settings{Alpha: .02, MinSlices: 8, MinRequests: 100, Horizon: 12} }

// State is what a guard has seen. Its zero value has seen nothing.
type State struct {
	Gates []GateState `json:"gates,omitempty"`
}

// GateState is what was seen of one gate.
type GateState struct {
	// Pending is the slice that has too few requests so far.
	Pending swap.PerArm[Sum] `json:"pending"`
	// Directions are the moments of the difference for each direction that counts.
	Directions []Moments `json:"directions,omitempty"`
}

// Moments of the differences, by Welford's algorithm, and the smallest p-value so far.
type Moments struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	// Squares is the sum of squared deviations from the mean.
	Squares float64 `json:"squares"`
	P       float64 `json:"p"`
}

// Observe adds a slice: sums for each watch, in the order of the watches. An arm without requests leaves its gate as it was.
func (s State) Observe(settings Settings, watches []Watch, slice []swap.PerArm[Sum]) State {
	next := State{Gates: make([]GateState, len(watches))}
	copy(next.Gates, s.Gates)
	for i, w := range watches {
		next.Gates[i] = next.Gates[i].observe(settings, w, slice[i], len(watches))
	}
	return next
}

func (g GateState) observe(settings Settings, w Watch, slice swap.PerArm[Sum], gates int) GateState {
	g.Pending.Baseline = g.Pending.Baseline.plus(slice.Baseline)
	g.Pending.Candidate = g.Pending.Candidate.plus(slice.Candidate)
	if !(min(g.Pending.Baseline.Den, g.Pending.Candidate.Den) >= w.least(settings)) {
		return g
	}
	found := w.differences(g.Pending)
	directions := make([]Moments, len(found))
	copy(directions, g.Directions)
	for i, d := range found {
		directions[i] = directions[i].add(settings, d, settings.Alpha/float64(gates*len(found)))
	}
	return GateState{Directions: directions}
}

// least is the smallest denominator of a slice that counts. That of throughput is seconds, of which any number will do.
func (w Watch) least(settings Settings) float64 {
	if w.Whole || w.Gate.Metric == swap.MetricThroughput {
		return math.SmallestNonzeroFloat64
	}
	return max(1, settings.MinRequests)
}

// add takes a difference up. One that is no number, such as the logarithm of nothing, says nothing. An infinite one would
// end all inference; it stands for the largest that matters.
func (m Moments) add(settings Settings, d worse, alpha float64) Moments {
	if math.IsNaN(d.by) {
		return m
	}
	const most = 10 // a factor of 22,000
	by := min(max(d.by, -most), most)
	if m.N == 0 {
		m.P = 1
	}
	m.N++
	delta := by - m.Mean
	m.Mean += delta / float64(m.N)
	m.Squares += delta * (by - m.Mean)
	if m.N >= max(2, settings.MinSlices) {
		sequence := stats.ConfidenceSequence{Alpha: alpha, Horizon: settings.Horizon}
		m.P = min(m.P, sequence.P(m.score(d.margin)/math.Sqrt(float64(m.N)), 1, m.N))
	}
	return m
}

// score is the standard normal score of the mean's distance from the margin. The distance in estimated standard errors has
// Student's t distribution, whose tails, among ten slices, are far heavier than the sequence assumes.
func (m Moments) score(margin float64) float64 {
	df := float64(m.N - 1)
	t := (m.Mean - margin) / math.Sqrt(m.Squares/df/float64(m.N))
	if !(t > 0) { // NaN is a mean that never moved from the margin
		return 0
	}
	return -stats.NormalQuantile(stats.TCDF(-t, df))
}
