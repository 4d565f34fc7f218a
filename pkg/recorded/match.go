package recorded

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// match pairs the stages of two runs that have the same load level, in the order of the baseline. What one run has alone is in left.
func match(baseline, candidate Run) (common []swap.PerArm[*Stage], left swap.PerArm[[]string]) {
	taken := make([]bool, len(candidate.Stages))
	for i := range baseline.Stages {
		b, found := &baseline.Stages[i], false
		for k := range candidate.Stages {
			if c := &candidate.Stages[k]; !taken[k] && b.Level.Same(c.Level) {
				taken[k], found = true, true
				common = append(common, swap.PerArm[*Stage]{Baseline: b, Candidate: c})
				break
			}
		}
		if !found {
			left.Baseline = append(left.Baseline, b.Level.String())
		}
	}
	for k := range candidate.Stages {
		if !taken[k] {
			left.Candidate = append(left.Candidate, candidate.Stages[k].Level.String())
		}
	}
	return common, left
}

// leftOut says which load levels are in one run only.
func leftOut(left swap.PerArm[[]string]) []swap.Finding {
	var out []swap.Finding
	for _, arm := range swap.Arms {
		if levels := left.Get(arm); len(levels) > 0 {
			out = append(out, swap.Finding{
				Severity: swap.Notable, Subject: string(arm),
				Message: fmt.Sprintf("only the %s was measured at %s, so that is left out", arm, strings.Join(levels, "; ")),
				Next:    "drive both with the same load levels, given as numbers and not found by a sweep",
			})
		}
	}
	return out
}

// measuredOnly keeps the levels that both runs have requests of. Where there is none, it keeps all, as summaries.
func measuredOnly(common []swap.PerArm[*Stage]) (kept []swap.PerArm[*Stage], asSummaries bool) {
	for _, c := range common {
		if c.Baseline.Measured() && c.Candidate.Measured() {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return common, true
	}
	return kept, false
}
