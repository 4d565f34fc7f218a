package activities

import (
	"errors"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
)

// tapeEvery is how often finished requests move from memory to the step's log while a block runs.
const tapeEvery = time.Second

// blockTape writes the records of a running block to the log. Requests hand their records over without waiting for it:
// encoding a part would otherwise show up as a late timestamp.
type blockTape struct {
	log  *runstore.StepLog
	done chan struct{}
	wg   sync.WaitGroup

	mu   sync.Mutex
	rows []rawlog.Record
	err  error
}

func startBlockTape(log *runstore.StepLog) *blockTape {
	t := &blockTape{log: log, done: make(chan struct{})}
	t.wg.Go(t.run)
	return t
}

// keep takes a record; it never blocks on the log.
func (t *blockTape) keep(r *rawlog.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, *r)
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
		}
	}
}

func (t *blockTape) flush() {
	t.mu.Lock()
	rows := t.rows
	t.rows = nil
	t.mu.Unlock()
	if len(rows) > 0 {
		t.err = errors.Join(t.err, t.log.Write(rows))
	}
}

// close writes what is left and returns what went wrong on the way.
func (t *blockTape) close() error {
	close(t.done)
	t.wg.Wait()
	return t.err
}
