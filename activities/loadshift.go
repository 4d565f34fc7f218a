package activities

import (
	"context"
	"sync"

	"go.temporal.io/sdk/activity"
)

// shift is the time in which a load worker works on a step. When the worker is asked to stop, it ends before the next block,
// or at once where the load worker only waits for others. It is ended by its context, and not by an error, so that the other
// load workers wait for the next attempt instead of failing.
type shift struct {
	asked   <-chan struct{}
	cancel  context.CancelCauseFunc
	watcher sync.WaitGroup

	mu      sync.Mutex
	waiting string
}

func newShift(ctx context.Context) *shift {
	return &shift{asked: activity.GetWorkerStopChannel(ctx), cancel: func(error) {}}
}

// start returns the context of the shift; call stop in any case.
func (s *shift) start(ctx context.Context) context.Context {
	ctx, s.cancel = context.WithCancelCause(ctx)
	s.watcher.Go(func() {
		select {
		case <-s.asked:
			s.wait(s.waitsFor())
		case <-ctx.Done():
		}
	})
	return ctx
}

func (s *shift) stop() {
	s.cancel(nil)
	s.watcher.Wait()
}

// over is for the moment between two blocks: it ends the shift if the worker is to stop.
func (s *shift) over() error {
	if !s.stopping() {
		return nil
	}
	s.cancel(errWorkerStopping)
	return errWorkerStopping
}

func (s *shift) stopping() bool {
	select {
	case <-s.asked:
		return true
	default:
		return false
	}
}

// wait notes what is waited for, in a sentence; empty when it is over.
func (s *shift) wait(sentence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = sentence
	if sentence != "" && s.stopping() {
		s.cancel(errWorkerStopping)
	}
}

func (s *shift) waitsFor() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}
