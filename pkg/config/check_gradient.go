package config

import (
	"github.com/swapgate/swapgate/pkg/swap"
)

// mostSteps is the schema's limit for load.steps, which holds for a gradient's steps too.
const mostSteps = 100

func checkGradient(r *reporter, spec swap.Spec) {
	l := spec.Load
	if l.Gradient == nil {
		return
	}
	p := at("load", "gradient")
	if spec.Workload.PromptFile != "" {
		r.valueUsing(p, []path{at("workload", "prompt_file")},
			"excludes workload.prompt_file: a gradient sets the length of synthetic prompts; delete one of the two")
	}
	if api := spec.Workload.API; api.Unit() != swap.UnitTokens {
		r.valueUsing(p, []path{at("workload", "api")},
			"is for language models: with api %s the length of the prompt is not the work; list steps instead", api)
	}
	checkGradientLengths(r, p, *l.Gradient)
	checkShards(r, p.child("concurrency"), l.Gradient.Concurrency, l.Shards)
	checkGradientSteps(r, p, l)
}

func checkGradientLengths(r *reporter, p path, g swap.Gradient) {
	from, to, levels := p.child("from"), p.child("to"), p.child("levels")
	if g.From >= g.To {
		r.valueUsing(to, []path{from}, "must be above from (%d), got %d", g.From, g.To)
		return
	}
	if most := mostLevels(g.From, g.To, g.Levels); most < g.Levels {
		r.valueUsing(levels, []path{from, to}, "%d lengths from %d to %d are not all different after rounding; write levels: %d, or "+
			"a wider range", g.Levels, g.From, g.To, most)
	}
}

func checkGradientSteps(r *reporter, p path, l swap.Load) {
	if n := len(l.Steps) + l.Gradient.Levels; n > mostSteps {
		r.valueUsing(p.child("levels"), []path{at("load", "steps")}, "makes %d steps together with the %d that are listed; "+
			"at most %d can be run", n, len(l.Steps), mostSteps)
	}
	if hold := l.Block * swap.Duration(l.Gradient.Rounds); hold > swap.Duration(longestHold) {
		r.valueUsing(p.child("rounds"), []path{at("load", "block")}, "%d blocks of %s are %s; a step is held for at most %s: "+
			"write rounds: %d", l.Gradient.Rounds, short(l.Block.Std()), short(hold.Std()), short(longestHold), longestHold/l.Block.Std())
	}
}
