package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
)

// A stub script says what a server sends and when: "@ms" waits until so long after the request, R is a role-only delta,
// C(x) content, K(x) reasoning, F(r) a finish chunk, U(p,c) a usage chunk without choices, D the terminator, X a broken
// connection, Z a clean end, P a comment, W(x) raw bytes written as they are.
type stub struct {
	script string
	// frame turns a payload into an event; nil is "data: payload\n\n".
	frame func(payload string) string
	// together sends everything between two waits in one write.
	together bool
	// reasoning is the key of K.
	reasoning string
}

func (s stub) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	begin := time.Now()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.Flush()
	var pending strings.Builder
	flush := func() {
		if pending.Len() > 0 {
			_, _ = w.Write([]byte(pending.String()))
			_ = out.Flush()
			pending.Reset()
		}
	}
	for _, op := range parseScript(s.script) {
		switch op.name {
		case "@":
			flush()
			ms, _ := strconv.Atoi(op.arg)
			time.Sleep(time.Until(begin.Add(time.Duration(ms) * time.Millisecond)))
		case "X":
			flush()
			panic(http.ErrAbortHandler)
		case "Z":
		default:
			pending.WriteString(s.bytes(op))
			if !s.together {
				flush()
			}
		}
	}
	flush()
}

func (s stub) bytes(op scriptOp) string {
	switch op.name {
	case "P":
		return ": ping\n\n"
	case "W":
		return op.arg
	}
	frame := s.frame
	if frame == nil {
		frame = func(p string) string { return "data: " + p + "\n\n" }
	}
	return frame(s.payload(op))
}

func (s stub) payload(op scriptOp) string {
	quote := func(v string) string { b, _ := json.Marshal(v); return string(b) }
	delta := func(d string) string {
		return `{"id":"x","choices":[{"index":0,"delta":{` + d + `},"finish_reason":null}],"system_fingerprint":"fp_1"}`
	}
	switch op.name {
	case "R":
		return delta(`"role":"assistant","content":""`)
	case "C":
		return delta(`"content":` + quote(op.arg))
	case "K":
		key := s.reasoning
		if key == "" {
			key = "reasoning_content"
		}
		return delta(quote(key) + ":" + quote(op.arg))
	case "F":
		return `{"choices":[{"index":0,"delta":{},"finish_reason":` + quote(op.arg) + `}]}`
	case "U":
		p, c, _ := strings.Cut(op.arg, ",")
		return `{"choices":[],"usage":{"prompt_tokens":` + p + `,"completion_tokens":` + c + `}}`
	case "D":
		return "[DONE]"
	}
	panic("unknown step " + op.name)
}

type scriptOp struct{ name, arg string }

// parseScript splits a script at spaces; spaces inside parentheses belong to the argument.
func parseScript(script string) []scriptOp {
	var ops []scriptOp
	for rest := strings.TrimSpace(script); rest != ""; rest = strings.TrimSpace(rest) {
		if rest[0] == '@' {
			n := 1
			for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
				n++
			}
			ops = append(ops, scriptOp{"@", rest[1:n]})
			rest = rest[n:]
			continue
		}
		op := scriptOp{name: rest[:1]}
		rest = rest[1:]
		if strings.HasPrefix(rest, "(") {
			end := strings.Index(rest, ")")
			op.arg, rest = rest[1:end], rest[end+1:]
		}
		ops = append(ops, op)
	}
	return ops
}

// pipeNet is a network in memory, so that a test can run on synthetic time.
type pipeNet struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeNet() *pipeNet { return &pipeNet{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipeNet) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.done:
		return nil, errors.New("closed")
	}
}

func (p *pipeNet) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipeNet) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipeNet) Addr() net.Addr { return &net.TCPAddr{} }

// onSyntheticTime runs test with a client of handler, in a bubble whose clock moves only when everything waits: times in
// tests are exact and cost nothing.
func onSyntheticTime(t *testing.T, handler http.Handler, opt ClientOptions, test func(t *testing.T, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := newPipeNet()
		server := &http.Server{Handler: afterBody(handler), ReadHeaderTimeout: time.Hour}
		served := make(chan error, 1)
		go func() { served <- server.Serve(network) }()
		opt.Dial = network.Dial
		c, err := NewClient(Target{URL: "http://stub", Model: "m"}, opt)
		require.NoError(t, err)
		test(t, c)
		c.Close()
		require.NoError(t, server.Shutdown(context.WithoutCancel(t.Context()))) // waits for handlers that still write
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
}

func ask() protocol.Ask {
	return protocol.Ask{API: swap.APIChat, Prompt: "hello", MaxTokens: 16, Timeout: time.Minute}
}

// afterBody reads the request first; only then does the server notice a client that goes away.
func afterBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// observe streams one request from a stub.
func observe(t *testing.T, s stub, a protocol.Ask) Observation {
	t.Helper()
	var o Observation
	onSyntheticTime(t, s, ClientOptions{}, func(t *testing.T, c *Client) {
		t.Helper()
		o = c.Stream(t.Context(), a)
	})
	require.LessOrEqual(t, o.Attempts, 1)
	return o
}

// after is the time from the send to an event in whole ms; -1 for an event that never happened.
func after(o Observation, at time.Time) int {
	if at.IsZero() {
		return -1
	}
	return int(at.Sub(o.Sent).Milliseconds())
}

func repeat(n int, step func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprint(&b, step(i), " ")
	}
	return b.String()
}
