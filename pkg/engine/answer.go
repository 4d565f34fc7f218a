package engine

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/engine/wire"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// drainTime and drainBytes bound what is read after the terminator, only so that the connection can be kept. The next
	// request does not wait for it.
	drainTime  = 250 * time.Millisecond
	drainBytes = 64 << 10
	// refusalBytes and refusalTime bound what is read of the body of an error, only for its code.
	refusalBytes = 16 << 10
	refusalTime  = time.Second
)

// rest is what is left of an answer whose outcome is known, on a connection that can carry another request after it.
type rest struct {
	body io.Reader
	// over says that the body has come to its end.
	over bool
}

// read reads the answer that begins on conn, or could not be awaited for err. It returns nil if the connection cannot carry
// another request. The body is not closed: that would read on to its end.
func (s *shot) read(conn *wire.Conn, err error, o *Observation) *rest {
	var resp *http.Response
	o.Sent, _ = s.sending()
	if err == nil {
		o.Headers = conn.Stamp().At
		resp, err = conn.Response() //nolint:bodyclose // see above
	}
	if err != nil {
		o.End = s.client.clock()
		if o.Outcome, o.Err = s.noResponse(o, err); o.Outcome == swap.ParseError {
			o.Unread = fmt.Sprintf("POST %s was not answered in HTTP: %s", s.path, s.client.target.quote([]byte(err.Error())))
			o.Remedy = "check the port, and whether the URL begins with http:// or https://"
		}
		return nil
	}
	o.Status = resp.StatusCode
	if s.client.armHeader != "" {
		o.Arm = resp.Header.Get(s.client.armHeader)
	}
	left := &rest{body: resp.Body}
	if resp.StatusCode != http.StatusOK {
		left = s.readRefusal(conn, resp, o)
	} else if left.over, err = s.readBody(conn, resp, o); err != nil {
		return nil
	}
	if resp.Close {
		return nil
	}
	return left
}

// readBody reports whether the body is at its end, and what kept the answer from its end.
func (s *shot) readBody(conn *wire.Conn, resp *http.Response, o *Observation) (over bool, err error) {
	t := s.newTranscript(o)
	begin := newOpening(resp.Body)
	r := eventstream.NewReader(begin, s.proto.Framing(), conn.Stamp).Within(s.client.longEvents)
	defer r.Release()
	err = t.read(r)
	t.finish()
	if o.Outcome, o.Err = t.outcome(s.endOf(err), err); o.Outcome == swap.ParseError {
		s.explain(t, resp.Header, begin.kept)
	}
	if t.done || errors.Is(err, io.EOF) {
		err = nil
	}
	return r.AtEnd(), err
}

// readRefusal returns nil for a request so long that the server may not have read it.
func (s *shot) readRefusal(conn *wire.Conn, resp *http.Response, o *Observation) *rest {
	s.limit(func() { _ = conn.SetReadDeadline(s.client.clock().Add(refusalTime)) }, conn)
	o.Outcome, o.Err = refusal(resp)
	if resp.StatusCode/100 == 3 {
		moved := s.client.target.redirect(s.path, resp.StatusCode, resp.Header)
		o.Unread, o.Remedy = moved.what, moved.next
	}
	o.End = s.client.clock()
	if len(s.payload) > directBytes {
		return nil
	}
	return &rest{body: resp.Body}
}

// finish reads the rest of an answer and reports whether the connection can be kept. What it finds changes no outcome: an
// answer ends with its terminator.
func (s *shot) finish(conn *wire.Conn, body io.Reader) bool {
	_ = conn.SetDeadline(s.client.clock().Add(drainTime))
	_, err := io.CopyN(io.Discard, body, drainBytes)
	if !errors.Is(err, io.EOF) {
		return false
	}
	<-s.written
	return s.wrote()
}

// refusal names the outcome of an answer that is not 200. Of the body it keeps the error's code, never its message, which
// may quote the prompt.
func refusal(resp *http.Response) (swap.Outcome, string) {
	text := fmt.Sprintf("HTTP %d", resp.StatusCode)
	b, err := io.ReadAll(io.LimitReader(resp.Body, refusalBytes))
	if code := protocol.ErrorCode(b); err == nil && code != "" {
		text += " " + code
	}
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return swap.HTTP429, text
	case resp.StatusCode >= 500:
		return swap.HTTP5xx, text
	case resp.StatusCode >= 400:
		return swap.HTTP4xx, text
	}
	return swap.ParseError, text + " is not a stream"
}
