package load

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Meter counts requests while they run, for a live view; verdicts never use it. It is safe for concurrent use, and counting
// a request takes a few atomic additions. One meter may serve several blocks.
type Meter struct {
	planned, done, failed atomic.Int64
	ttft                  [ttftBuckets]atomic.Int64

	mu                      sync.Mutex
	at                      time.Time
	plannedThen, doneThen   int64
	offeredRPS, achievedRPS swap.Value
}

// The buckets of TTFT are a quarter of an octave wide, so an estimate is within 9 % of the truth; they span 1 µs to 72 min.
const (
	bucketsPerOctave = 4
	ttftBuckets      = 32*bucketsPerOctave + 1
	// rateInterval is the least time between two snapshots over which a rate is worth showing.
	rateInterval = time.Second
)

// plan counts n requests that were due.
func (m *Meter) plan(n int) {
	if m != nil {
		m.planned.Add(int64(n))
	}
}

// end counts a request that ended.
func (m *Meter) end(r *rawlog.Record) {
	if m == nil {
		return
	}
	m.done.Add(1)
	switch {
	case r.Good():
		if r.FirstUS != nil {
			m.ttft[bucket(*r.FirstUS)].Add(1)
		}
	case swap.Outcome(r.Outcome) != swap.Abandoned:
		m.failed.Add(1)
	}
}

// Snapshot fills the counting fields of a progress report. Rates are means since the snapshot before, if that was at least
// a second ago: offered counts requests that were due, achieved those that ended.
func (m *Meter) Snapshot(now time.Time) swap.Progress {
	planned, done := m.planned.Load(), m.done.Load()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.at.IsZero() {
		m.at, m.plannedThen, m.doneThen = now, planned, done
	}
	if d := now.Sub(m.at); d >= rateInterval {
		m.offeredRPS = swap.Of(float64(planned-m.plannedThen) / d.Seconds())
		m.achievedRPS = swap.Of(float64(done-m.doneThen) / d.Seconds())
		m.at, m.plannedThen, m.doneThen = now, planned, done
	}
	return swap.Progress{
		Requests: int(done), Failed: int(m.failed.Load()),
		Offered: m.offeredRPS, Achieved: m.achievedRPS, TTFTP95ms: m.ttftQuantile(0.95),
	}
}

func bucket(us int64) int {
	if us < 1 {
		return 0
	}
	return min(ttftBuckets-1, int(math.Log2(float64(us))*bucketsPerOctave))
}

// ttftQuantile estimates a quantile of TTFT in ms: the geometric middle of its bucket.
func (m *Meter) ttftQuantile(p float64) swap.Value {
	var counts [ttftBuckets]int64
	total := int64(0)
	for i := range m.ttft {
		counts[i] = m.ttft[i].Load()
		total += counts[i]
	}
	rank := int64(math.Ceil(p * float64(total)))
	for i, n := range counts {
		if rank -= n; rank <= 0 && n > 0 {
			return swap.Of(math.Exp2((float64(i)+0.5)/bucketsPerOctave) / 1e3)
		}
	}
	return swap.Absent()
}
