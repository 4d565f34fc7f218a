package metronome

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/swapgate/swapgate/pkg/sim/truth"
)

// session is one connection. It speaks HTTP/1.1 by itself: a server of the standard library would keep several times the
// memory for each of ten thousand streams, and wake a goroutine for each token.
type session struct {
	server *Server
	conn   arrivals
	in     *bufio.Reader
	done   chan error
}

func newSession(s *Server, conn net.Conn) *session {
	c := newSocket(conn)
	return &session{server: s, conn: c, in: bufio.NewReader(c), done: make(chan error, 1)}
}

// serve answers one request after the other, until the client or a failure ends the connection.
func (c *session) serve() {
	for {
		if _, err := c.in.Peek(1); err != nil {
			return
		}
		arrived := c.conn.arrived()
		r, err := http.ReadRequest(c.in)
		if err != nil {
			return
		}
		if c.answer(r, arrived.UnixNano()) != nil || r.Close {
			return
		}
	}
}

// answer answers one request. After an error the connection cannot be used further.
func (c *session) answer(r *http.Request, arrivedUnixNS int64) error {
	v := c.server.voiceOf(r)
	if v == nil {
		return c.other(r)
	}
	a, err := decode(r.Body)
	if err != nil {
		return c.refuse(r, badRequest(err))
	}
	if _, err := c.conn.Write([]byte(streamHead)); err != nil {
		return err
	}
	seq := c.server.requests.Add(1)
	c.server.pacer.add(&stream{
		out: c.conn, voice: v, closing: v.closing(a), want: a.tokens(), done: c.done,
		entry: truth.Entry{
			Seq: seq, ID: fmt.Sprintf("%s%016x", v.idPrefix, seq), TraceParent: r.Header.Get("traceparent"),
			ArrivalUnixNS: arrivedUnixNS, Status: http.StatusOK, PromptTokens: a.promptTokens,
			TokensUS: make([]int64, 0, min(a.tokens(), tokensAhead)),
		},
	})
	return <-c.done
}

// tokensAhead bounds the memory set aside for an answer before it is given.
const tokensAhead = 8192

// other answers what is not a request for tokens.
func (c *session) other(r *http.Request) error {
	switch r.URL.Path {
	case "/v1/models":
		return c.reply(r, http.StatusOK, map[string]any{
			"object": "list", "data": []map[string]any{{"id": c.server.cfg.Model, "object": "model", "owned_by": "swapgate"}},
		})
	case "/sim/truth":
		since, err := strconv.ParseUint(r.URL.Query().Get("since"), 10, 64)
		if err != nil && r.URL.Query().Has("since") {
			return c.refuse(r, badRequest(fmt.Errorf("since must be a number of requests")))
		}
		return c.reply(r, http.StatusOK, c.server.Truth(since))
	}
	return c.refuse(r, &apiError{Message: "there is nothing here", Type: "NotFoundError", Code: http.StatusNotFound})
}

func (c *session) refuse(r *http.Request, e *apiError) error {
	return c.reply(r, e.Code, map[string]*apiError{"error": e})
}

// reply answers in one piece, once the rest of the request has been read.
func (c *session) reply(r *http.Request, status int, value any) error {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return err
	}
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		status, http.StatusText(status), len(body))
	_, err = c.conn.Write(append([]byte(head), body...))
	return err
}
