package activities

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/inputs"
)

// templateTokens is room in the context that a chat template and a salt commonly need beside what is asked.
const templateTokens = 32

// contextUse is what one part of the run sends.
type contextUse struct {
	name    string
	longest inputs.Longest
}

// contextUses are the steps, and the probes of the rollout, which ask the workload's own lengths.
func contextUses(spec swap.Spec, files inputs.Files) []contextUse {
	var uses []contextUse
	for i, step := range spec.Load.Steps {
		uses = append(uses, contextUse{stepName(i, step), files.Longest(spec.Workload, step)})
	}
	if spec.Rollout != nil && spec.Rollout.ProbeRate > 0 {
		uses = append(uses, contextUse{"the probes of the rollout", files.Longest(spec.Workload, swap.Step{})})
	}
	return uses
}

// misfit is a way in which requests do not fit a context.
type misfit struct {
	severity swap.Severity
	problem  string
	is       func(l inputs.Longest, context float64) bool
}

func misfits() []misfit {
	over := func(l inputs.Longest, context float64) bool { return float64(l.Tokens) > context }
	return []misfit{
		{swap.Blocking, "longer requests are planned", func(l inputs.Longest, context float64) bool {
			return over(l, context) && !l.Estimated
		}},
		{swap.Notable, "by their words the prompts of the file need more", func(l inputs.Longest, context float64) bool {
			return over(l, context) && l.Estimated
		}},
		{swap.Notable, "the chat template and the salt that come on top may not fit", func(l inputs.Longest, context float64) bool {
			return !over(l, context) && float64(l.Tokens+templateTokens) > context
		}},
	}
}

// contextFindings says which requests do not fit the context of an arm: for certain, by the estimated length of prompts from a
// file, or once the chat template and the salt are added.
func contextFindings(spec swap.Spec, files inputs.Files, arms swap.PerArm[swap.ArmFacts]) []swap.Finding {
	var out []swap.Finding
	uses := contextUses(spec, files)
	for _, arm := range swap.Arms {
		context, known := arms.Get(arm).MaxModelLen.Get()
		if !known {
			continue
		}
		for _, m := range misfits() {
			if which := m.among(uses, context); len(which) > 0 {
				out = append(out, m.finding(spec, arm, context, which))
			}
		}
	}
	return out
}

// among names the uses that do not fit in this way, and how long they are.
func (m misfit) among(uses []contextUse, context float64) []string {
	var names []string
	for _, u := range uses {
		if m.is(u.longest, context) {
			names = append(names, fmt.Sprintf("%s up to %d tokens", u.name, u.longest.Tokens))
		}
	}
	return names
}

func (m misfit) finding(spec swap.Spec, arm swap.Arm, context float64, which []string) swap.Finding {
	carried := ""
	if t := spec.Workload.Topology; t != nil && t.Shape == swap.ShapeSession {
		carried = fmt.Sprintf(" The last of the %d turns of a session holds all before it.", t.Size)
	}
	return swap.Finding{
		Severity: m.severity, Subject: string(arm),
		Message: fmt.Sprintf("Its context holds %.0f tokens, and %s: %s, prompt and answer together.%s",
			context, m.problem, strings.Join(which, "; "), carried),
		Next: "Shorten input_tokens.max and output_tokens.max of the step or the workload (or its sessions, trace or prompt file), or " +
			"serve the model with a longer context.",
	}
}
