package reaction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/load/capacity"
	"github.com/swapgate/swapgate/pkg/swap"
)

// recommend walks up a curve to the first step at which the candidate reaches the limit of the P99 or of the knee, or that a limit of
// the load ended. What tokens cost ends no walk: it falls as the load rises, so that a step above may keep the limit.
func recommend(c capacity.Curve, steps []swap.StepReaction) swap.RecommendedStep {
	points := slices.Clone(c.Arms.Candidate)
	slices.SortStableFunc(points, func(a, b capacity.Point) int { return cmp.Compare(a.Load, b.Load) })
	r := swap.RecommendedStep{}
	for _, p := range points {
		r.Steps = append(r.Steps, p.Step)
	}
	safe, why := "", "no higher step was run"
	for _, p := range points {
		a := candidateAt(steps, p.Step)
		if p.Limited {
			why = p.Label + " was ended by a limit"
			break
		}
		if a.State == swap.LimitKept {
			r.Step, safe, why = p.Step, p.Label, "no higher step was run"
			continue
		}
		why = p.Label + " " + stateWords(a.State)
		if a.Sensitivity.State == swap.LimitReached || a.Knee.State == swap.LimitReached {
			break
		}
	}
	if r.Step == 0 {
		r.Message = "no step is known to keep every limit: " + why
		return r
	}
	r.Message = fmt.Sprintf("%s is the highest step at which the candidate keeps every limit that is known; %s", safe, why)
	return r
}

func candidateAt(steps []swap.StepReaction, step int) swap.ArmReaction {
	for _, s := range steps {
		if s.Step == step {
			return s.Arms.Candidate
		}
	}
	return swap.ArmReaction{State: swap.LimitUndecided}
}

func stateWords(s swap.ReactionState) string {
	if s == swap.LimitReached {
		return "reaches a limit"
	}
	return "is not decided"
}

// finding tells of every step at which the candidate reaches a limit, and which one.
func finding(r swap.ReactionResult) (f swap.Finding, reached bool) {
	var said []string
	for _, s := range r.Steps {
		a := s.Arms.Candidate
		for _, signal := range []swap.ReactionSignal{a.Sensitivity, a.Knee, a.Cost} {
			if signal.State == swap.LimitReached {
				said = append(said, "at "+s.Label+" "+signal.Message)
			}
		}
	}
	f = swap.Finding{
		Severity: swap.Notable, Subject: "load.reaction",
		Message: "The candidate reaches a limit of its load: " + strings.Join(said, "; ") + ".",
		Next:    "The verdict does not rest on this. Plan the candidate's servers for a load that keeps the limits",
	}
	for _, rec := range r.Recommended {
		f.Next += "; " + rec.Message
	}
	f.Next += "."
	return f, len(said) > 0
}
