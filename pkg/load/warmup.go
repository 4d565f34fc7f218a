package load

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

const (
	// stableTolerance is how far the medians of two adjacent windows may differ, relative to the earlier.
	stableTolerance = 0.10
	// smallestWindow is the least number of requests in a window.
	smallestWindow = 10
	// warmUpStream holds prompts that no block asks.
	warmUpStream = math.MaxUint64
)

// The ways in which a warm-up ends.
const (
	EndedStable      = "stable"
	EndedMaxRequests = "max_requests"
	EndedMaxDuration = "max_duration"
	EndedCancelled   = "cancelled"
)

// WarmUp sends requests to one arm until its latency is stable or a cap of w is reached. The first request runs alone and
// is reported as the cold one; then w.Concurrency are in flight. Latency is stable when, after w.MinRequests, the median
// TTFT of the last window of good requests is within 10 % of the window's before; a window is the larger of 10 requests and
// the concurrency, and windows do not overlap. The generators, one for each kind of prompt that the load will send, take
// turns: a server that compiles for a length does so before anything is measured.
//
// Of opt it uses Block.Arm, Model, RunSalt, Timeout and Meter. It fails only when ctx is cancelled; a server that answers
// badly shows in the outcomes.
func WarmUp(
	ctx context.Context, sender Sender, prompts []*workload.Generator, w swap.WarmUp, opt Options,
) (swap.WarmUpResult, error) {
	began := time.Now()
	sending, cancel := bounded(ctx, w.MaxDuration.Std())
	defer cancel()
	u := &warmUp{
		limits: w, window: windowOf(w.Concurrency, len(prompts)), stop: make(chan struct{}),
		result: swap.WarmUpResult{Arm: opt.Block.Arm, Outcomes: swap.OutcomeCounts{}},
	}
	for _, g := range prompts {
		d, err := newDriver(sender, Plan{Stream: warmUpStream, prompts: g}, opt)
		if err != nil {
			return u.result, err
		}
		u.drivers = append(u.drivers, d)
	}
	u.ask(sending, u.next())
	for range max(1, w.Concurrency) {
		u.wg.Go(func() { u.slot(sending) })
	}
	u.wg.Wait()
	u.end(ctx, sending)
	u.result.TookMS = time.Since(began).Milliseconds()
	if ctx.Err() != nil {
		return u.result, fmt.Errorf("the warm-up of the %s was cut off: %w", opt.Block.Arm, context.Cause(ctx))
	}
	return u.result, nil
}

type warmUp struct {
	limits swap.WarmUp
	window int
	// drivers ask in turn, one for each kind of prompt.
	drivers []*driver
	wg      sync.WaitGroup
	asked   atomic.Int64

	stop chan struct{}
	mu   sync.Mutex
	// ttft holds the good requests after the first, in the order in which they ended.
	ttft   []float64
	result swap.WarmUpResult
}

// windowOf is the number of requests in a window: the same number of each kind of prompt.
func windowOf(concurrency, kinds int) int {
	n := max(smallestWindow, concurrency)
	return (n + kinds - 1) / kinds * kinds
}

func (u *warmUp) next() int { return int(u.asked.Add(1)) - 1 }

// bounded is ctx with a time limit, if d is one.
func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// slot sends one request after the other until the warm-up is stable or the slots together have sent enough.
func (u *warmUp) slot(ctx context.Context) {
	for {
		select {
		case <-u.stop:
			return
		default:
		}
		seq := u.next()
		if seq >= max(u.limits.MaxRequests, u.limits.MinRequests) || !u.ask(ctx, seq) {
			return
		}
	}
}

// ask sends one request; it reports false when ctx ended.
func (u *warmUp) ask(ctx context.Context, seq int) bool {
	if ctx.Err() != nil {
		return false
	}
	began := time.Now()
	d := u.drivers[seq%len(u.drivers)]
	of := d.asker.unit(seq)
	j, _ := d.asker.job(of, 0)
	d.opt.Meter.plan(1)
	f := newFlight(j, of, began)
	o := d.fly(ctx, f)
	d.keep(f, o)
	u.take(seq, o)
	return pauseAfter(ctx, o, began)
}

func (u *warmUp) take(seq int, o engine.Observation) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.result.Requests++
	u.result.Outcomes[o.Outcome]++
	if !o.Outcome.Good() || u.result.Stable {
		return
	}
	ttft := float64(o.First.Sub(o.Sent)) / float64(time.Millisecond)
	if seq == 0 {
		u.result.ColdTTFTms = swap.Of(ttft)
		return
	}
	u.ttft = append(u.ttft, ttft)
	if len(u.ttft)%u.window == 0 && u.result.Requests >= u.limits.MinRequests && Stable(u.ttft, u.window) {
		u.result.Stable = true
		close(u.stop)
	}
}

func (u *warmUp) end(ctx, sending context.Context) {
	last := u.ttft[max(0, len(u.ttft)-u.window):]
	u.result.HotTTFTms = swap.Of(stats.Quantiles(last, 0.5)[0])
	switch {
	case u.result.Stable:
		u.result.Ended = EndedStable
	case ctx.Err() != nil:
		u.result.Ended = EndedCancelled
	case sending.Err() != nil:
		u.result.Ended = EndedMaxDuration
	default:
		u.result.Ended = EndedMaxRequests
	}
}

// Stable reports whether the median of the last window of latencies is within 10 % of the median of the window before.
func Stable(latencies []float64, window int) bool {
	n := len(latencies)
	if window < 1 || n < 2*window {
		return false
	}
	before := stats.Quantiles(latencies[n-2*window:n-window], 0.5)[0]
	last := stats.Quantiles(latencies[n-window:], 0.5)[0]
	return math.Abs(last-before) <= stableTolerance*before
}
