package engine

import (
	"errors"
	"time"
)

// Why a sequence ends without its answer.
var (
	errDead    = errors.New("the engine ran out of memory and died")
	errCrashed = errors.New("the engine crashed")
	errClosed  = errors.New("the engine was closed")
)

// tick tells the handler of a request that a token exists, or that there will be no more.
type tick struct {
	// at is when, after the engine's start.
	at  time.Duration
	err error
}

// sequence is one request on its way through the scheduler.
type sequence struct {
	prompt prompt
	// want is the length of the answer in tokens, finish the reason for which it ends there.
	want   int
	finish string
	fate   fate
	// coldExtra is added to the first prefill.
	coldExtra time.Duration
	// ticks has room for everything that is ever sent, so that the scheduler never waits for a client.
	ticks chan tick

	arrived, scheduled time.Duration
	admission          uint64
	generated          int
	preemptions        int
	cachedTokens       int
	lease              lease
	// readyAt ends the prefill.
	readyAt time.Duration
	// inStep says whether the step in progress gives this sequence a token.
	inStep bool
	// credit counts the fractions of a token that a slow sequence earned.
	credit       float64
	stalled      bool
	stalledUntil time.Duration
}

func newSequence(p prompt, want int, finish string, f fate) *sequence {
	if short := max(1, int(float64(want)*f.lengthShare)); short < want {
		want, finish = short, "stop"
	}
	return &sequence{prompt: p, want: want, finish: finish, fate: f, ticks: make(chan tick, want+1)}
}

// tokens is the context: the prompt and the answer so far.
func (s *sequence) tokens() int { return s.prompt.tokens + s.generated }

func (s *sequence) done() bool { return s.generated >= s.want }

// emit delivers one token.
func (s *sequence) emit(at time.Duration) {
	s.generated++
	s.ticks <- tick{at: at}
	if s.fate.stall > 0 && !s.stalled && 2*s.generated >= s.want {
		s.stalled, s.stalledUntil = true, at+s.fate.stall
	}
}

// fail ends the sequence without the rest of its answer.
func (s *sequence) fail(at time.Duration, err error) { s.ticks <- tick{at: at, err: err} }
