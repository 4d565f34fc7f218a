package config

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// PlanEstimate is what a specification will do, as far as it can be known before the servers are asked.
type PlanEstimate struct {
	Steps []StepEstimate `json:"steps"`
	// BlocksPerArm is the number of blocks over all steps.
	BlocksPerArm int `json:"blocks_per_arm"`
	// RequestsPerArm is the expected number of measured requests over all steps.
	RequestsPerArm Requests `json:"requests_per_arm"`
	// WarmUp is the longest warm-up of both arms, one after the other.
	WarmUp swap.Duration `json:"warm_up"`
	// Load is the load stage: all blocks of both arms with their settle time.
	Load swap.Duration `json:"load"`
	// LongestLoad is the load stage when every step is prolonged as far as load.extend allows; equal to Load without it.
	LongestLoad swap.Duration `json:"longest_load"`
	// InPlace is how long swaps in place are observed, without the time of the swaps themselves; left out without any.
	InPlace swap.Duration `json:"in_place,omitempty"`
	// Rollout is the observation windows without extensions and approvals; 0 without a rollout.
	Rollout swap.Duration `json:"rollout"`
	// Duration is the sum of WarmUp, InPlace, Load and Rollout.
	Duration swap.Duration `json:"duration"`
	// Longest is Duration when every step is prolonged as far as load.extend allows.
	Longest swap.Duration `json:"longest"`
	// Warnings say which steps certainly cannot send what they plan, and which opinions fire on noise.
	Warnings []PlanWarning `json:"warnings,omitempty"`
}

// PlanWarning is a step that certainly cannot send what it plans when it plans it, or a field that does not do what it seems to.
type PlanWarning struct {
	// Step counts from 1; 0 where the warning is not about a step.
	Step int `json:"step,omitempty"`
	// Field is the path of the field; empty where the warning is about a step.
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// about names the step or the field.
func (w PlanWarning) about() string {
	if w.Step > 0 {
		return fmt.Sprintf("step %d", w.Step)
	}
	return w.Field
}

// StepEstimate is one load step of a PlanEstimate.
type StepEstimate struct {
	// Label is the load level for a person, such as "concurrency 8" or "2.5 req/s".
	Label        string `json:"label"`
	BlocksPerArm int    `json:"blocks_per_arm"`
	// RequestsPerArm is the expected number of measured requests.
	RequestsPerArm Requests `json:"requests_per_arm"`
	// Duration is the time of both arms with settle time.
	Duration swap.Duration `json:"duration"`
	// Longest is Duration when the step is prolonged as far as load.extend allows.
	Longest swap.Duration `json:"longest"`
}

// String describes the plan in a few lines for a person.
func (e PlanEstimate) String() string {
	var b strings.Builder
	for i, s := range e.Steps {
		fmt.Fprintf(&b, "step %d: %s, %d blocks per arm, %s, %s\n",
			i+1, s.Label, s.BlocksPerArm, s.RequestsPerArm, timeText(s.Duration, s.Longest))
	}
	fmt.Fprintf(&b, "load: %d blocks per arm, %s, %s", e.BlocksPerArm, e.RequestsPerArm, timeText(e.Load, e.LongestLoad))
	fmt.Fprintf(&b, "\nwarm-up: at most %s", short(e.WarmUp.Std()))
	if e.InPlace > 0 {
		fmt.Fprintf(&b, "\nswaps in place: %s, and the time that the swaps themselves take", short(e.InPlace.Std()))
	}
	if e.Rollout > 0 {
		fmt.Fprintf(&b, "\nrollout: %s without extensions and approvals", short(e.Rollout.Std()))
	}
	fmt.Fprintf(&b, "\ntotal: about %s", timeText(e.Duration, e.Longest))
	for _, w := range e.Warnings {
		fmt.Fprintf(&b, "\nwarning: %s: %s", w.about(), w.Message)
	}
	return b.String()
}

// timeText names the planned time, and the longest one where a step may be prolonged.
func timeText(planned, longest swap.Duration) string {
	if longest > planned {
		return short(planned.Std()) + " to " + short(longest.Std()) + " as load.extend prolongs"
	}
	return short(planned.Std())
}

// Estimate computes the plan of a resolved specification.
func Estimate(spec swap.Spec) PlanEstimate {
	e := estimateLoad(spec)
	for _, more := range [][]PlanWarning{limitWarnings(spec), opinionWarnings(spec), stepWarnings(spec), decayWarnings(spec)} {
		e.Warnings = append(e.Warnings, more...)
	}
	return e
}

// estimateLoad is Estimate without what is said of opinions, some of which are simulated.
func estimateLoad(spec swap.Spec) PlanEstimate {
	e := PlanEstimate{WarmUp: 2 * spec.WarmUp.MaxDuration, Rollout: swap.Duration(spec.Rollout.Duration())}
	e.InPlace = swap.Duration(spec.InPlaceDuration())
	if len(spec.Load.Steps) > 0 {
		e.RequestsPerArm = exactly(0)
	}
	for i, s := range spec.Load.Steps {
		step := estimateStep(s, spec)
		e.Steps = append(e.Steps, step)
		e.BlocksPerArm += step.BlocksPerArm
		e.RequestsPerArm = e.RequestsPerArm.plus(step.RequestsPerArm)
		e.Load += step.Duration
		e.LongestLoad += step.Longest
		for _, w := range unreachable(s, spec) {
			e.Warnings = append(e.Warnings, PlanWarning{Step: i + 1, Message: w})
		}
	}
	e.Duration = e.WarmUp + e.InPlace + e.Load + e.Rollout
	e.Longest = e.WarmUp + e.InPlace + e.LongestLoad + e.Rollout
	return e
}

func estimateStep(s swap.Step, spec swap.Spec) StepEstimate {
	blocks := spec.Load.BlocksPerArm(s)
	return StepEstimate{
		Label:          s.Label(),
		BlocksPerArm:   blocks,
		RequestsPerArm: armRequests(s, spec),
		Duration:       swap.Duration(spec.Load.StepDuration(s)),
		Longest:        swap.Duration(spec.Load.LongestStep(s)),
	}
}
