package engine

import "sync"

// truthTokens is how many token times a truth entry keeps.
const truthTokens = 1024

// Truth is what the server knows of one request. Times in µs count from its arrival and are taken just before the bytes
// are written, so a client can never see them earlier.
type Truth struct {
	// Seq numbers the requests from 1 in the order of arrival.
	Seq uint64 `json:"seq"`
	ID  string `json:"id"`
	// TraceParent is the traceparent header of the request.
	TraceParent   string `json:"traceparent,omitempty"`
	ArrivalUnixNS int64  `json:"arrival_unix_ns"`
	// ScheduledUS is when the prefill began, FirstUS and LastUS when the first and last token were written. They are
	// absent where that never happened.
	ScheduledUS *int64 `json:"scheduled_us,omitempty"`
	FirstUS     *int64 `json:"first_token_us,omitempty"`
	LastUS      *int64 `json:"last_token_us,omitempty"`
	EndUS       int64  `json:"end_us"`
	// TokensUS is when each token was written, the first 1024.
	TokensUS []int64 `json:"tokens_us,omitempty"`
	// LagUS is the longest time between a token's existence and its writing: the simulator's own error.
	LagUS        int64 `json:"lag_us"`
	PromptTokens int   `json:"prompt_tokens"`
	CachedTokens int   `json:"cached_tokens"`
	OutputTokens int   `json:"output_tokens"`
	Preemptions  int   `json:"preemptions,omitempty"`
	Status       int   `json:"status"`
	// FinishReason is stop, length, abort or error.
	FinishReason string `json:"finish_reason,omitempty"`
}

// TruthPage is the answer to GET /sim/truth.
type TruthPage struct {
	// Next is the value of since with which to ask on.
	Next uint64 `json:"next"`
	// Dropped counts entries after since that the log has already forgotten.
	Dropped  uint64  `json:"dropped"`
	Requests []Truth `json:"requests"`
}

// truthLog keeps the last finished requests, numbered in the order in which they ended.
type truthLog struct {
	mu      sync.Mutex
	entries []Truth
	// written counts the entries ever added; entry number n is at n modulo the capacity.
	written uint64
}

func newTruthLog(capacity int) *truthLog { return &truthLog{entries: make([]Truth, capacity)} }

func (l *truthLog) add(t Truth) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[l.written%uint64(len(l.entries))] = t
	l.written++
}

// since returns the entries that ended after the first n.
func (l *truthLog) since(n uint64) TruthPage {
	l.mu.Lock()
	defer l.mu.Unlock()
	page := TruthPage{Next: l.written, Requests: []Truth{}}
	capacity := uint64(len(l.entries))
	if oldest := l.written - min(l.written, capacity); n < oldest {
		page.Dropped, n = oldest-n, oldest
	}
	for ; n < l.written; n++ {
		page.Requests = append(page.Requests, l.entries[n%capacity])
	}
	return page
}
