package metronome

import "time"

// channelAlarm sleeps on a timer of the runtime, where the system has nothing better.
type channelAlarm struct{ wakes chan struct{} }

func newChannelAlarm() *channelAlarm { return &channelAlarm{wakes: make(chan struct{}, 1)} }

func (a *channelAlarm) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.wakes:
	}
}

func (a *channelAlarm) wake() {
	select {
	case a.wakes <- struct{}{}:
	default:
	}
}

func (a *channelAlarm) close() {}
