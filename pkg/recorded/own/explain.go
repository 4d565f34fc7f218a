package own

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/judge/attribution"
	"github.com/swapgate/swapgate/pkg/judge/jitter"
	"github.com/swapgate/swapgate/pkg/load/capacity"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/load/reaction"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/swap"
)

// gathered are the records of sealed blocks, as they are read: what is judged, and what explains it.
type gathered struct {
	blocks   *judge.Collector
	outliers *jitter.Collector
	layers   *attribution.Collector
}

func gather(manifests []swap.StepManifest) gathered {
	return gathered{judge.NewCollector(manifests), jitter.NewCollector(manifests), attribution.NewCollector(manifests)}
}

// add takes records; see judge.Collector.
func (g gathered) add(rows []rawlog.Record) {
	g.blocks.Add(rows)
	g.outliers.Add(rows)
	g.layers.Add(rows)
}

// keep makes the recording of what was gathered.
func (r *Recording) keep(g gathered) {
	r.Blocks, r.told = g.blocks.Blocks(), &explained{g.outliers.Jitter(), g.layers}
}

// explained is what the slow first tokens look like, and which layer carries the difference of the arms.
type explained struct {
	jitter *swap.Jitter
	layers *attribution.Collector
}

func (e *explained) swap() {
	if e.jitter != nil {
		arms := &e.jitter.Arms
		arms.Baseline, arms.Candidate = arms.Candidate, arms.Baseline
	}
	e.layers.Swap()
}

// jitterOf is that of one arm; nil where it is not known.
func (r *Recording) jitterOf(arm swap.Arm) *swap.ArmJitter {
	if r.told == nil || r.told.jitter == nil {
		return nil
	}
	one := r.told.jitter.Arms.Get(arm)
	return &one
}

// Explain adds to the comparison of the two arms what explains it, as in a live run: jitter, the layer that carries the difference, the
// capacity of both arms and, where it is asked for, the reaction to the load. It decides nothing.
func (r *Recording) Explain(c *swap.Comparison, asked *swap.Reaction, settings swap.Judge) {
	if r.told != nil {
		c.Jitter, c.Attribution = r.told.jitter, r.told.layers.Attribution()
		c.Findings = append(c.Findings, jitter.Findings(c.Jitter)...)
	}
	load, results := r.load(), r.Steps()
	c.Capacity = capacity.Of(load.Steps, results, capacity.Throughputs(r.Blocks)...)
	load.Reaction = asked
	reaction.Apply(c, swap.Spec{Load: load, Judge: settings}, results, r.Blocks)
}

// load has the steps that manifests tell.
func (r *Recording) load() (load swap.Load) {
	for i := range r.Manifests {
		m := &r.Manifests[i]
		if m.Step < 1 || m.Step > mostSteps {
			continue
		}
		if missing := m.Step - len(load.Steps); missing > 0 {
			load.Steps = append(load.Steps, make([]swap.Step, missing)...)
		}
		load.Steps[m.Step-1] = m.Spec
	}
	return load
}

// mostSteps bounds what a damaged manifest can ask for.
const mostSteps = 10_000

// Steps are the load steps that both arms have blocks of.
func (r *Recording) Steps() []swap.StepResult {
	base, cand := r.Run(swap.Baseline), r.Run(swap.Candidate)
	number := func(s *recorded.Stage) int { return s.Blocks[0].Step }
	steps := []swap.StepResult{}
	for i := range base.Stages {
		b := &base.Stages[i]
		k := slices.IndexFunc(cand.Stages, func(s recorded.Stage) bool { return number(&s) == number(b) })
		if k < 0 {
			continue
		}
		step := recorded.StepOf(number(b), swap.PerArm[*recorded.Stage]{Baseline: b, Candidate: &cand.Stages[k]})
		for m := range r.Manifests {
			if r.Manifests[m].Step == step.Step {
				step.Ended, step.Instrument = r.Manifests[m].Ended, r.Manifests[m].Instrument
			}
		}
		steps = append(steps, step)
	}
	return steps
}
