package metronome

import (
	"container/heap"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAPacerThatStoppedTakesNoStream(t *testing.T) {
	cfg := Default()
	cfg.FirstToken = time.Hour
	p := startPacer(cfg)
	waiting := &stream{done: make(chan error, 1)}
	waiting.entry.ArrivalUnixNS = time.Now().UnixNano()
	p.add(waiting)
	p.stop()
	require.ErrorIs(t, <-waiting.done, errStopped)
	late := &stream{done: make(chan error, 1)}
	p.add(late)
	require.ErrorIs(t, <-late.done, errStopped)
}

func TestTicksAreCommon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Interval: time.Duration(rapid.Int64Range(1, 1e9).Draw(t, "interval"))}
		due := time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "due"))
		require.Equal(t, due, c.tick(due))
		c.Burst = true
		at := c.tick(due)
		require.Zero(t, at%c.Interval)
		require.GreaterOrEqual(t, at, due)
		require.Less(t, at, due+c.Interval)
	})
}

func TestTheQueueIsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		for _, due := range rapid.SliceOf(rapid.Int64()).Draw(t, "due") {
			heap.Push(&q, beat{due: time.Duration(due)})
		}
		for last := time.Duration(-1 << 63); len(q) > 0; {
			b := heap.Pop(&q).(beat)
			require.GreaterOrEqual(t, b.due, last)
			last = b.due
		}
	})
}

// Every alarm sleeps as long as it should, and a wake before the sleep is not lost.
func TestAlarms(t *testing.T) {
	for name, a := range map[string]alarm{"of the system": newAlarm(), "of the runtime": newChannelAlarm()} {
		t.Run(name, func(t *testing.T) {
			defer a.close()
			before := time.Now()
			a.sleep(2 * time.Millisecond)
			a.wake()
			a.sleep(idle)
			go a.wake()
			a.sleep(idle)
			require.Less(t, time.Since(before), patience)
		})
	}
}
