package compat

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

func context(f swap.ArmFacts) string {
	if n, ok := f.MaxModelLen.Get(); ok {
		return fmt.Sprintf("%.0f tokens", n)
	}
	return ""
}

// judgeContext blocks a candidate into whose context the planned requests do not fit. A shorter one into which they do is
// notable, because live requests may be longer than the planned ones.
func judgeContext(p pair) opinion {
	b, c := p.arms.Baseline.MaxModelLen.Or(0), p.arms.Candidate.MaxModelLen.Or(0)
	if b == c {
		return opinion{}
	}
	if c > b {
		return opinion{severity: swap.Harmless, reason: "What fits today fits after the swap."}
	}
	if which := p.plan.over(c); len(which) > 0 {
		return opinion{
			severity: swap.Blocking,
			reason: fmt.Sprintf("The candidate's context holds %.0f tokens and the baseline's %.0f, and longer requests are planned: %s, prompt "+
				"and answer together.", c, b, strings.Join(which, "; ")),
			next: "Serve the candidate with a longer context, or shorten the requests",
		}
	}
	return opinion{severity: swap.Notable, reason: "Live requests that fit today may be refused after the swap."}
}

// over names the parts of the run whose requests certainly do not fit.
func (p Plan) over(limit float64) []string {
	var which []string
	for _, n := range p.Needs {
		if !n.Estimated && float64(n.Tokens) > limit {
			which = append(which, fmt.Sprintf("%s up to %d tokens", n.Name, n.Tokens))
		}
	}
	return which
}
