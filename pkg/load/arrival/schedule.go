package arrival

import (
	"math/rand/v2"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// randomStream keeps arrivals independent of prompts that are drawn from the same seed and stream.
const randomStream = 0xa0761d6478bd642f

// Schedule returns the planned sends of an open loop as ascending offsets in [0, settle+measure): the step's process at the
// step's rate, with its ramp and spike. seed and stream decide the draw. gaps is the recording of a trace and is not read by
// the other processes. A closed loop has no planned sends: nil.
//
// The step must be valid: Schedule panics on a process it does not know, on gamma without a positive cv, on weibull without
// components, and on trace without gaps.
func Schedule(step swap.Step, gaps Gaps, settle, measure time.Duration, seed, stream uint64) []time.Duration {
	if step.Rate <= 0 {
		return nil
	}
	src := newSource(seed, stream)
	profile := NewProfile(step, settle, measure)
	process := newProcess(step.Arrival, gaps)
	if profile.flat() {
		return steady(profile, process, src)
	}
	return rescaled(profile, process, src)
}

// steady adds gaps in seconds. The loops of this file end on a NaN too.
func steady(profile Profile, p process, src source) []time.Duration {
	out := profile.room()
	rate, end := profile.segments[0].rate, profile.length.Seconds()
	for at := p.first(src) / rate; at < end; at += p.next(src) / rate {
		out = append(out, profile.offset(at))
	}
	return out
}

// rescaled adds gaps in expected arrivals and maps each sum to its time.
func rescaled(profile Profile, p process, src source) []time.Duration {
	out := profile.room()
	total := profile.total()
	for x := p.first(src); x < total; x += p.next(src) {
		out = append(out, profile.offset(profile.inverse(x)))
	}
	return out
}

func newSource(seed, stream uint64) source {
	return source{rand.New(rand.NewPCG(seed, stream^randomStream))}
}
