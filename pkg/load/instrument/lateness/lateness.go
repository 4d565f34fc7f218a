// Package lateness says how late a load client sent, and how late it may. It is pure: the load client's account of itself
// and the judge's check of the raw records share these definitions.
package lateness

import (
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// floorMS and share bound how late a client may send: the P99 of its lateness may be the larger of a fixed time and a
	// share of the baseline's median time to first token.
	floorMS = 5.0
	share   = .1
)

// OwnMS is how late a request was sent through the client's own fault, in ms: sent minus planned, without the time that the
// plan itself held it back. It means nothing for a request that was never sent.
func OwnMS(r *rawlog.Record) float64 { return float64(r.LateUS-r.HeldUS) / 1e3 }

// LimitMS is the largest P99 of lateness that is tolerated, in ms: what was configured, or else the larger of 5 ms and a
// tenth of the baseline's median time to first token.
func LimitMS(configured swap.Duration, medianTTFT swap.Value) float64 {
	if configured > 0 {
		return float64(configured.Std()) / float64(time.Millisecond)
	}
	return max(floorMS, share*medianTTFT.Or(0))
}

// Tally gathers the lateness of requests in memory of fixed size. The zero value is ready; it is not safe for concurrent
// use.
type Tally struct{ kept, all stats.Histogram }

// Add counts a request that was sent; others are ignored.
func (t *Tally) Add(r *rawlog.Record) {
	if r.SentUnixNS == 0 {
		return
	}
	t.AddOwn(OwnMS(r), r.ConnReused)
}

// AddOwn counts a request that was sent so many ms late through the client's own fault, on a kept connection or a new one.
func (t *Tally) AddOwn(ms float64, connReused bool) {
	t.all.Add(ms)
	if connReused {
		t.kept.Add(ms)
	}
}

// P99MS is the 99th percentile in ms, within 1 %; absent where nothing was sent. Requests that opened a connection are left
// out if there are others: they waited for the network, not for the client.
func (t *Tally) P99MS() swap.Value {
	if t.kept.Count() > 0 {
		return swap.Of(t.kept.Quantile(.99))
	}
	return t.OfAllP99MS()
}

// Kept reports whether a request went out on a kept connection, so that the client's own lateness is told from waits.
func (t *Tally) Kept() bool { return t.kept.Count() > 0 }

// OfAllP99MS is the same with the requests that opened a connection: what a user would wait before his request is on its way.
func (t *Tally) OfAllP99MS() swap.Value { return swap.Of(t.all.Quantile(.99)) }
