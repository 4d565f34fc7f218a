package judge

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// End is why a load step ended.
type End struct {
	Step  int
	Label string
	swap.StepEnd
}

// EndsFrom takes them from the manifests, in their order.
func EndsFrom(manifests []swap.StepManifest) []End {
	ends := make([]End, len(manifests))
	for i, m := range manifests {
		ends[i] = End{Step: m.Step, Label: m.Spec.Label(), StepEnd: m.Ended}
	}
	return ends
}

// ends weighs steps that did not end as planned. A limit that the candidate breaks and the baseline keeps is a failure of the
// candidate, whatever the gates could still tell; a limit that the baseline breaks is too much load for a comparison.
func (c *checks) ends(ends []End) {
	for _, end := range ends {
		where := fmt.Sprintf("step %d (%s)", end.Step, end.Label)
		switch {
		case end.Code == swap.EndedMaxHold:
			c.find(swap.Notable, where, end.Message, "raise load.extend.max_hold, or look for what makes the service unsteady")
		case end.Code == swap.EndedLimit && end.Arm == swap.Candidate:
			c.failures = append(c.failures, swap.Reason{
				Code: swap.ReasonNotHeld, Subject: where,
				Message: fmt.Sprintf("%s was stopped because the candidate cannot hold it: %s; the baseline keeps the limits", where, end.Message),
			})
		case end.Code == swap.EndedLimit:
			c.forbid(swap.ReasonNotHeld, where, fmt.Sprintf(
				"%s was stopped because it cannot be held: %s. Lower the load, or change load.limits", where, end.Message))
		}
	}
}
