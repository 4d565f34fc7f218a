package gateway

import (
	"math"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// ArmCounters is what the gateway counted for one arm since it started.
type ArmCounters struct {
	// Requests counts requests sent to the arm, those in flight included.
	Requests int64 `json:"requests"`
	// Errors counts replies with a 5xx status and upstreams that failed, before or in the middle of a reply.
	Errors   int64 `json:"errors"`
	InFlight int64 `json:"in_flight"`
	// TTFB is the time from the request's arrival to the first byte of the body.
	TTFB TTFB `json:"ttfb_ms"`
}

// TTFB summarises times to first byte in ms; quantiles are exact to 5 %.
type TTFB struct {
	Count int64      `json:"count"`
	P50   swap.Value `json:"p50"`
	P95   swap.Value `json:"p95"`
	P99   swap.Value `json:"p99"`
}

// bucketGrowth is the ratio between the bounds of a histogram's buckets; the first bound is 0.1 ms and the last 30 min.
const (
	bucketGrowth = 1.1
	firstBoundMS = 0.1
	bucketCount  = 176
)

// meter counts one arm's requests.
type meter struct {
	mu                         sync.Mutex
	requests, errors, inFlight int64
	observed                   int64
	buckets                    [bucketCount]int64
}

func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	m.inFlight++
}

func (m *meter) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
}

func (m *meter) fail() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.errors++
}

func (m *meter) firstByte(d time.Duration) {
	ms := float64(d) / float64(time.Millisecond)
	i := 0
	if ms > firstBoundMS {
		i = min(bucketCount-1, int(math.Ceil(math.Log(ms/firstBoundMS)/math.Log(bucketGrowth))))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.observed++
	m.buckets[i]++
}

func (m *meter) read() ArmCounters {
	m.mu.Lock()
	defer m.mu.Unlock()
	return ArmCounters{
		Requests: m.requests, Errors: m.errors, InFlight: m.inFlight,
		TTFB: TTFB{Count: m.observed, P50: m.quantile(0.5), P95: m.quantile(0.95), P99: m.quantile(0.99)},
	}
}

// quantile is the geometric middle of the bucket that holds the observation of rank ⌈q·n⌉.
func (m *meter) quantile(q float64) swap.Value {
	rank := int64(math.Ceil(q * float64(m.observed)))
	if rank == 0 {
		return swap.Absent()
	}
	i := 0
	for seen := m.buckets[0]; seen < rank; seen += m.buckets[i] {
		i++
	}
	return swap.Of(firstBoundMS * math.Pow(bucketGrowth, float64(i)-0.5))
}
