package pressure

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Watcher keeps the largest usage that the pages of one arm have shown. It reads each page on a goroutine of its own, so neither
// the load nor another page waits for a slow one.
type Watcher struct {
	stop context.CancelFunc
	ends sync.WaitGroup

	mu sync.Mutex
	// round counts the calls of Take: a reading that began in an earlier round is of an earlier block.
	round   int
	kv, gpu swap.Value
	tallies []tally
}

// tally is how one source did.
type tally struct {
	source           Source
	readings, failed int
	last             error
}

// Start watches until Close or until ctx ends. Each page is read at once and then every interval, which must be positive; a page
// that takes longer skips what it missed, and one that takes 5 s is given up. The client is not closed.
func Start(ctx context.Context, client *http.Client, sources []Source, interval time.Duration) *Watcher {
	ctx, stop := context.WithCancel(ctx)
	w := &Watcher{stop: stop, tallies: make([]tally, len(sources))}
	for i, src := range sources {
		w.tallies[i].source = src
		p := newProbe(src, client)
		w.ends.Go(func() { w.watch(ctx, i, p, interval) })
	}
	return w
}

func (w *Watcher) watch(ctx context.Context, source int, p probe, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		round := w.begin()
		value, err := p.read(ctx)
		if err == nil || ctx.Err() == nil {
			w.note(round, source, value, err)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (w *Watcher) begin() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.round
}

func (w *Watcher) note(round, source int, value swap.Value, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.tallies[source]
	t.readings++
	if err != nil {
		t.failed++
		t.last = err
	}
	if round != w.round {
		return
	}
	if t.source.Kind == swap.SourceDCGM {
		w.gpu = more(w.gpu, value)
	} else {
		w.kv = more(w.kv, value)
	}
}

// Take returns the largest shares, 0 to 1, among the readings since the last Take, and begins anew: the share of the engine's KV
// cache in use, of its fullest rank, and the utilisation of the busiest GPU. A share is absent where no page gave it. A reading
// under way counts for neither side. It does not wait for any page.
func (w *Watcher) Take() (kv, gpu swap.Value) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kv, gpu = w.kv, w.gpu
	w.kv, w.gpu = swap.Absent(), swap.Absent()
	w.round++
	return kv, gpu
}

// Problem says in a short text which pages could not be read since the start; empty if all could.
func (w *Watcher) Problem() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var texts []string
	for _, t := range w.tallies {
		if t.failed > 0 {
			texts = append(texts, fmt.Sprintf("%d of %d readings failed, last with: %s", t.failed, t.readings, shortened(t.last.Error())))
		}
	}
	return strings.Join(texts, "; ")
}

// Close ends the watch and returns when its goroutines have ended. What was seen can still be taken. It may be called twice.
func (w *Watcher) Close() {
	w.stop()
	w.ends.Wait()
}

// mostRunes keeps a text fit for a finding.
const mostRunes = 160

func shortened(text string) string {
	if r := []rune(text); len(r) > mostRunes {
		return string(r[:mostRunes]) + "…"
	}
	return text
}
