package config

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/load/capacity"
	"github.com/swapgate/swapgate/pkg/swap"
)

// optionsOf are the options that each rule has.
var optionsOf = map[swap.RuleName][]string{
	swap.RuleFivePercent: {"metric", "stat", "filter"},
	swap.RuleThreeEight:  {"metric", "stat", "filter"},
	swap.RuleKSAdaptive:  {"metric", "filter"},
	swap.RuleCVR99:       {"metric", "cv"},
	swap.RuleHybrid:      {"metric", "stat"},
}

// forOption is the default of an option, for the rules that have it.
func forOption(option string, value any) func(*node) any {
	return func(opinion *node) any {
		if !slices.Contains(optionsOf[swap.RuleName(opinion.text("rule"))], option) {
			return nil
		}
		return value
	}
}

// checkOpinions reports options that do not belong to their rule, and rules that are asked twice.
func checkOpinions(r *reporter, opinions []swap.OpinionRule, api swap.API) {
	first := map[swap.OpinionRule]int{}
	for i, o := range opinions {
		p := opinionPath(i)
		checkOptions(r, p, o)
		checkMetric(r, p, swap.Gate{Metric: o.Metric}, api)
		o.AllowUnreachable = false
		if earlier, again := first[o]; again {
			r.value(p, "asks %s the same as opinions[%d]; delete one of the two", o.Rule, earlier)
			continue
		}
		first[o] = i
	}
}

func opinionPath(i int) path { return at("judge", "opinions", i) }

func checkOptions(r *reporter, p path, o swap.OpinionRule) {
	for _, option := range []givenField{
		{"metric", o.Metric != ""}, {"stat", o.Stat != ""}, {"filter", o.Filter != ""}, {"cv", o.CV != 0},
	} {
		if option.given && !slices.Contains(optionsOf[o.Rule], option.name) {
			r.valueUsing(p.child(option.name), []path{p.child("rule")}, "does not belong to %s; delete it", o.Rule)
		}
	}
}

// checkOpinionsCanSpeak reports rules that cannot say anything under the plan.
func checkOpinionsCanSpeak(r *reporter, spec swap.Spec) {
	plan := opinionPlan(spec)
	for i, o := range spec.Judge.Opinions {
		if reach := plan.Reach(o); reach.Never != "" && !o.AllowUnreachable {
			r.valueUsing(opinionPath(i), []path{at("load")}, "%s can never fire here: %s; or write allow_unreachable: true", o.Rule, reach.Never)
		}
	}
}

// opinionWarnings say which rules fire on noise under the plan.
func opinionWarnings(spec swap.Spec) []PlanWarning {
	plan := opinionPlan(spec)
	var out []PlanWarning
	for i, o := range spec.Judge.Opinions {
		if noise := plan.Reach(o).Noise; noise != "" {
			out = append(out, PlanWarning{Field: opinionPath(i).String(), Message: string(o.Rule) + " fires on noise: " + noise})
		}
	}
	return out
}

// opinionPlan is the plan as the rules need it. The gradient of its load is expanded.
func opinionPlan(spec swap.Spec) classic.Plan {
	l := spec.Load
	plan := classic.Plan{BlockSeconds: l.Block.Seconds()}
	ran := make([]swap.StepResult, len(l.Steps))
	for i, s := range l.Steps {
		planned := classic.PlannedStep{Blocks: l.BlocksPerArm(s)}
		if l.Extend != nil {
			s.Hold = max(s.Hold, l.Extend.MaxHold)
			planned.Blocks = l.BlocksPerArm(s)
		}
		if n, known := blockRequests(s, l, spec.Workload.Topology).Get(); known {
			planned.Requests = swap.Of(n)
		}
		plan.Steps = append(plan.Steps, planned)
		ran[i].Step = i + 1
	}
	for _, c := range capacity.FromSteps(l.Steps, ran) {
		plan.Levels = max(plan.Levels, len(c.Steps))
	}
	return plan
}
