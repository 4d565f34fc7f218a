package transition

import (
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// burstPause is the longest time between two failures of one burst.
const burstPause = time.Second

// Span is the time in which the load was driven, its settle time left out.
type Span struct{ From, To time.Time }

// request is what is used of a record. Times are since Asked.
type request struct {
	*rawlog.Record
	sent, end time.Duration
	// failed says that it gave no usable answer. What the end of the load cut off is neither good nor failed.
	failed bool
}

// Of measures a swap from the records of the load that ran through it. Records from before the span, and requests that were planned
// and never sent because the load ended, count for nothing.
func Of(records []rawlog.Record, s swap.ModelSwap, span Span) swap.Transition {
	from, served, to := span.From.Sub(s.Asked), s.Served.Sub(s.Asked), span.To.Sub(s.Asked)
	all := requests(records, s.Asked.UnixNano(), from)
	gaps := tokenGaps(all, to)
	t := swap.Transition{
		Before:   phase(all, gaps, from, 0),
		During:   phase(all, gaps, 0, served),
		After:    phase(all, gaps, served, to),
		Errors:   largestBurst(all),
		Stall:    longestStall(gaps),
		Spanning: spanning(all),
	}
	for _, m := range watched {
		t.Recovery = append(t.Recovery, recovery(m, all, from, to))
	}
	return t
}

// requests picks what counts, in the order of sending.
func requests(records []rawlog.Record, asked int64, from time.Duration) []request {
	var out []request
	for i := range records {
		r := &records[i]
		abandoned := swap.Outcome(r.Outcome) == swap.Abandoned
		at := r.SentUnixNS
		if at == 0 {
			at = r.PlannedUnixNS
		}
		sent := time.Duration(at - asked)
		if sent < from || abandoned && r.SentUnixNS == 0 {
			continue
		}
		out = append(out, request{Record: r, sent: sent, end: sent + length(r), failed: !r.Good() && !abandoned})
	}
	slices.SortStableFunc(out, func(a, b request) int { return int(max(-1, min(1, a.sent-b.sent))) })
	return out
}

// length is the time from sending to the last that was heard of a request.
func length(r *rawlog.Record) time.Duration {
	for _, us := range []*int64{r.EndUS, r.LastUS, r.FirstUS, r.HeadersUS} {
		if us != nil {
			return micro(*us)
		}
	}
	return 0
}

func micro(us int64) time.Duration { return time.Duration(us) * time.Microsecond }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// phase describes what was sent in [from, to).
func phase(all []request, gaps []gap, from, to time.Duration) swap.TransitionPhase {
	p := swap.TransitionPhase{DurationMS: ms(max(0, to-from)), Outcomes: swap.OutcomeCounts{}}
	var ttft, tpot []float64
	for _, r := range all {
		if r.sent < from || r.sent >= to {
			continue
		}
		p.Requests++
		p.Outcomes[swap.Outcome(r.Outcome)]++
		if !r.Good() {
			continue
		}
		if v, ok := r.TTFT().Get(); ok {
			ttft = append(ttft, v)
		}
		if v, ok := r.TPOT().Get(); ok {
			tpot = append(tpot, v)
		}
	}
	q := stats.Quantiles(ttft, 0.5, 0.95)
	p.TTFTP50ms, p.TTFTP95ms = swap.Of(q[0]), swap.Of(q[1])
	p.TPOTP50ms = swap.Of(stats.Quantiles(tpot, 0.5)[0])
	for _, g := range gaps {
		if g.to >= from && g.to < to && ms(g.length()) > p.LongestGapMS.Or(-1) {
			p.LongestGapMS = swap.Of(ms(g.length()))
		}
	}
	return p
}

// largestBurst is the run of failures from Asked on with the most of them.
func largestBurst(all []request) *swap.ErrorBurst {
	var failures []request
	for _, r := range all {
		if r.failed && r.end >= 0 {
			failures = append(failures, r)
		}
	}
	slices.SortStableFunc(failures, func(a, b request) int { return int(max(-1, min(1, a.end-b.end))) })
	var best *swap.ErrorBurst
	for first := 0; first < len(failures); {
		b := swap.ErrorBurst{FromMS: ms(failures[first].end), Outcomes: swap.OutcomeCounts{}}
		last := failures[first].end
		for ; first < len(failures) && failures[first].end-last <= burstPause; first++ {
			last = failures[first].end
			b.Count++
			b.Outcomes[swap.Outcome(failures[first].Outcome)]++
		}
		b.ToMS = ms(last)
		if best == nil || b.Count > best.Count {
			best = &b
		}
	}
	return best
}

// spanning are the requests in flight at Asked.
func spanning(all []request) swap.SpanningRequests {
	s := swap.SpanningRequests{Outcomes: swap.OutcomeCounts{}}
	for _, r := range all {
		if r.sent >= 0 || r.end <= 0 {
			continue
		}
		s.Requests++
		s.Outcomes[swap.Outcome(r.Outcome)]++
		before := r.sent
		for _, at := range tokens(r) {
			if longest := ms(at - before); at > 0 && longest > s.LongestGapMS.Or(-1) {
				s.LongestGapMS = swap.Of(longest)
			}
			before = at
		}
	}
	return s
}
