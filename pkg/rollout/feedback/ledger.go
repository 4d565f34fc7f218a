// Package feedback puts what an application reports of live traffic to the windows of a rollout. It is pure.
package feedback

import (
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The most that a ledger remembers: sums of a time that no window has covered yet, ids of batches, and windows.
const (
	mostAhead   = 5000
	mostBatches = 1000
	mostWindows = 1000
)

// Ledger puts what the application reports to the windows of its time. An event counts to the window that its time is in, if it comes
// before the window's grace is over; a later one is only counted as late. A batch that comes again counts once. What it remembers is
// bounded. The zero ledger has a grace of 0.
type Ledger struct {
	// Grace is how long after its end a window takes events.
	Grace time.Duration
	// Counts is what became of all events so far.
	Counts swap.FeedbackCounts

	windows []openWindow
	ahead   []swap.FeedbackSum
	batches []string
}

// openWindow is a window that has ended.
type openWindow struct {
	index       int
	from, until time.Time
	ripe        bool
	sums        map[tallied]total
}

type tallied struct {
	arm  swap.Arm
	kind swap.FeedbackKind
}

type total struct {
	n   int
	sum float64
}

// Take adds a batch.
func (l *Ledger) Take(b swap.FeedbackBatch) {
	if slices.Contains(l.batches, b.ID) {
		for _, s := range b.Sums {
			l.Counts.Duplicates += s.N
		}
		return
	}
	l.batches = append(l.batches[max(0, len(l.batches)+1-mostBatches):], b.ID)
	l.Counts.Duplicates += b.Duplicates
	for _, s := range b.Sums {
		l.put(s)
	}
}

// put finds the window of a sum. One that is later than all windows waits for the next.
func (l *Ledger) put(s swap.FeedbackSum) {
	for i := range l.windows {
		w := &l.windows[i]
		switch {
		case !w.holds(s.Time):
		case w.ripe:
			l.Counts.Late += s.N
			return
		default:
			w.add(s)
			l.Counts.Counted += s.N
			return
		}
	}
	switch last := len(l.windows) - 1; {
	case last >= 0 && !s.Time.After(l.windows[last].until):
		l.Counts.Outside += s.N
	case len(l.ahead) >= mostAhead:
		l.Counts.Dropped += s.N
	default:
		l.ahead = append(l.ahead, s)
	}
}

// holds compares by seconds, as sums are by seconds.
func (w *openWindow) holds(t time.Time) bool {
	return !t.Before(w.from.Truncate(time.Second)) && t.Before(w.until)
}

func (w *openWindow) add(s swap.FeedbackSum) {
	key := tallied{s.Arm, s.Kind}
	now := w.sums[key]
	w.sums[key] = total{now.n + s.N, now.sum + s.Sum}
}

// Close says that a window has ended.
func (l *Ledger) Close(w swap.Window) {
	l.windows = append(l.windows[max(0, len(l.windows)+1-mostWindows):], openWindow{
		index: w.Index, from: w.Started, until: w.Ended, sums: map[tallied]total{},
	})
	waiting := l.ahead
	l.ahead = nil
	for _, s := range waiting {
		l.put(s)
	}
}

// Ripe returns the windows whose grace has ended by now, each once, if anything was reported of them.
func (l *Ledger) Ripe(now time.Time) []swap.WindowFeedback {
	var out []swap.WindowFeedback
	for i := range l.windows {
		w := &l.windows[i]
		if w.ripe || w.until.Add(l.Grace).After(now) {
			continue
		}
		w.ripe = true
		if len(w.sums) > 0 {
			out = append(out, w.feedback())
		}
	}
	return out
}

func (w *openWindow) feedback() swap.WindowFeedback {
	f := swap.WindowFeedback{Index: w.index}
	for _, arm := range swap.Arms {
		*f.Conversion.Ptr(arm) = w.sums[tallied{arm, swap.FeedbackConversion}].tally()
		*f.Quality.Ptr(arm) = w.sums[tallied{arm, swap.FeedbackQuality}].tally()
	}
	return f
}

func (t total) tally() swap.Tally {
	if t.n == 0 {
		return swap.Tally{}
	}
	return swap.Tally{N: t.n, Mean: swap.Of(t.sum / float64(t.n))}
}
