package activities

import (
	"github.com/swapgate/swapgate/pkg/engine/compat"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/inputs"
)

// compatibility compares what the two servers said of themselves with what the run will ask of them.
func compatibility(spec swap.Spec, files inputs.Files, arms swap.PerArm[swap.ArmFacts]) swap.Compatibility {
	plan := compat.Plan{Gates: spec.Gates, Accept: spec.Compatibility.Accept, Concurrency: plannedConcurrency(spec.Load.Steps)}
	for _, use := range contextUses(spec, files) {
		plan.Needs = append(plan.Needs, compat.Need{Name: use.name, Tokens: use.longest.Tokens, Estimated: use.longest.Estimated})
	}
	return compat.Compare(arms, plan)
}

// plannedConcurrency is the most requests that the steps keep in flight; 0 where a step leaves that to how fast the servers answer.
func plannedConcurrency(steps []swap.Step) int {
	most := 0
	for _, s := range steps {
		if s.Concurrency == 0 {
			return 0
		}
		most = max(most, s.Concurrency)
	}
	return most
}

// compatFindings are the differences that stop the run.
func compatFindings(c swap.Compatibility) []swap.Finding {
	var out []swap.Finding
	for _, d := range c.Blocking() {
		out = append(out, swap.Finding{Severity: swap.Blocking, Subject: string(d.Rule), Message: d.Reason, Next: d.Next})
	}
	return out
}

// withoutCompared leaves out the findings on the context of the candidate of which the comparison of both servers speaks.
func withoutCompared(findings []swap.Finding, c swap.Compatibility) []swap.Finding {
	for _, d := range c.Differences {
		if d.Rule != swap.CompatContext || d.Severity != swap.Blocking && !d.Accepted {
			continue
		}
		var kept []swap.Finding
		for _, f := range findings {
			if f.Subject != string(swap.Candidate) || f.Severity != swap.Blocking {
				kept = append(kept, f)
			}
		}
		return kept
	}
	return findings
}
