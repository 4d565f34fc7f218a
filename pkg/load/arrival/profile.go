package arrival

import (
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Profile is the mean rate of an open loop over a block: the step's rate, a straight line when it has a ramp, and another
// rate during its spike.
type Profile struct {
	length   time.Duration
	segments []segment
}

// segment is a stretch of a straight line. Times are seconds, rates requests per second.
type segment struct {
	start, end  float64
	rate, slope float64 // at start
	before      float64 // expected arrivals before start
}

// NewProfile returns the profile of a step over settle + measure. What of a spike lies outside the block is cut off.
func NewProfile(step swap.Step, settle, measure time.Duration) Profile {
	p := Profile{length: settle + measure}
	end := p.length.Seconds()
	line := func(from, to float64) segment {
		s := segment{start: from, end: to, rate: step.Rate}
		if step.Ramp != nil && end > 0 {
			s.slope = (step.Rate - step.Ramp.From) / end
			s.rate = step.Ramp.From + s.slope*from
		}
		return s
	}
	if step.Spike == nil {
		p.add(line(0, end))
		return p
	}
	from := min(max((settle+step.Spike.After.Std()).Seconds(), 0), end)
	to := min(max((settle+step.Spike.After.Std()+step.Spike.For.Std()).Seconds(), from), end)
	p.add(line(0, from))
	p.add(segment{start: from, end: to, rate: step.Spike.Rate})
	p.add(line(to, end))
	return p
}

func (p *Profile) add(s segment) {
	if s.start >= s.end {
		return
	}
	s.before = p.total()
	p.segments = append(p.segments, s)
}

// Rate is the mean number of arrivals per second at an offset from the start of the block; 0 outside of it. At the edges of a
// spike it is the rate that begins.
func (p Profile) Rate(t time.Duration) float64 {
	at := t.Seconds()
	for _, s := range p.segments {
		if at >= s.start && at < s.end {
			return s.rate + s.slope*(at-s.start)
		}
	}
	return 0
}

// Cumulative is the mean number of arrivals before an offset from the start of the block, the integral of Rate.
func (p Profile) Cumulative(t time.Duration) float64 {
	at, sum := t.Seconds(), 0.0
	for _, s := range p.segments {
		if at <= s.start {
			break
		}
		sum = s.cumulative(min(at, s.end))
	}
	return sum
}

func (s segment) cumulative(at float64) float64 {
	d := at - s.start
	return s.before + d*(s.rate+s.slope*d/2)
}

func (p Profile) total() float64 {
	if len(p.segments) == 0 {
		return 0
	}
	last := p.segments[len(p.segments)-1]
	return last.cumulative(last.end)
}

// inverse is the second at which the cumulative rate reaches x. The root of the quadratic is written so that it neither
// cancels nor divides by a slope of 0.
func (p Profile) inverse(x float64) float64 {
	for i, s := range p.segments {
		if i < len(p.segments)-1 && x >= p.segments[i+1].before {
			continue
		}
		y := max(x-s.before, 0)
		root := math.Sqrt(max(s.rate*s.rate+2*s.slope*y, 0))
		return min(s.start+2*y/(s.rate+root), s.end)
	}
	return 0
}

// flat reports whether the rate is the same all the time.
func (p Profile) flat() bool { return len(p.segments) == 1 && p.segments[0].slope == 0 }

// room is an empty list for about as many arrivals as are expected.
func (p Profile) room() []time.Duration { return make([]time.Duration, 0, int(p.total())+1) }

// offset turns seconds within the block into an offset within it, whatever the rounding.
func (p Profile) offset(seconds float64) time.Duration {
	return min(time.Duration(seconds*float64(time.Second)), p.length-1)
}
