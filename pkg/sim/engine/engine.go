package engine

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/sim/truth"
)

// Engine is one simulated server. It is an http.Handler and runs until Close.
type Engine struct {
	cfg         Config
	fingerprint string
	started     time.Time
	routes      http.Handler
	requests    atomic.Uint64
	metrics     *metrics
	truth       *truth.Log

	// mu guards sched, served and closed, and is held where the alarm is set.
	mu     sync.Mutex
	sched  *scheduler
	closed bool
	served served
	alarm  alarm
	loop   sync.WaitGroup
}

// New starts a server. The caller closes it.
func New(cfg Config) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return start(cfg, newAlarm()), nil
}

func start(cfg Config, wake alarm) *Engine {
	e := &Engine{
		cfg: cfg, fingerprint: cfg.Fingerprint(), started: time.Now(),
		sched: newScheduler(cfg), served: newServed(cfg), alarm: wake, truth: truth.NewLog(cfg.TruthEntries),
	}
	e.metrics = newMetrics(e)
	e.routes = e.newRoutes()
	e.loop.Go(e.run)
	return e
}

// Close stops the scheduler and cuts the connections of requests in service.
func (e *Engine) Close() {
	e.mu.Lock()
	alreadyClosed := e.closed
	if !alreadyClosed {
		e.closed = true
		e.sched.failAll(e.now(), errClosed)
		e.alarm.Set(0)
	}
	e.mu.Unlock()
	if !alreadyClosed {
		e.loop.Wait()
		e.alarm.Close()
	}
}

// run is the scheduler loop: it owns the passing of time.
func (e *Engine) run() {
	for {
		e.alarm.Wait()
		if e.withScheduler(func(*scheduler, time.Duration) {}) != nil {
			return
		}
	}
}

// withScheduler brings the scheduler up to date, lets act use it, and sets the alarm for what comes next.
func (e *Engine) withScheduler(act func(s *scheduler, now time.Duration)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed
	}
	now := e.now()
	e.sched.advance(now)
	act(e.sched, now)
	if next, ok := e.sched.next(); ok {
		e.alarm.Set(next - e.now())
	}
	return nil
}

// submit hands a sequence to the scheduler.
func (e *Engine) submit(s *sequence) error {
	dead := false
	err := e.withScheduler(func(c *scheduler, now time.Duration) {
		dead = c.dead
		if !dead {
			c.add(s, now)
		}
	})
	if dead {
		return errDead
	}
	return err
}

func (e *Engine) abort(s *sequence) {
	_ = e.withScheduler(func(c *scheduler, now time.Duration) { c.abort(s, now) })
}

// now is the time since the engine's start, on the monotonic clock.
func (e *Engine) now() time.Duration { return time.Since(e.started) }

// unixNS turns a time since the start into wall-clock nanoseconds.
func (e *Engine) unixNS(t time.Duration) int64 { return e.started.Add(t).UnixNano() }
