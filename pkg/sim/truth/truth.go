// Package truth is what the simulated servers know of the requests that they answered, and what a client's own records can
// be held against.
package truth

import (
	"strings"
	"sync"
)

// Entry is what a server knows of one request. Times in µs count from its arrival and are taken just before the bytes are
// written, so a client can never see them earlier.
type Entry struct {
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
	// TokensUS is when each token was written. The simulated engine keeps the first 1024 of a request, the metronome all.
	TokensUS []int64 `json:"tokens_us,omitempty"`
	// LagUS is the longest time between a token's existence and its writing: the server's own error.
	LagUS        int64 `json:"lag_us"`
	PromptTokens int   `json:"prompt_tokens"`
	CachedTokens int   `json:"cached_tokens"`
	OutputTokens int   `json:"output_tokens"`
	Preemptions  int   `json:"preemptions,omitempty"`
	Status       int   `json:"status"`
	// FinishReason is stop, length, abort or error.
	FinishReason string `json:"finish_reason,omitempty"`
}

// TraceID is the trace id within TraceParent; empty without one.
func (e *Entry) TraceID() string {
	_, rest, _ := strings.Cut(e.TraceParent, "-")
	id, _, _ := strings.Cut(rest, "-")
	return id
}

// Page is the answer to GET /sim/truth.
type Page struct {
	// Next is the value of since with which to ask on.
	Next uint64 `json:"next"`
	// Dropped counts entries after since that the log has already forgotten.
	Dropped  uint64  `json:"dropped"`
	Requests []Entry `json:"requests"`
}

// Log keeps the last finished requests, numbered in the order in which they ended. It is safe for concurrent use.
type Log struct {
	capacity uint64

	mu      sync.Mutex
	entries []Entry
	// written counts the entries ever added; entry number n is at n modulo the capacity.
	written uint64
}

// NewLog returns a log of the last capacity entries, which must be at least one.
func NewLog(capacity int) *Log { return &Log{capacity: uint64(max(1, capacity))} }

// Add appends an entry, in place of the oldest one if the log is full.
func (l *Log) Add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written < l.capacity {
		l.entries = append(l.entries, e)
	} else {
		l.entries[l.written%l.capacity] = e
	}
	l.written++
}

// Since returns the entries that ended after the first n.
func (l *Log) Since(n uint64) Page {
	l.mu.Lock()
	defer l.mu.Unlock()
	page := Page{Next: l.written, Requests: []Entry{}}
	if oldest := l.written - min(l.written, l.capacity); n < oldest {
		page.Dropped, n = oldest-n, oldest
	}
	for ; n < l.written; n++ {
		page.Requests = append(page.Requests, l.entries[n%l.capacity])
	}
	return page
}
