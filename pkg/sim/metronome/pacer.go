package metronome

import (
	"container/heap"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/sim/truth"
)

// errStopped ends the streams of a server that stops.
var errStopped = errors.New("the metronome was stopped")

// idle is how long a pacer with nothing to do sleeps; work wakes it.
const idle = time.Hour

// pacer writes the tokens of all streams, from one thread.
type pacer struct {
	cfg   Config
	start time.Time
	log   *truth.Log
	alarm alarm
	loop  sync.WaitGroup

	mu      sync.Mutex
	inbox   []beat
	stopped bool

	// queue belongs to the thread.
	queue queue
}

// alarm lets one thread sleep and others wake it. A wake that comes before the sleep ends it at once.
type alarm interface {
	sleep(d time.Duration)
	wake()
	close()
}

func startPacer(cfg Config) *pacer {
	p := &pacer{cfg: cfg, start: time.Now(), log: truth.NewLog(cfg.Keep), alarm: newAlarm()}
	p.loop.Go(p.run)
	return p
}

// add takes a stream on. Its entry says when its request arrived.
func (p *pacer) add(s *stream) {
	now := time.Now()
	age := now.UnixNano() - s.entry.ArrivalUnixNS
	due := now.Sub(p.start) - time.Duration(age) + p.cfg.FirstToken
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		s.done <- errStopped
		return
	}
	p.inbox = append(p.inbox, beat{due: p.cfg.tick(due), stream: s})
	p.alarm.wake()
}

// tick is the first moment from due on at which a token may be written.
func (c Config) tick(due time.Duration) time.Duration {
	past := max(0, due) % c.Interval
	if !c.Burst || past == 0 {
		return due
	}
	return due - past + c.Interval
}

// stop ends all streams and the thread.
func (p *pacer) stop() {
	p.mu.Lock()
	p.stopped = true
	p.alarm.wake()
	p.mu.Unlock()
	p.loop.Wait()
	p.alarm.close()
}

func (p *pacer) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sharpen()
	for p.admit() {
		if wait := p.step(); wait > 0 {
			p.alarm.sleep(wait)
		}
	}
	for _, b := range p.queue {
		b.stream.done <- errStopped
	}
}

// admit takes new streams over; it reports false when the pacer is to stop.
func (p *pacer) admit() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, b := range p.inbox {
		heap.Push(&p.queue, b)
		p.inbox[i] = beat{}
	}
	p.inbox = p.inbox[:0]
	return !p.stopped
}

// step writes the token that is due, if one is, and returns how long there is nothing to do.
func (p *pacer) step() time.Duration {
	if len(p.queue) == 0 {
		return idle
	}
	now := time.Now()
	next := &p.queue[0]
	late := now.Sub(p.start) - next.due
	if late < 0 {
		return -late
	}
	if p.write(next.stream, now, late) {
		heap.Pop(&p.queue)
		return 0
	}
	next.due += p.cfg.Interval
	heap.Fix(&p.queue, 0)
	return 0
}

// write writes one token and reports whether the stream has ended. The truth of a whole answer is filed before its last
// bytes are written, so that a client which has its answer finds the truth about it.
func (p *pacer) write(s *stream, now time.Time, late time.Duration) (ended bool) {
	piece := s.piece()
	last := s.note(now, late)
	if last {
		p.log.Add(s.close("length"))
	}
	err := s.out.push(piece)
	if err != nil && !last {
		p.log.Add(s.close("abort"))
	}
	if last || err != nil {
		s.done <- err
		return true
	}
	return false
}
