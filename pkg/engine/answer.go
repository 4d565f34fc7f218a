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
	// drainTime and drainBytes bound what is read after the terminator, only so that the connection can be kept.
	drainTime  = 250 * time.Millisecond
	drainBytes = 64 << 10
	// refusalBytes bounds what is read of the body of an error.
	refusalBytes = 16 << 10
)

// read reads the answer that begins on conn, or could not be awaited for err. It reports whether the connection can carry
// another request.
func (s *shot) read(conn *wire.Conn, err error, o *Observation) (reusable bool) {
	var resp *http.Response
	o.Sent, _ = s.sending()
	if err == nil {
		o.Headers = conn.Stamp().At
		resp, err = conn.Response()
	}
	if err != nil {
		o.End = s.client.clock()
		o.Outcome, o.Err = s.noResponse(o, err)
		return false
	}
	defer resp.Body.Close() //nolint:errcheck // the body was read; its close has nothing to tell
	o.Status = resp.StatusCode
	if s.client.armHeader != "" {
		o.Arm = resp.Header.Get(s.client.armHeader)
	}
	if resp.StatusCode != http.StatusOK {
		o.Outcome, o.Err = refusal(resp)
		o.End = s.client.clock()
		return s.drained(conn, resp)
	}
	return s.readBody(conn, resp, o) && s.drained(conn, resp)
}

// readBody reports whether the answer came to its end.
func (s *shot) readBody(conn *wire.Conn, resp *http.Response, o *Observation) bool {
	t := newTranscript(o, s.proto, s.ask)
	err := t.read(eventstream.NewReader(resp.Body, s.proto.Framing(), conn.Stamp))
	t.finish()
	o.Outcome, o.Err = t.outcome(s.endOf(err), err)
	return t.done || errors.Is(err, io.EOF)
}

// drained reads on to the end of a finished answer and reports whether the connection can be kept.
func (s *shot) drained(conn *wire.Conn, resp *http.Response) bool {
	if resp.Close {
		return false
	}
	_ = conn.SetReadDeadline(time.Now().Add(drainTime))
	_, err := io.CopyN(io.Discard, resp.Body, drainBytes)
	return errors.Is(err, io.EOF)
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
