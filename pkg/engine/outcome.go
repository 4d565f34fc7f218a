package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
)

// abandonedText is the cause of a request that the end of the run cut off.
const abandonedText = "cut off by the end of the run"

// ending says what other than the server ended a request.
type ending int

const (
	byServer ending = iota
	byCancel
	byTimeout
)

func (s *shot) endOf(err error) ending {
	switch {
	case s.ctx.Err() != nil:
		return byCancel
	case errors.Is(err, os.ErrDeadlineExceeded):
		return byTimeout
	}
	return byServer
}

// outcome classifies a stream whose response headers came with 200; err is what ended it, nil or io.EOF for a clean end.
// A finished answer stays finished whatever the connection does later, and an error inside the stream beats everything.
// The terminator alone proves nothing: llama-cpp-python sends it when it drops an answer for a newer request.
func (t *transcript) outcome(end ending, err error) (swap.Outcome, string) {
	switch {
	case t.failed:
		return swap.StreamError, join("error inside the stream", t.code)
	case failingReason(t.o.FinishReason):
		return swap.StreamError, "finish reason " + t.o.FinishReason
	case !t.done && !clean(err):
		return t.interrupted(end, err)
	case t.malformed:
		return swap.ParseError, protocol.ErrMalformed.Error()
	}
	return t.ended()
}

// ended classifies an answer that came to an end of its own.
func (t *transcript) ended() (swap.Outcome, string) {
	finished := t.o.FinishReason != "" || !t.ending.Finish
	terminated := t.done || !t.ending.Terminator
	switch {
	case t.o.Chunks == 0 && (t.done || t.o.FinishReason != "" || (finished && terminated)):
		return swap.Empty, "no token"
	case finished && terminated:
		return swap.OK, ""
	case t.done:
		return swap.Truncated, "the stream ended without a finish reason"
	case t.o.FinishReason != "":
		return swap.OKNoDone, ""
	case t.events == 0 && t.bytes > 0:
		return swap.ParseError, "the answer is not an event stream"
	}
	return swap.Truncated, "the body ended without finish reason or terminator"
}

// interrupted classifies a stream that did not come to its end.
func (t *transcript) interrupted(end ending, err error) (swap.Outcome, string) {
	switch {
	case end == byCancel:
		return swap.Abandoned, abandonedText
	case ownFault(err):
		return swap.Abandoned, cause(err)
	case end == byTimeout && t.o.Chunks == 0:
		return swap.TimeoutFirst, "no token in time"
	case end == byTimeout:
		return swap.TimeoutTotal, "not finished in time"
	case errors.Is(err, eventstream.ErrEventTooLong):
		return swap.ParseError, err.Error()
	}
	return swap.ResetMidStream, cause(err)
}

func clean(err error) bool { return err == nil || errors.Is(err, io.EOF) }

func failingReason(finish string) bool {
	switch finish {
	case "abort", "error", "repetition", "parse_error":
		return true
	}
	return false
}

// noResponse classifies a request that got a connection and no response head.
func (s *shot) noResponse(o *Observation, err error) (swap.Outcome, string) {
	_, failed := s.sending()
	switch end := s.endOf(err); {
	case end == byCancel:
		return swap.Abandoned, abandonedText
	case ownFault(failed):
		return swap.Abandoned, cause(failed)
	case ownFault(err):
		return swap.Abandoned, cause(err)
	case failed != nil && !errors.Is(failed, os.ErrDeadlineExceeded):
		return swap.ResetBeforeHeaders, cause(failed)
	case end == byTimeout:
		return swap.TimeoutFirst, "no token in time"
	case !o.Headers.IsZero() && !lost(err):
		return swap.ParseError, "the answer is not HTTP"
	}
	return swap.ResetBeforeHeaders, cause(err)
}

// unconnected classifies a request that got no connection.
func (s *shot) unconnected(err error) Observation {
	o := Observation{End: s.client.clock(), Outcome: swap.ConnectFailed, Err: cause(err)}
	switch {
	case s.ctx.Err() != nil:
		o.Outcome, o.Err = swap.Abandoned, abandonedText
	case s.err != nil:
		o.Outcome, o.Err = swap.Abandoned, ownText+s.err.Error()
	case ownFault(err):
		o.Outcome = swap.Abandoned
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		o.Err = "no connection in time"
	case errors.Is(err, errStale):
		o.Err = err.Error()
	}
	return o
}

// lost reports whether err is that of a connection that went away.
func lost(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op)
}

// cause turns an error of the network into one of a few texts without addresses, so that errors can be counted and say
// nothing of keys or prompts.
func cause(err error) string {
	if ownFault(err) {
		return ownCause(err)
	}
	var dns *net.DNSError
	var errno syscall.Errno
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return "host name not found"
	case errors.As(err, &errno):
		return errno.Error()
	case isTLS(err):
		return "TLS handshake failed"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "connection timed out"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed by the server"
	}
	return "connection lost"
}

func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var alert tls.AlertError
	return errors.As(err, &record) || errors.As(err, &cert) || errors.As(err, &unknown) || errors.As(err, &alert)
}

func join(text, code string) string {
	if code == "" {
		return text
	}
	return text + " " + code
}
