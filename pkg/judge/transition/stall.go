package transition

import (
	"cmp"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// gap is a time in which requests were in flight and none got a token.
type gap struct {
	from, to time.Duration
	inFlight int
}

func (g gap) length() time.Duration { return g.to - g.from }

// tokens are the times at which a request got its tokens, as far as they are known.
func tokens(r request) []time.Duration {
	if r.FirstUS == nil {
		return nil
	}
	at := r.sent + micro(*r.FirstUS)
	out := make([]time.Duration, 1, 1+len(r.ChunkGapsUS))
	out[0] = at
	for _, us := range r.ChunkGapsUS {
		at += micro(us)
		out = append(out, at)
	}
	return out
}

// event is a change in what is in flight, or a token. At one moment requests begin first and end last.
type event struct {
	at   time.Duration
	kind int
}

const (
	begins = iota
	getsToken
	ends
)

// tokenGaps are all gaps up to the end of the load, in the order of time. The time from the last token to the end of the last
// request in flight is a gap too: that request may have waited in vain.
func tokenGaps(all []request, to time.Duration) []gap {
	var events []event
	for _, r := range all {
		events = append(events, event{r.sent, begins}, event{r.end, ends})
		for _, at := range tokens(r) {
			events = append(events, event{at, getsToken})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind)) })
	var gaps []gap
	var since time.Duration
	inFlight := 0
	for _, e := range events {
		if e.at > to {
			break
		}
		switch e.kind {
		case begins:
			if inFlight++; inFlight == 1 {
				since = e.at
			}
		case getsToken:
			gaps = append(gaps, gap{since, e.at, inFlight})
			since = e.at
		case ends:
			if inFlight--; inFlight == 0 {
				gaps = append(gaps, gap{since, e.at, 1})
			}
		}
	}
	if inFlight > 0 {
		gaps = append(gaps, gap{since, to, inFlight})
	}
	return gaps
}

// longestStall is the longest gap that ends after Asked.
func longestStall(gaps []gap) *swap.TokenStall {
	var longest *gap
	for i, g := range gaps {
		if g.to > 0 && (longest == nil || g.length() > longest.length()) {
			longest = &gaps[i]
		}
	}
	if longest == nil {
		return nil
	}
	return &swap.TokenStall{FromMS: ms(longest.from), DurationMS: ms(longest.length()), InFlight: longest.inFlight}
}
