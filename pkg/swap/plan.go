package swap

import (
	"math"
	"time"
)

// BlocksPerArm is the number of blocks of a step on one arm.
func (l Load) BlocksPerArm(s Step) int {
	if l.Block <= 0 {
		return 0
	}
	return int(math.Round(s.Hold.Seconds() / l.Block.Seconds()))
}

// StepDuration is the time that a step takes on both arms, without the drain at the end of its blocks.
func (l Load) StepDuration(s Step) time.Duration {
	return time.Duration(2*l.BlocksPerArm(s)) * (l.Block.Std() + l.Settle.Std())
}

// LongestStep is the time that a step takes on both arms when it is prolonged to extend.max_hold, without the drain at the
// end of its blocks. Without extend it is StepDuration.
func (l Load) LongestStep(s Step) time.Duration {
	if l.Extend != nil {
		s.Hold = max(s.Hold, l.Extend.MaxHold)
	}
	return l.StepDuration(s)
}

// Duration is the time that all steps take as planned, none of them prolonged.
func (l Load) Duration() time.Duration {
	var d time.Duration
	for _, s := range l.Steps {
		d += l.StepDuration(s)
	}
	return d
}

// Duration is the time that a rollout takes if no window is repeated and requests come fast enough. Without a rollout it is 0.
func (r *Rollout) Duration() time.Duration {
	if r == nil {
		return 0
	}
	least := map[int]Duration{}
	for _, s := range r.Steps {
		least[s.Weight] = s.MinTime
	}
	var d Duration
	for _, w := range r.Weights {
		windows := Duration(r.WindowsPerWeight)
		if r.Window > 0 {
			windows = max(windows, (least[w]+r.Window-1)/r.Window)
		}
		d += windows*r.Window + r.Settle
	}
	return d.Std()
}

// InPlaceDuration is the time for which swaps in place are observed, without that of the swaps themselves. Without any it is 0.
func (s Spec) InPlaceDuration() time.Duration {
	if s.InPlace == nil {
		return 0
	}
	swaps := 2 * s.InPlace.Swaps
	if s.InPlace.Promote {
		swaps++
	}
	return time.Duration(swaps) * (s.Load.Settle.Std() + 2*s.InPlace.Observe.Std())
}

// Duration estimates a run from its plan: load, swaps in place, rollout, and half of the longest warm-up of both arms.
func (s Spec) Duration() time.Duration {
	return s.WarmUp.MaxDuration.Std() + s.InPlaceDuration() + s.Load.Duration() + s.Rollout.Duration()
}
