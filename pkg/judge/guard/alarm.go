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
	p := make([]float64, len(s.Gates))
	for i, g := range s.Gates {
		p[i] = g.p()
	}
	var alarms []Alarm
	for i, adjusted := range stats.Holm(p) {
		if adjusted <= settings.Alpha {
			worst := s.Gates[i].worst()
			alarms = append(alarms, Alarm{Watch: i, P: adjusted, Slices: worst.N, Mean: worst.Mean})
		}
	}
	slices.SortStableFunc(alarms, func(a, b Alarm) int { return cmp.Compare(a.P, b.P) })
	return alarms
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
