package registry

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Shift is how far a model is from the reference by one gate: a relative change or a difference, as in swap.GateResult, with
// two one-sided bounds.
type Shift struct {
	Gate swap.Gate  `json:"gate"`
	Low  swap.Value `json:"low"`
	High swap.Value `json:"high"`
	// Change is the estimate.
	Change swap.Value `json:"change"`
	// Runs is over how many runs it was chained.
	Runs int `json:"runs"`
}

// shiftsOf are the changes that a run measured of its candidate against its baseline. A gate without an interval tells none.
func shiftsOf(gates []swap.GateResult) []Shift {
	var shifts []Shift
	for _, g := range gates {
		if !g.Gate.HasLimit() && g.Change.Valid() && g.Low.Valid() && g.High.Valid() {
			shifts = append(shifts, Shift{Gate: g.Gate, Change: g.Change, Low: g.Low, High: g.High, Runs: 1})
		}
	}
	return shifts
}

// chain adds what one run measured to what the runs before it did. The runs are independent, so the squares of their
// half-widths add up. A gate that an earlier run did not have begins with this one; one that this run lacks is lost.
func chain(before, now []Shift) []Shift {
	chained := make([]Shift, 0, len(now))
	for _, n := range now {
		for _, b := range before {
			if b.Gate.Name() == n.Gate.Name() && b.Gate.Unit == n.Gate.Unit {
				n = n.after(b)
				break
			}
		}
		chained = append(chained, n)
	}
	return chained
}

func (s Shift) after(b Shift) Shift {
	sEst, sLow, sHigh := s.scaled()
	bEst, bLow, bHigh := b.scaled()
	estimate := sEst + bEst
	return Shift{
		Gate: s.Gate, Runs: s.Runs + b.Runs, Change: s.readable(estimate),
		Low:  s.readable(estimate - math.Hypot(sEst-sLow, bEst-bLow)),
		High: s.readable(estimate + math.Hypot(sHigh-sEst, bHigh-bEst)),
	}
}

// scaled are estimate and bounds on the scale on which changes add up: logarithms of ratios, or differences.
func (s Shift) scaled() (estimate, low, high float64) {
	scale := math.Log1p
	if s.Gate.Unit == swap.Absolute {
		scale = func(v float64) float64 { return v }
	}
	return scale(s.Change.Or(math.NaN())), scale(s.Low.Or(math.NaN())), scale(s.High.Or(math.NaN()))
}

func (s Shift) readable(scaled float64) swap.Value {
	if s.Gate.Unit == swap.Absolute {
		return swap.Of(scaled)
	}
	return swap.Of(math.Expm1(scaled))
}

// Worse says that the bounds show a worsening, however small.
func (s Shift) Worse() bool { return s.beyond(0, 0) }

// BeyondMargin says that the bounds show a worsening by more than the gate's margin.
func (s Shift) BeyondMargin() bool { return s.beyond(s.Gate.MarginUp(), s.Gate.MarginDown()) }

func (s Shift) beyond(rise, fall float64) bool {
	_, low, high := s.scaled()
	risen, fallen := low > rise, high < -fall
	switch s.Gate.Better {
	case swap.LowerIsBetter:
		return risen
	case swap.HigherIsBetter:
		return fallen
	case swap.Either:
	}
	return risen || fallen
}

// Creep are the changes since the reference that are proven to be beyond a gate's margin although no run was.
func (e Entry) Creep() []Shift {
	var beyond []Shift
	for _, s := range e.Since {
		if s.Runs > 1 && s.BeyondMargin() {
			beyond = append(beyond, s)
		}
	}
	return beyond
}
