package metronome

import (
	"time"

	"github.com/swapgate/swapgate/pkg/sim/truth"
)

// stream is one answer being written. Until done is told, only the pacer touches it.
type stream struct {
	out   pusher
	voice *voice
	// closing is the last piece, want the number of pieces.
	closing []byte
	want    int
	entry   truth.Entry
	// done is told how the answer ended; it has room for that.
	done chan error
}

// pusher writes a piece whole and at once, or fails.
type pusher interface {
	push(piece []byte) error
}

// piece is what holds the next token.
func (s *stream) piece() []byte {
	switch len(s.entry.TokensUS) {
	case s.want - 1:
		return s.closing
	case 0:
		return s.voice.opening
	}
	return s.voice.middle
}

// note writes down that the next token is written now, so late. It reports whether it is the last one.
func (s *stream) note(now time.Time, late time.Duration) (last bool) {
	e := &s.entry
	e.TokensUS = append(e.TokensUS, (now.UnixNano()-e.ArrivalUnixNS)/1e3)
	e.LagUS = max(e.LagUS, late.Microseconds())
	return len(e.TokensUS) == s.want
}

// close completes the truth.
func (s *stream) close(reason string) truth.Entry {
	e := &s.entry
	e.FinishReason, e.OutputTokens = reason, len(e.TokensUS)
	if n := len(e.TokensUS); n > 0 {
		e.FirstUS, e.LastUS, e.EndUS = &e.TokensUS[0], &e.TokensUS[n-1], e.TokensUS[n-1]
	}
	return *e
}

// beat is when a stream is to write its next token, as time since the server's start.
type beat struct {
	due    time.Duration
	stream *stream
}

// queue is a heap of beats, the earliest on top.
type queue []beat

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due < q[j].due }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) { *q = append(*q, x.(beat)) }

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	b := (*q)[last]
	(*q)[last] = beat{}
	*q = (*q)[:last]
	return b
}
