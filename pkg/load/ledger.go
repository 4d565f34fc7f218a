package load

import (
	"errors"
	"fmt"
	"sync"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// ErrLostRecords says that the records of a block do not add up to what was planned. Such a block must not be judged.
var ErrLostRecords = errors.New("planned requests and records differ")

// ledger accounts for every planned request in a bit each, so that a block may have any number of them.
type ledger struct {
	onRecord func(*rawlog.Record)
	meter    *Meter

	mu       sync.Mutex
	planned  int
	outcomes swap.OutcomeCounts
	seen     []uint64
	// twice counts records of a request that had one.
	twice int
}

// plans counts n more planned requests.
func (l *ledger) plans(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.planned += n
}

// keep enters a record and hands it on, one at a time.
func (l *ledger) keep(r *rawlog.Record) {
	l.meter.end(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outcomes[swap.Outcome(r.Outcome)]++
	word, bit := int(r.Seq)/64, uint64(1)<<(r.Seq%64)
	for len(l.seen) <= word {
		l.seen = append(l.seen, make([]uint64, max(16, len(l.seen)))...)
	}
	if l.seen[word]&bit != 0 {
		l.twice++
	}
	l.seen[word] |= bit
	if l.onRecord != nil {
		l.onRecord(r)
	}
}

// check returns ErrLostRecords unless every planned request has exactly one record.
func (l *ledger) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch n := l.outcomes.Total(); {
	case l.twice > 0:
		return fmt.Errorf("%w: %d requests have more than one record", ErrLostRecords, l.twice)
	case n != l.planned:
		return fmt.Errorf("%w: %d planned, %d recorded", ErrLostRecords, l.planned, n)
	}
	return nil
}
