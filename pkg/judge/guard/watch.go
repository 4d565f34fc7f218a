package guard

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Watch is what the guard holds against one gate.
type Watch struct {
	Gate swap.Gate `json:"gate"`
	// Tail is the baseline's value of a quantile gate, the T of the package comment; 0 for every other gate.
	Tail float64 `json:"tail,omitempty"`
	// Whole says that a slice is one observation whatever its denominator, as of a mean that was measured elsewhere.
	Whole bool `json:"whole,omitempty"`
}

// New returns the watch of a gate. tail is the baseline's quantile for a gate on one, from enough baseline requests to have
// it (swap.Judge.MinTail); it is ignored for other gates. A quantile gate that is not about rising latencies cannot be
// watched.
func New(gate swap.Gate, tail float64) (Watch, error) {
	_, isQuantile := gate.Stat.Quantile()
	if !isQuantile {
		return Watch{Gate: gate}, nil
	}
	if gate.Better != swap.LowerIsBetter {
		return Watch{}, fmt.Errorf("the guard cannot watch %s: it watches quantiles for a rise only", gate.Name())
	}
	if !(tail > 0) || math.IsInf(tail, 1) {
		return Watch{}, fmt.Errorf("the guard cannot watch %s: the baseline's value is %v, and a finite one above 0 is needed", gate.Name(), tail)
	}
	return Watch{Gate: gate, Tail: tail}, nil
}

// Sum is one arm's part of a slice: Num over Den is its value there. For a quantile that is requests above Threshold over
// requests, for a mean the sum of values over requests, for error_rate failed over finished requests, for throughput tokens
// over seconds.
type Sum struct {
	Num float64 `json:"num"`
	Den float64 `json:"den"`
}

func (s Sum) plus(o Sum) Sum { return Sum{s.Num + o.Num, s.Den + o.Den} }

func (s Sum) value() float64 { return s.Num / s.Den }

// Threshold is the value above which an arm's requests are counted for a quantile gate.
func (w Watch) Threshold(arm swap.Arm) float64 {
	if arm == swap.Baseline {
		return w.Tail
	}
	if w.Gate.Unit == swap.Absolute {
		return w.Tail + w.Gate.Margin
	}
	return w.Tail * (1 + w.Gate.Margin)
}

// differences are how much worse the candidate was in a slice, in each direction that counts, and the margin there.
func (w Watch) differences(slice swap.PerArm[Sum]) []worse {
	base, cand := slice.Baseline.value(), slice.Candidate.value()
	if _, isQuantile := w.Gate.Stat.Quantile(); isQuantile {
		return []worse{{by: cand - base}}
	}
	change := cand - base
	if w.Gate.Unit != swap.Absolute {
		change = math.Log(cand / base)
	}
	rise, fall := worse{by: change, margin: w.Gate.MarginUp()}, worse{by: -change, margin: w.Gate.MarginDown()}
	switch w.Gate.Better {
	case swap.LowerIsBetter:
		return []worse{rise}
	case swap.HigherIsBetter:
		return []worse{fall}
	}
	return []worse{rise, fall}
}

type worse struct{ by, margin float64 }
