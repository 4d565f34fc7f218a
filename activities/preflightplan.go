package activities

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/inputs"
)

// stepName names a step for a person, counted from 1.
func stepName(index int, s swap.Step) string { return fmt.Sprintf("step %d (%s)", index+1, s.Label()) }

// planFindings says what the plan cannot promise.
func planFindings(spec swap.Spec, e config.PlanEstimate) []swap.Finding {
	var out []swap.Finding
	if gate, need := tailGate(spec, e.RequestsPerArm.Least); gate != "" {
		out = append(out, swap.Finding{
			Severity: swap.Notable, Subject: "gate " + gate,
			Message: fmt.Sprintf("It needs %.0f requests per arm (judge.min_tail is %d), and the load sends %s.", need, spec.Judge.MinTail,
				e.RequestsPerArm),
			Next: "If the verdict says LOW_N, hold the steps longer or add a step with a rate.",
		})
	}
	for _, w := range e.Warnings {
		if w.Step == 0 {
			out = append(out, swap.Finding{
				Severity: swap.Harmless, Subject: w.Field, Message: w.Message + ".", Next: "It decides nothing; see docs/classic-rules.md.",
			})
			continue
		}
		out = append(out, swap.Finding{
			Severity: swap.Notable, Subject: stepName(w.Step-1, spec.Load.Steps[w.Step-1]),
			Message: "It cannot be driven or measured as planned: " + w.Message + ".",
			Next:    "Change its rate or concurrency, or raise its limits.",
		})
	}
	return out
}

// tailGate names the gate on a tail that needs the most requests, if so few are not enough for it; otherwise the name is empty.
func tailGate(spec swap.Spec, requests float64) (name string, need float64) {
	for _, g := range spec.Gates {
		p, isQuantile := g.Stat.Quantile()
		if !isQuantile {
			continue
		}
		if n := math.Ceil(float64(spec.Judge.MinTail)/(1-p) - 1e-6); n > max(requests, need) {
			name, need = g.Name(), n
		}
	}
	return name, need
}

// fileFindings says what is wrong with the files of the load, as far as they are on this machine.
func fileFindings(spec swap.Spec, files inputs.Files) []swap.Finding {
	var out []swap.Finding
	for _, wrong := range files.Faults {
		out = append(out, swap.Finding{
			Severity: swap.Blocking, Subject: wrong.Path, Message: wrong.Error(),
			Next: "Correct the file on the load workers; swapgate plan checks a copy on your machine.",
		})
	}
	for _, path := range files.Missing {
		out = append(out, swap.Finding{
			Severity: swap.Notable, Subject: path,
			Message: "The file is not on the worker that ran the preflight, so it was not checked.",
			Next:    "Make sure that it is on every load worker; put it on this worker too to have it checked beforehand.",
		})
	}
	return append(out, recordingFindings(spec, files)...)
}

// recordingFindings says what a step that repeats a recording will not show by itself. Each recording is spoken of once.
func recordingFindings(spec swap.Spec, files inputs.Files) []swap.Finding {
	var out []swap.Finding
	seen := map[swap.Trace]bool{}
	for _, step := range spec.Load.Steps {
		recording := files.Recording(step)
		if recording == nil || seen[*step.Arrival.Trace] {
			continue
		}
		t := *step.Arrival.Trace
		seen[t] = true
		if recording.Tick > 0 && !t.Jitter {
			out = append(out, swap.Finding{
				Severity: swap.Notable, Subject: t.File,
				Message: fmt.Sprintf("Its times are rounded to %s, so requests that came one after another are sent at once, in bursts that never "+
					"were.", recording.Tick),
				Next: "Write jitter: true to spread them.",
			})
		}
		if recording.Backwards > 0 {
			out = append(out, swap.Finding{
				Severity: swap.Notable, Subject: t.File,
				Message: fmt.Sprintf("%d of its %d requests are earlier than the one before; they were sorted.",
					recording.Backwards, len(recording.Requests)),
				Next: "If the file joins several recordings, repeat one of them.",
			})
		}
		if recording.Unanswered > 0 && t.Lengths {
			out = append(out, swap.Finding{
				Severity: swap.Notable, Subject: t.File,
				Message: fmt.Sprintf("%d of its %d requests have no answer; they ask for one token.", recording.Unanswered, len(recording.Requests)),
				Next:    "Remove them from the file if they failed.",
			})
		}
	}
	return out
}
