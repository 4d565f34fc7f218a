package judge

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// End is why a load step ended.
type End struct {
	Step  int
	Label string
	// Limits are the fields of the step that may hold its requests back.
	Limits []string
	swap.StepEnd
}

const (
	maxInFlight = "max_in_flight"
	tokenRate   = "token_rate"
)

// EndsFrom takes them from the manifests, in their order.
func EndsFrom(manifests []swap.StepManifest) []End {
	ends := make([]End, len(manifests))
	for i, m := range manifests {
		ends[i] = End{Step: m.Step, Label: m.Spec.Label(), Limits: limitsOf(m.Spec), StepEnd: m.Ended}
	}
	return ends
}

func limitsOf(s swap.Step) (limits []string) {
	if s.MaxInFlight > 0 {
		limits = append(limits, maxInFlight)
	}
	if s.TokenRate != nil {
		limits = append(limits, tokenRate)
	}
	return limits
}

func (e End) where() string { return fmt.Sprintf("step %d (%s)", e.Step, e.Label) }

// ends weighs steps that did not end as planned. A limit that the candidate breaks and the baseline keeps is a failure of the
// candidate, whatever the gates could still tell; a limit that the baseline breaks is too much load for a comparison.
func (c *checks) ends(e Evidence) {
	for _, end := range e.Ends {
		where := end.where()
		switch {
		case end.Code == swap.EndedMaxHold:
			c.find(swap.Notable, where, end.Message, "raise load.extend.max_hold, or look for what makes the service unsteady")
		case end.Code == swap.EndedLimit && end.Arm == swap.Candidate:
			c.failures = append(c.failures, swap.Reason{
				Code: swap.ReasonNotHeld, Subject: where,
				Message: fmt.Sprintf("%s was stopped because the candidate cannot hold it: %s%s; the baseline keeps the limits", where, end.Message,
					failuresOf(end, e.Blocks)),
			})
		case end.Code == swap.EndedLimit:
			c.forbid(swap.ReasonNotHeld, where, fmt.Sprintf(
				"%s was stopped because it cannot be held: %s%s. Lower the load, or change load.limits", where, end.Message, failuresOf(end, e.Blocks)))
		}
	}
}

// failuresOf names the most frequent failures of a step on the arm that broke a limit, on both if it is not known which; it is
// empty where no request failed.
func failuresOf(end End, blocks []Block) string {
	outcomes := swap.OutcomeCounts{}
	for i := range blocks {
		if blocks[i].Step == end.Step && (end.Arm == "" || blocks[i].Arm == end.Arm) {
			outcomes.Add(blocks[i].Outcomes)
		}
	}
	if named := dominant(outcomes); named != "" {
		return "; the failures of the step were mostly " + named
	}
	return ""
}

// tooFewBecause says why the steps gave few requests and what to do about it, where the manifests tell; else it is empty.
func tooFewBecause(ends []End) string {
	var early, limited []string
	for _, end := range ends {
		if end.Code == swap.EndedLimit {
			early = append(early, end.where())
		}
		for _, limit := range end.Limits {
			if limit == tokenRate {
				limited = append(limited, end.where())
			}
		}
	}
	switch {
	case len(early) > 0:
		return strings.Join(early, " and ") + " ended early at a limit: mend what it could not hold, or lower its load"
	case len(limited) > 0:
		return "token_rate may hold requests back in " + strings.Join(limited, " and ") + ": raise it, or hold the steps longer"
	}
	return ""
}

// abandoned says of each step how many of its requests were abandoned, and why. In a block that counts, only the step's own
// limits do that: a block that is cut off is discarded.
func abandoned(e Evidence) (faults []string) {
	counts := map[int]int{}
	var steps []int
	for i := range e.Blocks {
		n := e.Blocks[i].Outcomes[swap.Abandoned]
		if step := e.Blocks[i].Step; n > 0 {
			if counts[step] == 0 {
				steps = append(steps, step)
			}
			counts[step] += n
		}
	}
	for _, step := range steps {
		faults = append(faults, fmt.Sprintf("%s of step %d abandoned, because %s",
			counted(counts[step], "request"), step, heldBackBy(e.Ends, step)))
	}
	return faults
}

func heldBackBy(ends []End, step int) string {
	for _, end := range ends {
		if end.Step == step && len(end.Limits) > 0 {
			return fmt.Sprintf("its %s held them back beyond the end of their block (lower its load, or raise the limit)",
				strings.Join(end.Limits, " or "))
		}
	}
	return "the run ended first (run it again)"
}
