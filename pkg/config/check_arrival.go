package config

import (
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// checkOpenStep checks how the requests of a step with a rate arrive.
func checkOpenStep(r *reporter, p path, s swap.Step, spec swap.Spec) {
	if s.Spike != nil {
		checkSpike(r, p.child("spike"), *s.Spike, spec.Load.Block)
	}
	if s.Arrival == nil {
		return
	}
	arrival := p.child("arrival")
	checkArrivalFields(r, arrival, *s.Arrival)
	checkWeibull(r, arrival.child("weibull"), s.Arrival.Weibull)
	if s.Arrival.Process == swap.ArrivalTrace {
		checkTrace(r, p, s, spec.Workload)
	}
}

func checkSpike(r *reporter, p path, s swap.Spike, block swap.Duration) {
	if s.After+s.For > block {
		r.valueUsing(p, []path{at("load", "block")}, "ends %s after the start of the measured time (after %s, for %s), but a block "+
			"is measured for %s; shorten after or for, or lengthen load.block",
			short((s.After + s.For).Std()), short(s.After.Std()), short(s.For.Std()), short(block.Std()))
	}
}

// checkArrivalFields holds the fields of an arrival process to that process: each belongs to one and is required there.
func checkArrivalFields(r *reporter, p path, a swap.Arrival) {
	for _, field := range []struct {
		name  string
		owner swap.Process
		given bool
		what  string
	}{
		{"cv", swap.ArrivalGamma, a.CV != 0, "the coefficient of variation of the gaps, such as 2 for bursts"},
		{"weibull", swap.ArrivalWeibull, len(a.Weibull) > 0, "one or two components {weight, shape, scale}"},
		{"trace", swap.ArrivalTrace, a.Trace != nil, "the recording, {file: PATH}"},
	} {
		using := []path{p.child("process")}
		switch {
		case field.given && a.Process != field.owner:
			r.valueUsing(p.child(field.name), using, "belongs to process %s, and the process is %s; write process: %s, or delete it",
				field.owner, a.Process, field.owner)
		case !field.given && a.Process == field.owner:
			r.valueUsing(p.child(field.name), using, "is required for process %s: %s", field.owner, field.what)
		}
	}
}

func checkWeibull(r *reporter, p path, parts []swap.WeibullPart) {
	sum := 0.0
	for _, part := range parts {
		sum += part.Weight
	}
	if len(parts) > 0 && math.Abs(sum-1) > 1e-6 {
		r.value(p, "the weights must sum to 1, got %s", decimal(sum))
	}
}

func checkTrace(r *reporter, p path, s swap.Step, w swap.Workload) {
	process := []path{p.child("arrival").child("process")}
	for _, field := range []givenField{{"ramp", s.Ramp != nil}, {"spike", s.Spike != nil}} {
		if field.given {
			r.valueUsing(p.child(field.name), process, "excludes process trace: a recording has its own rises and bursts; delete one of the two")
		}
	}
	if s.Arrival.Trace == nil || !s.Arrival.Trace.Lengths {
		return
	}
	lengths := p.child("arrival").child("trace").child("lengths")
	checkPromptsAreMade(r, lengths, w)
	checkCountsTokens(r, lengths, w.API)
	for _, field := range []givenField{{"input_tokens", s.InputTokens != nil}, {"output_tokens", s.OutputTokens != nil}} {
		if field.given {
			r.valueUsing(p.child(field.name), []path{lengths},
				"excludes lengths: true of the trace, which takes the lengths from the recording; delete one of the two")
		}
	}
}
