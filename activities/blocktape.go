package activities

import (
	"errors"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
)

const (
	// tapeEvery is how often finished requests move from memory to the step's log while a block runs.
	tapeEvery = time.Second
	// tapeRows and tapeChunks move them earlier when there are many, so that a burst is not held until the next second.
	tapeRows   = 2048
	tapeChunks = 1 << 18
)

// blockTape writes the records of a running block to the log. Requests hand their records over without waiting for it:
// encoding a part would otherwise show up as a late timestamp.
type blockTape struct {
	log  sliceLog
	full chan struct{} // asks for a flush before the next tick
	done chan struct{}
	wg   sync.WaitGroup

	mu     sync.Mutex
	rows   []rawlog.Record
	chunks int

	// Only the goroutine of run uses these until it has ended.
	written []rawlog.Record
	err     error
}

func startBlockTape(log sliceLog) *blockTape {
	t := &blockTape{log: log, full: make(chan struct{}, 1), done: make(chan struct{})}
	t.wg.Go(t.run)
	return t
}

// keep takes a record; it never blocks on the log.
func (t *blockTape) keep(r *rawlog.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, *r)
	t.chunks += len(r.ChunkGapsUS)
	if len(t.rows) >= tapeRows || t.chunks >= tapeChunks {
		select {
		case t.full <- struct{}{}:
		default:
		}
	}
}

func (t *blockTape) run() {
	tick := time.NewTicker(tapeEvery)
	defer tick.Stop()
	for {
		select {
		case <-t.done:
			t.flush()
			return
		case <-tick.C:
			t.flush()
		case <-t.full:
			t.flush()
		}
	}
}

// flush writes what there is. The two slices take turns, so that a long block allocates no new ones.
func (t *blockTape) flush() {
	t.mu.Lock()
	t.rows, t.written, t.chunks = t.written, t.rows, 0
	t.mu.Unlock()
	if len(t.written) > 0 {
		t.err = errors.Join(t.err, t.log.Write(t.written))
	}
	clear(t.written)
	t.written = t.written[:0]
}

// close writes what is left and returns what went wrong on the way.
func (t *blockTape) close() error {
	close(t.done)
	t.wg.Wait()
	return t.err
}
