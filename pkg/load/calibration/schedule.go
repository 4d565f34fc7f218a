package calibration

import (
	"slices"
	"time"
)

// leastRequests is how many requests are measured at least: a slow step's own would tell nothing.
const leastRequests = 20

// schedule is what is driven of an open loop: the busiest stretch of the plan, with the streams that are already open when it
// begins. Those are opened in settle time, so that what is measured has as many streams, requests and tokens per second as the
// block has there. Answers that would take longer than the schedule are cut short at its end.
type schedule struct {
	settle, measure time.Duration
	// sends are in ascending order.
	sends []send
}

// schedule cuts the busiest stretch out of a forecast of the block.
func (c Config) schedule(o outlook) schedule {
	s := schedule{settle: c.settle(), measure: c.Duration - c.settle()}
	block := repeated(o, s.measure)
	from := c.busiest(block, s.measure)
	open, fresh := c.cut(block.sends, from, from+s.measure)
	s.settle = max(s.settle, time.Duration(len(open))*time.Second/openedPerSecond)
	for i, o := range open {
		// One that was begun shortly before is begun when it was; those before it are spread over the time until then.
		at := max(s.settle-(from-o.at), s.settle*time.Duration(i)/time.Duration(len(open)))
		ends := s.settle + o.at + c.answering(o.output) - from
		s.sends = append(s.sends, send{at, length{o.input, c.tokensIn(ends - at)}})
	}
	for _, f := range fresh {
		s.sends = append(s.sends, send{s.settle + f.at - from, f.length})
	}
	s.fill(block.sends, leastRequests-len(fresh))
	s.end(c)
	return s
}

// repeated is the block as often as it takes to fill least.
func repeated(block outlook, least time.Duration) outlook {
	all := outlook{block.length, slices.Clone(block.sends)}
	for ; all.length < least; all.length += block.length {
		for _, s := range block.sends {
			all.sends = append(all.sends, send{all.length + s.at, s.length})
		}
	}
	return all
}

// busiest is where the stretch begins in which the most streams are open.
func (c Config) busiest(block outlook, stretch time.Duration) time.Duration {
	whole := max(block.length, stretch)
	width := max(1, stretch/finest, whole/longest)
	streams := c.streams(block.sends, width, int((whole-1)/width)+1)
	parts := max(1, int(stretch/width))
	best, at, sum := -1, 0, 0
	for i, n := range streams {
		sum += n
		if i >= parts {
			sum -= streams[i-parts]
		}
		if i >= parts-1 && sum > best {
			best, at = sum, i-parts+1
		}
	}
	return time.Duration(at) * width
}

// How finely the busiest stretch is looked for: in parts of the stretch, and at most in so many of the block.
const (
	finest  = 8
	longest = 10_000
)

// streams is how many streams are open at some time of each of n parts of a block.
func (c Config) streams(block []send, width time.Duration, n int) []int {
	open := make([]int, n+1)
	for _, s := range block {
		first := min(n-1, int(s.at/width))
		last := min(n-1, int((s.at+c.answering(s.output))/width))
		open[first]++
		open[last+1]--
	}
	for i := 1; i < n; i++ {
		open[i] += open[i-1]
	}
	return open[:n]
}

// cut are the streams that are open at from, and the requests that are sent from then on until to.
func (c Config) cut(block []send, from, to time.Duration) (open, fresh []send) {
	for _, s := range block {
		switch {
		case s.at >= to:
		case s.at >= from:
			fresh = append(fresh, s)
		case s.at+c.answering(s.output) > from:
			open = append(open, s)
		}
	}
	return open, fresh
}

// fill adds n requests that are spread over the measured time, with lengths of the block.
func (s *schedule) fill(block []send, n int) {
	for i := range n {
		l := length{1, 1}
		if len(block) > 0 {
			l = block[i%len(block)].length
		}
		s.sends = append(s.sends, send{s.settle + s.measure*time.Duration(i)/time.Duration(n), l})
	}
}

// end sorts the requests and cuts their answers.
func (s *schedule) end(c Config) {
	slices.SortStableFunc(s.sends, func(a, b send) int { return int(a.at - b.at) })
	for i := range s.sends {
		r := &s.sends[i]
		r.output = min(r.output, c.tokensIn(s.settle+s.measure-r.at))
	}
}
