package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// drainTime and drainBytes bound what is read after the terminator, only so that the connection can be kept.
	drainTime  = 250 * time.Millisecond
	drainBytes = 64 << 10
	// refusalBytes bounds what is read of the body of an error.
	refusalBytes = 16 << 10
)

// Stream sends one request and reads its answer to the end. It always returns an observation with an outcome: a failure is
// a result here, not an error. When ctx is cancelled it returns at once with Abandoned.
func (c *Client) Stream(ctx context.Context, ask Ask) Observation {
	own, cancel := withTimeout(ctx, ask.Timeout)
	defer cancel()
	x := &exchange{clock: c.clock}
	req, err := c.request(httptrace.WithClientTrace(own, x.trace()), ask)
	if err != nil {
		return Observation{Outcome: swap.ConnectFailed, Err: "the request could not be built"}
	}
	resp, err := c.transport.RoundTrip(req)
	var o Observation
	x.report(&o)
	if err != nil {
		o.End = c.clock()
		o.Outcome, o.Err = noResponse(ctx, own, &o, err)
		return o
	}
	defer resp.Body.Close() //nolint:errcheck // the body was read; its close has nothing to tell
	o.Status = resp.StatusCode
	if c.armHeader != "" {
		o.Arm = resp.Header.Get(c.armHeader)
	}
	if resp.StatusCode != http.StatusOK {
		o.Outcome, o.Err = refusal(resp)
		o.End = c.clock()
		return o
	}
	t := transcript{o: &o, gaps: make([]int64, 0, min(ask.MaxTokens, maxGapsAhead))}
	err = t.read(newEventReader(resp.Body, c.clock))
	t.finish()
	o.Outcome, o.Err = t.outcome(ctx, own, err)
	if t.done {
		drain(resp.Body, cancel)
	}
	return o
}

func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

func (c *Client) request(ctx context.Context, ask Ask) (*http.Request, error) {
	path, payload, err := ask.encode(c.target.Model, c.caps)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.path(path), bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	// Without GetBody the transport cannot send the request a second time.
	req.GetBody = nil
	setHeaders(req, c.target.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if ask.TraceParent != "" {
		req.Header.Set("Traceparent", ask.TraceParent)
	}
	return req, nil
}

func setHeaders(req *http.Request, key string) {
	req.Header.Set("User-Agent", "swapgate")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

// refusal names the outcome of an answer that is not 200. Of the body it keeps the error's code, never its message, which
// may quote the prompt.
func refusal(resp *http.Response) (swap.Outcome, string) {
	text := fmt.Sprintf("HTTP %d", resp.StatusCode)
	b, err := io.ReadAll(io.LimitReader(resp.Body, refusalBytes))
	if code := errorCode(b); err == nil && code != "" {
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

// errorCode finds the machine-readable code of the usual error bodies; empty if there is none.
func errorCode(b []byte) string {
	var flat struct {
		Error json.RawMessage `json:"error"`
		Code  json.RawMessage `json:"code"`
		Type  json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(b, &flat); err != nil {
		return ""
	}
	var nested struct {
		Code json.RawMessage `json:"code"`
		Type json.RawMessage `json:"type"`
	}
	if err := json.Unmarshal(flat.Error, &nested); err == nil {
		flat.Code, flat.Type = nested.Code, nested.Type
	}
	for _, raw := range []json.RawMessage{flat.Type, flat.Code} {
		if code := safeCode(bytes.Trim(raw, `"`)); code != "" {
			return code
		}
	}
	return ""
}

// safeCode returns b if it looks like an identifier. Anything else could be text from a prompt.
func safeCode(b []byte) string {
	if len(b) > 64 || string(b) == "null" {
		return ""
	}
	for _, c := range b {
		if !isLiteral(c) && c != '_' {
			return ""
		}
	}
	return string(b)
}

// drain reads on to the end of a finished stream, which lets the transport keep the connection.
func drain(body io.Reader, cancel context.CancelFunc) {
	timer := time.AfterFunc(drainTime, cancel)
	defer timer.Stop()
	_, err := io.CopyN(io.Discard, body, drainBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return // the connection is lost, the answer is not
	}
}
