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
	// RequestsPerArm is the expected number of measured requests; absent when a step is closed loop.
	RequestsPerArm swap.Value `json:"requests_per_arm"`
	// WarmUp is the longest warm-up of both arms, one after the other.
	WarmUp swap.Duration `json:"warm_up"`
	// Load is the load stage: all blocks of both arms with their settle time.
	Load swap.Duration `json:"load"`
	// LongestLoad is the load stage when every step is prolonged as far as load.extend allows; equal to Load without it.
	LongestLoad swap.Duration `json:"longest_load"`
	// Rollout is the observation windows without extensions and approvals; 0 without a rollout.
	Rollout swap.Duration `json:"rollout"`
	// Duration is the sum of the three.
	Duration swap.Duration `json:"duration"`
}

// StepEstimate is one load step of a PlanEstimate.
type StepEstimate struct {
	// Label is the load level for a person, such as "concurrency 8" or "2.5 req/s".
	Label        string `json:"label"`
	BlocksPerArm int    `json:"blocks_per_arm"`
	// RequestsPerArm is the expected number of measured requests, as far as a rate decides it; absent for a closed loop.
	RequestsPerArm swap.Value `json:"requests_per_arm"`
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
			i+1, s.Label, s.BlocksPerArm, requestsText(s.RequestsPerArm), timeText(s.Duration, s.Longest))
	}
	fmt.Fprintf(&b, "load: %d blocks per arm, %s, %s", e.BlocksPerArm, requestsText(e.RequestsPerArm), timeText(e.Load, e.LongestLoad))
	fmt.Fprintf(&b, "\nwarm-up: at most %s", short(e.WarmUp.Std()))
	if e.Rollout > 0 {
		fmt.Fprintf(&b, "\nrollout: %s without extensions and approvals", short(e.Rollout.Std()))
	}
	fmt.Fprintf(&b, "\ntotal: about %s", short(e.Duration.Std()))
	return b.String()
}

// timeText names the planned time, and the longest one where a step may be prolonged.
func timeText(planned, longest swap.Duration) string {
	text := short(planned.Std())
	if longest > planned {
		text += ", prolonged to at most " + short(longest.Std())
	}
	return text
}

func requestsText(n swap.Value) string {
	v, known := n.Get()
	if !known {
		return "as many requests as the servers answer"
	}
	return fmt.Sprintf("about %.0f requests per arm", v)
}

// Estimate computes the plan of a resolved specification.
func Estimate(spec swap.Spec) PlanEstimate {
	e := PlanEstimate{WarmUp: 2 * spec.WarmUp.MaxDuration, Rollout: swap.Duration(spec.Rollout.Duration())}
	requests, known := 0.0, len(spec.Load.Steps) > 0
	for _, s := range spec.Load.Steps {
		step := estimateStep(s, spec)
		e.Steps = append(e.Steps, step)
		e.BlocksPerArm += step.BlocksPerArm
		e.Load += step.Duration
		e.LongestLoad += step.Longest
		n, ok := step.RequestsPerArm.Get()
		requests += n
		known = known && ok
	}
	if known {
		e.RequestsPerArm = swap.Of(requests)
	}
	e.Duration = e.WarmUp + e.Load + e.Rollout
	return e
}

func estimateStep(s swap.Step, spec swap.Spec) StepEstimate {
	e := StepEstimate{
		Label:        s.Label(),
		BlocksPerArm: spec.Load.BlocksPerArm(s),
		Duration:     swap.Duration(spec.Load.StepDuration(s)),
		Longest:      swap.Duration(spec.Load.LongestStep(s)),
	}
	if s.Rate > 0 {
		perBlock := unitsPerBlock(s, spec.Load) * float64(requestsPerUnit(spec.Workload))
		e.RequestsPerArm = swap.Of(perBlock * float64(e.BlocksPerArm))
	}
	return e
}

// unitsPerBlock is the expected number of arrivals in the measured time of a block. A ramp has risen for the settle time
// already when that begins.
func unitsPerBlock(s swap.Step, l swap.Load) float64 {
	settle, block := l.Settle.Seconds(), l.Block.Seconds()
	from, slope := s.Rate, 0.0
	if s.Ramp != nil {
		from, slope = s.Ramp.From, (s.Rate-s.Ramp.From)/(settle+block)
	}
	// between is the integral of the rate over a stretch of the measured time.
	between := func(begin, end float64) float64 {
		return (end - begin) * (from + slope*(settle+(begin+end)/2))
	}
	if s.Spike == nil {
		return between(0, block)
	}
	begin := s.Spike.After.Seconds()
	end := begin + s.Spike.For.Seconds()
	return between(0, begin) + s.Spike.Rate*(end-begin) + between(end, block)
}

func requestsPerUnit(w swap.Workload) int {
	if w.Topology == nil {
		return 1
	}
	return w.Topology.Size
}
