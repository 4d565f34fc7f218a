package compat

import (
	"fmt"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Need is what one part of the run asks of a server's context.
type Need struct {
	// Name of the part, such as "step 2 (20 req/s)".
	Name string
	// Tokens of its longest request, prompt and answer together.
	Tokens int
	// Estimated says that the prompts come from a file, whose tokens only the engine can count.
	Estimated bool
}

// Plan is what the run asks of both servers.
type Plan struct {
	Needs []Need
	// Concurrency is the most requests that the plan keeps in flight; 0 where it sets none.
	Concurrency int
	Gates       []swap.Gate
	// Accept names the rules whose differences do not stop the run.
	Accept []swap.CompatRule
}

// pair is one fact of both arms.
type pair struct {
	arms swap.PerArm[swap.ArmFacts]
	plan Plan
}

// opinion is what a rule makes of a difference. Its zero value is that there is none.
type opinion struct {
	severity swap.Severity
	reason   string
	next     string
	// unknown says that what both show is not of a kind that compares.
	unknown bool
}

// Compare applies every rule to both servers.
func Compare(arms swap.PerArm[swap.ArmFacts], plan Plan) swap.Compatibility {
	out := swap.Compatibility{Differences: []swap.Difference{}, Same: []swap.CompatRule{}, Unknown: []swap.CompatRule{}}
	p := pair{arms: arms, plan: plan}
	for _, r := range rules() {
		b, c := r.show(arms.Baseline), r.show(arms.Candidate)
		if b == "" || c == "" {
			out.Unknown = append(out.Unknown, r.name)
			continue
		}
		o := r.judge(p)
		if o.unknown {
			out.Unknown = append(out.Unknown, r.name)
			continue
		}
		if o.severity == "" {
			out.Same = append(out.Same, r.name)
			continue
		}
		out.Differences = append(out.Differences, plan.accepting(swap.Difference{
			Rule: r.name, Severity: o.severity, Baseline: b, Candidate: c, Reason: o.reason, Next: o.next,
		}))
	}
	return out
}

// accepting turns a blocking difference that the specification accepts into a notable one.
func (p Plan) accepting(d swap.Difference) swap.Difference {
	d.Accepted = slices.Contains(p.Accept, d.Rule)
	switch {
	case d.Severity != swap.Blocking:
	case d.Accepted:
		d.Severity, d.Next = swap.Notable, ""
	default:
		d.Next += fmt.Sprintf(", or accept the difference (compatibility.accept: [%s])", d.Rule)
	}
	if d.Next != "" {
		d.Next += "."
	}
	return d
}
