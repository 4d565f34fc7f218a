package rawlog

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Profile is how one tool defines the metrics that all of them call by the same names. Applied to the same records, it tells
// what that tool would have reported of these requests, so that numbers of a tool can be compared with a run of ours.
type Profile struct {
	// Name of the tool, or canonical.
	Name string
	// Metrics in the order of their importance. Every profile has ttft, itl, tpot, e2e and output_tokens.
	Metrics []ProfileMetric
	// Percentile is the tool's p-quantile, and PercentileMethod its name.
	Percentile       func(d *Distribution, p float64) swap.Value
	PercentileMethod string
	// Throughput is the tool's definition of throughput.
	Throughput ThroughputRule
}

// ProfileMetric is one metric of a profile.
type ProfileMetric struct {
	// Name is ttft, itl, tpot, e2e, output_tokens or one that only some tools have.
	Name string
	// Unit is ms or tokens.
	Unit string
	// Definition is what a person should read beside the number. Words: send, role (the first chunk with a choice), first and
	// last (non-empty chunk of any channel), visible (the first content or tool call), finish (the chunk with the finish
	// reason), end (of the stream), N (tokens by the server's usage).
	Definition string
	// Each calls yield with the values that a request has of the metric, and how much each weighs; not at all where the
	// request has none.
	Each func(r *Record, yield func(v float64, weight int))
}

// Metric returns the metric of that name, and whether the profile has it.
func (p Profile) Metric(name string) (ProfileMetric, bool) {
	i := slices.IndexFunc(p.Metrics, func(m ProfileMetric) bool { return m.Name == name })
	if i < 0 {
		return ProfileMetric{}, false
	}
	return p.Metrics[i], true
}

// Profiles returns all profiles, canonical first. The definitions were read in the tools' sources of 2026; tools change them.
func Profiles() []Profile {
	return []Profile{canonical(), vLLM(), sgLang(), aiPerf(), guideLLM(), inferencePerf()}
}

// ProfileNamed returns the profile of that name, and whether there is one.
func ProfileNamed(name string) (Profile, bool) {
	all := Profiles()
	i := slices.IndexFunc(all, func(p Profile) bool { return p.Name == name })
	if i < 0 {
		return Profile{}, false
	}
	return all[i], true
}

const (
	unitMS     = "ms"
	unitTokens = "tokens"

	numpyLinear = "numpy-linear"
	inverseCDF  = "inverse CDF, weighted"
)

// latency is a metric in ms that a request has once or not at all.
func latency(name, definition string, of func(*Record) swap.Value) ProfileMetric {
	return single(name, unitMS, definition, of)
}

func tokens(definition string, of func(*Record) swap.Value) ProfileMetric {
	return single("output_tokens", unitTokens, definition, of)
}

func single(name, unit, definition string, of func(*Record) swap.Value) ProfileMetric {
	return ProfileMetric{Name: name, Unit: unit, Definition: definition, Each: func(r *Record, yield func(float64, int)) {
		if v, ok := of(r).Get(); ok {
			yield(v, 1)
		}
	}}
}

// weighted is a metric that a request has once and that weighs as many tokens as a request has, and some.
func weighted(name, definition string, of func(*Record) swap.Value, more int) ProfileMetric {
	return ProfileMetric{Name: name, Unit: unitMS, Definition: definition, Each: func(r *Record, yield func(float64, int)) {
		if v, ok := of(r).Get(); ok && r.OutputTokens != nil {
			yield(v, int(*r.OutputTokens)+more)
		}
	}}
}

func intervals(name, definition string, each func(*Record, func(float64, int))) ProfileMetric {
	return ProfileMetric{Name: name, Unit: unitMS, Definition: definition, Each: each}
}

// per is (to − from) / (n − less) in ms, where both happened and the denominator is positive.
func per(from, to *int64, n *int32, less int32) swap.Value {
	if from == nil || to == nil || n == nil || *n <= less {
		return swap.Absent()
	}
	return swap.Of(float64(*to-*from) / 1e3 / float64(*n-less))
}

// chunkGaps are the gaps between non-empty chunks.
func chunkGaps(r *Record, yield func(float64, int)) {
	for _, gap := range r.ChunkGapsUS {
		yield(float64(gap)/1e3, 1)
	}
}
