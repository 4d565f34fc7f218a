package pressure

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Saturation is the share of a model's context, or of a KV cache, from which on it counts as nearly full.
const Saturation = 0.92

// longQuantile is the quantile of lengths that a step is judged by: one request in twenty is longer.
const longQuantile = 0.95

// StepCache is a load step and what one arm's KV cache did in it.
type StepCache struct {
	Arm swap.Arm
	// Step counts from 1.
	Step int
	// Input and Output are the planned lengths of the step, those of the workload where it has none of its own.
	Input, Output swap.Lengths
	// Topology is nil where every request stands alone.
	Topology    *swap.Topology
	MaxModelLen swap.Value
	// Before and After are the cache just before the first request of the step and just after its last.
	Before, After CacheState
	// PeakUsage is the largest usage seen while the step ran on this arm.
	PeakUsage swap.Value
}

// CheckContext checks the KV cache of an arm after a step whose long requests (P95 of prompt and answer) fill Saturation of the
// model's context or more. There is no finding for a step that stays below, nor where the lengths or the context are not known;
// otherwise there is one: harmless where the cache coped, notable where it was nearly full, where requests were preempted, where
// the engine restarted, and where its metrics do not tell.
func CheckContext(s StepCache) []swap.Finding {
	length, known := s.MaxModelLen.Get()
	tokens := LongestContext(s.Input, s.Output, s.Topology)
	if !known || length <= 0 || !(tokens >= Saturation*length) {
		return nil
	}
	f := s.judge()
	f.Subject = string(s.Arm)
	f.Message = fmt.Sprintf("Long requests of step %d fill %s of its context (%.0f of %.0f tokens). %s",
		s.Step, percent(tokens/length), tokens, length, f.Message)
	return []swap.Finding{f}
}

// LongestContext is how many tokens the prompt and the answer of a long request hold together: the P95 of each, and in a session or
// a ring what the last request carries from those before it, at its median. It is 0 where prompts come from a file.
func LongestContext(input, output swap.Lengths, topology *swap.Topology) float64 {
	in, out := float64(input.Median), float64(output.Median)
	if in < 1 || out < 1 {
		return 0
	}
	tokens := long(input) + long(output)
	if topology == nil {
		return tokens
	}
	switch topology.Shape {
	case swap.ShapeSession:
		return tokens + float64(topology.Size-1)*(in+out)
	case swap.ShapeRing:
		return tokens + out
	}
	return tokens
}

// long is the P95 of a log-normal length that is clipped to [min, max]; max 0 is no limit.
func long(l swap.Lengths) float64 {
	v := math.Max(float64(l.Min), float64(l.Median)*math.Exp(l.Sigma*stats.NormalQuantile(longQuantile)))
	if l.Max > 0 {
		v = math.Min(v, float64(l.Max))
	}
	return v
}

const moreCache = "Lower the concurrency or the lengths of the step, or give the engine more cache " +
	"(vLLM: --gpu-memory-utilization, --kv-cache-dtype; SGLang: --mem-fraction-static)."

func (s StepCache) judge() swap.Finding {
	preempted, restarted := s.preempted()
	usage := more(more(s.PeakUsage, s.Before.Usage), s.After.Usage)
	n, counted := preempted.Get()
	switch {
	case restarted:
		return swap.Finding{
			Severity: swap.Notable, Message: "The engine restarted during the step, so its KV cache cannot be compared.",
			Next: "Look in its log for the cause, such as memory that ran out. Requests across the restart failed or were slow because of it.",
		}
	case n > 0:
		return swap.Finding{
			Severity: swap.Notable, Message: "Its KV cache is too small for so many of them: " + s.words(preempted) + ".",
			Next: "Latency of this step includes waiting for cache and computing again. " + moreCache,
		}
	case usage.Or(0) >= Saturation:
		return swap.Finding{
			Severity: swap.Notable, Message: "Its KV cache was nearly full: " + s.words(preempted) + ".",
			Next: "With any more load requests wait for cache, or are preempted and computed again. " + moreCache,
		}
	case !counted && !s.PeakUsage.Valid():
		return swap.Finding{
			Severity: swap.Notable, Message: "Whether its KV cache coped is not known: its metrics tell neither usage nor preemptions.",
			Next: "Turn the engine's metrics on, or look for preemptions in its log.",
		}
	}
	return swap.Finding{Severity: swap.Harmless, Message: "Its KV cache coped: " + s.words(preempted) + "."}
}

// preempted is how many requests were preempted in the step; absent where the engine does not count them.
func (s StepCache) preempted() (n swap.Value, restarted bool) {
	for _, c := range []struct{ before, after swap.Value }{
		{s.Before.Preemptions, s.After.Preemptions},
		{s.Before.PrefixQueries, s.After.PrefixQueries},
		{s.Before.PrefixHits, s.After.PrefixHits},
	} {
		if grown, known := growth(c.before, c.after).Get(); known && grown < 0 {
			return swap.Absent(), true
		}
	}
	if moved, known := growth(s.Before.Started, s.After.Started).Get(); known && math.Abs(moved) >= 1 {
		return swap.Absent(), true
	}
	return growth(s.Before.Preemptions, s.After.Preemptions), false
}

func growth(before, after swap.Value) swap.Value {
	from, known := before.Get()
	to, grown := after.Get()
	if !known || !grown {
		return swap.Absent()
	}
	return swap.Of(to - from)
}
