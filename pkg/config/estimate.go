package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

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
	// Rollout is the observation windows without extensions and approvals; 0 without a rollout.
	Rollout swap.Duration `json:"rollout"`
	// Duration is the sum of the three.
	Duration swap.Duration `json:"duration"`
}

// StepEstimate is one load step of a PlanEstimate.
type StepEstimate struct {
	// Label is the load level for a person, such as "concurrency 8" or "rate 2.5/s".
	Label        string `json:"label"`
	BlocksPerArm int    `json:"blocks_per_arm"`
	// RequestsPerArm is the expected number of measured requests, rate × hold; absent for a closed loop.
	RequestsPerArm swap.Value `json:"requests_per_arm"`
	// Duration is the time of both arms with settle time.
	Duration swap.Duration `json:"duration"`
}

// String describes the plan in a few lines for a person.
func (e PlanEstimate) String() string {
	var b strings.Builder
	for i, s := range e.Steps {
		fmt.Fprintf(&b, "step %d: %s, %d blocks per arm, %s, %s\n",
			i+1, s.Label, s.BlocksPerArm, requestsText(s.RequestsPerArm), short(s.Duration.Std()))
	}
	fmt.Fprintf(&b, "load: %d blocks per arm, %s, %s", e.BlocksPerArm, requestsText(e.RequestsPerArm), short(e.Load.Std()))
	fmt.Fprintf(&b, "\nwarm-up: at most %s", short(e.WarmUp.Std()))
	if e.Rollout > 0 {
		fmt.Fprintf(&b, "\nrollout: %s without extensions and approvals", short(e.Rollout.Std()))
	}
	fmt.Fprintf(&b, "\ntotal: about %s", short(e.Duration.Std()))
	return b.String()
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
	e := PlanEstimate{WarmUp: 2 * spec.WarmUp.MaxDuration}
	requests, known := 0.0, len(spec.Load.Steps) > 0
	for _, s := range spec.Load.Steps {
		step := estimateStep(s, spec.Load)
		e.Steps = append(e.Steps, step)
		e.BlocksPerArm += step.BlocksPerArm
		e.Load += step.Duration
		n, ok := step.RequestsPerArm.Get()
		requests += n
		known = known && ok
	}
	if known {
		e.RequestsPerArm = swap.Of(requests)
	}
	if ro := spec.Rollout; ro != nil {
		e.Rollout = ro.Window * swap.Duration(len(ro.Weights)*ro.WindowsPerWeight)
	}
	e.Duration = e.WarmUp + e.Load + e.Rollout
	return e
}

func estimateStep(s swap.Step, l swap.Load) StepEstimate {
	e := StepEstimate{Label: fmt.Sprintf("concurrency %d", s.Concurrency)}
	if l.Block > 0 {
		e.BlocksPerArm = int(s.Hold / l.Block)
	}
	if s.Rate > 0 {
		e.Label = "rate " + strconv.FormatFloat(s.Rate, 'g', -1, 64) + "/s"
		e.RequestsPerArm = swap.Of(s.Rate * s.Hold.Seconds())
	}
	e.Duration = swap.Duration(2 * time.Duration(e.BlocksPerArm) * (l.Block + l.Settle).Std())
	return e
}
