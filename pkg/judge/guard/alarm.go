package guard

import (
	"cmp"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Alarm is a gate that the guard has found to be broken.
type Alarm struct {
	// Watch is its index.
	Watch int
	// P is its always-valid p-value after Holm's correction, Slices how many slices it rests on.
	P      float64
	Slices int
	// Mean is the mean difference per slice, on the scale of the package comment.
	Mean float64
}

// Alarms lists the broken gates, worst first; nothing while the candidate has not been shown to be beyond a margin.
func (s State) Alarms(settings Settings) []Alarm {
	all := s.readings()
	return slices.DeleteFunc(all, func(a Alarm) bool { return !(a.P <= settings.Alpha) })
}

// Closest is the gate that is closest to an alarm, whether it is one or not; false while no gate has had a slice.
func (s State) Closest() (Alarm, bool) {
	for _, a := range s.readings() {
		if a.Slices > 0 {
			return a, true
		}
	}
	return Alarm{}, false
}

// readings are all gates, worst first.
func (s State) readings() []Alarm {
	p := make([]float64, len(s.Gates))
	for i, g := range s.Gates {
		p[i] = g.p()
	}
	all := make([]Alarm, len(p))
	for i, adjusted := range stats.Holm(p) {
		worst := s.Gates[i].worst()
		all[i] = Alarm{Watch: i, P: adjusted, Slices: worst.N, Mean: worst.Mean}
	}
	slices.SortStableFunc(all, func(a, b Alarm) int { return cmp.Compare(a.P, b.P) })
	return all
}

// p is the gate's p-value over its directions (Bonferroni).
func (g GateState) p() float64 { return math.Min(1, g.worst().P*float64(max(1, len(g.Directions)))) }

func (g GateState) worst() Moments {
	worst := Moments{P: 1}
	for _, m := range g.Directions {
		if m.N > 0 && m.P <= worst.P {
			worst = m
		}
	}
	return worst
}
