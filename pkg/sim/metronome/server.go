package metronome

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swapgate/swapgate/pkg/sim/truth"
)

// Server is one metronome. It runs until Close.
type Server struct {
	cfg              Config
	pacer            *pacer
	chat, completion *voice
	requests         atomic.Uint64

	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
	open   sync.WaitGroup
}

// New starts a metronome; Serve lets clients in. The caller closes it.
func New(cfg Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	created := time.Now().Unix()
	return &Server{
		cfg: cfg, pacer: startPacer(cfg), conns: map[net.Conn]struct{}{},
		chat: chatVoice(cfg.Model, created), completion: completionVoice(cfg.Model, created),
	}, nil
}

// Truth returns what is known of the requests that ended after the first since ones.
func (s *Server) Truth(since uint64) truth.Page { return s.pacer.log.Since(since) }

// Serve answers the connections of a listener until ctx ends, and closes it. The error is nil when ctx was the reason.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer stop()
	stampArrivals(ln)
	for {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			s.take(conn)
		case ctx.Err() != nil:
			return nil
		default:
			return errors.Join(err, ln.Close())
		}
	}
}

// take answers a connection on a goroutine of its own.
func (s *Server) take(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return
	}
	s.conns[conn] = struct{}{}
	s.open.Go(func() {
		newSession(s, conn).serve()
		_ = conn.Close()
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	})
}

// Close cuts all connections and stops the metronome.
func (s *Server) Close() {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	for conn := range s.conns {
		_ = conn.Close()
	}
	s.mu.Unlock()
	if already {
		return
	}
	s.pacer.stop()
	s.open.Wait()
}

// voiceOf is the interface of a path; nil if it is none.
func (s *Server) voiceOf(r *http.Request) *voice {
	if r.Method != http.MethodPost {
		return nil
	}
	switch r.URL.Path {
	case "/v1/chat/completions":
		return s.chat
	case "/v1/completions":
		return s.completion
	}
	return nil
}
