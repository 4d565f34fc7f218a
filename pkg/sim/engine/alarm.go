package engine

import (
	"sync"
	"time"
)

// alarm wakes the scheduler loop. Set replaces the time of the next wake-up; a non-positive duration is at once.
type alarm interface {
	Set(d time.Duration)
	Wait()
	Close()
}

// timerAlarm is an alarm on the runtime's timers, which an idle process may serve a millisecond late.
type timerAlarm struct {
	mu    sync.Mutex
	timer *time.Timer
}

func newTimerAlarm() *timerAlarm {
	return &timerAlarm{timer: time.NewTimer(time.Hour)}
}

func (a *timerAlarm) Set(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer.Reset(d)
}

func (a *timerAlarm) Wait() { <-a.timer.C }

func (a *timerAlarm) Close() { a.timer.Stop() }
