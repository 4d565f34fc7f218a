package phrase

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Note is one line of a short form of the verdict: what it is about, and what there is to say.
type Note struct{ About, Says string }

// LoadNotes are what a short form of the verdict says of the load stage: a load client that cannot be believed, the steps that
// did not end as planned unless a reason of the verdict is about them, and the knees that were found.
func LoadNotes(v swap.Verdict) []Note {
	var notes []Note
	if says := disbelief(v); says != "" {
		notes = append(notes, Note{"Load client", says})
	}
	for i := range v.Steps {
		step := Step(v.Steps[i].Step, v.Steps[i].Label)
		told := slices.ContainsFunc(v.Reasons, func(r swap.Reason) bool { return Clean(r.Subject) == step })
		if says := unplanned(v.Steps[i].Ended); says != "" && !told {
			notes = append(notes, Note{upperFirst(step), says})
		}
	}
	for _, c := range v.Capacity {
		if says := knees(c); says != "" {
			notes = append(notes, Note{"Knee", says})
		}
	}
	return notes
}

// Step names a load step, such as "step 2 (concurrency 8)".
func Step(number int, label string) string {
	name := "step " + strconv.Itoa(number)
	if label = Clean(label); label != "" {
		name += " (" + label + ")"
	}
	return name
}

// Ended says in a few words how a step ended, "n/a" where it is not told.
func Ended(code swap.EndCode) string {
	switch code {
	case swap.EndedPlanned:
		return "as planned"
	case swap.EndedSteady:
		return "held until steady"
	case swap.EndedMaxHold:
		return "held to its longest, not steady"
	case swap.EndedLimit:
		return "stopped at a limit"
	case "":
		return NA
	}
	return Clean(string(code))
}

// unplanned is how and why a step ended, where that was not as planned; empty otherwise.
func unplanned(end swap.StepEnd) string {
	message := Clean(end.Message)
	switch {
	case end.Code == swap.EndedPlanned || end.Code == "":
		return ""
	case message == "":
		return Ended(end.Code)
	case end.Code == swap.EndedSteady || end.Code == swap.EndedMaxHold:
		return message
	}
	return Ended(end.Code) + ": " + message
}

// LoadLevel is a load level with what was measured there, such as "concurrency 16 (480 tok/s, TTFT P95 312 ms)".
func LoadLevel(l swap.LoadLevel) string {
	var measured []string
	if l.Throughput.Valid() {
		measured = append(measured, Quantity(l.Throughput, "tok/s"))
	}
	if l.TTFTP95ms.Valid() {
		measured = append(measured, "TTFT P95 "+Quantity(l.TTFTP95ms, "ms"))
	}
	name := Clean(l.Label)
	if len(measured) > 0 {
		name += " (" + strings.Join(measured, ", ") + ")"
	}
	return name
}

// knees is empty where neither arm has one.
func knees(c swap.Capacity) string {
	if c.Arms.Baseline.Knee == nil && c.Arms.Candidate.Knee == nil {
		return ""
	}
	arms := make([]string, 0, len(swap.Arms))
	for _, arm := range swap.Arms {
		said := string(arm) + " none found"
		if knee := c.Arms.Get(arm).Knee; knee != nil {
			said = string(arm) + " at " + LoadLevel(*knee)
		}
		arms = append(arms, said)
	}
	return strings.Join(arms, ", ")
}

// disbelief is empty where the load client can be believed.
func disbelief(v swap.Verdict) string {
	var steps, signals []string
	for i := range v.Steps {
		faults := v.Steps[i].Instrument.Faults
		if len(faults) > 0 {
			steps = append(steps, strconv.Itoa(v.Steps[i].Step))
		}
		for _, f := range faults {
			if name := Signal(f.Signal); !slices.Contains(signals, name) {
				signals = append(signals, name)
			}
		}
	}
	const said = "cannot be believed"
	switch {
	case len(steps) == 1:
		return fmt.Sprintf("%s in step %s: %s", said, steps[0], strings.Join(signals, ", "))
	case len(steps) > 1:
		return fmt.Sprintf("%s in steps %s: %s", said, strings.Join(steps, ", "), strings.Join(signals, ", "))
	case slices.ContainsFunc(v.Reasons, func(r swap.Reason) bool { return r.Code == swap.ReasonInstrument }):
		return said + ", by the raw records of its requests"
	}
	return ""
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
