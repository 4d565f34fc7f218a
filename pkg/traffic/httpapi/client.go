// Package httpapi calls the admin API of a gateway and maps what goes wrong to the errors of package traffic.
package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/swapgate/swapgate/pkg/traffic"
)

const (
	// maxReply bounds what is read of a reply, maxMessage what is quoted of it.
	maxReply   = 1 << 20
	maxMessage = 300
)

// Client calls one API.
type Client struct {
	// Base is the URL before every path, without a slash at its end.
	Base  string
	user  string
	token string
	http  *http.Client
}

// New returns the client of an API. The token is sent as a bearer token; empty sends none. hc bounds the time of a call, or the
// context does; nil stands for http.DefaultClient.
func New(base, token string, hc *http.Client) (*Client, error) {
	if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		return nil, fmt.Errorf("%w: admin_url of the route must be an http or https URL", traffic.ErrUnsupported)
	}
	if hc == nil {
		hc = http.DefaultClient
	}
	// A redirect is no answer of an admin API, and would take credentials elsewhere.
	still := *hc
	still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{Base: strings.TrimRight(base, "/"), token: token, http: &still}, nil
}

// WithUser makes the client send its token as the password of a user (HTTP basic authentication) instead of as a bearer token.
func (c *Client) WithUser(user string) *Client {
	c.user = user
	return c
}

// Request is one call. An empty ContentType is JSON.
type Request struct {
	Method, Path, ContentType string
	Body                      []byte
	Header                    http.Header
}

// Do makes one call and returns the reply to a success. A conflict (409, 412) is ErrConflict, what may pass (5xx, 429, no
// connection) ErrUnreachable, all else ErrRefused. The token is never part of a reply or an error.
func (c *Client) Do(ctx context.Context, r Request) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, c.Base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", traffic.ErrRefused, err)
	}
	for name, values := range r.Header {
		req.Header[name] = values
	}
	if c.user != "" {
		req.SetBasicAuth(c.user, c.token)
	} else if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if r.ContentType == "" {
		r.ContentType = "application/json"
	}
	req.Header.Set("Content-Type", r.ContentType)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", traffic.ErrUnreachable, c.Base, cause(err))
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", traffic.ErrUnreachable, c.Base, err)
	}
	if c.token != "" {
		// A reply may repeat what it was sent, and it is quoted in errors.
		data = bytes.ReplaceAll(data, []byte(c.token), []byte("[token]"))
	}
	return data, statusError(resp.StatusCode, c.Base, data)
}

// cause drops the method and address that net/http puts before an error; they are said already.
func cause(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func statusError(status int, base string, data []byte) error {
	if status >= http.StatusOK && status < http.StatusMultipleChoices {
		return nil
	}
	kind := traffic.ErrRefused
	switch {
	case status == http.StatusConflict || status == http.StatusPreconditionFailed:
		kind = traffic.ErrConflict
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		kind = traffic.ErrUnreachable
	}
	return &StatusError{kind: kind, base: base, Status: status, Message: messageOf(status, data)}
}

// StatusError is a reply that is no success. It matches the error of package traffic that it stands for.
type StatusError struct {
	kind error
	base string
	// Status is the HTTP status, Message what the reply says.
	Status  int
	Message string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%v: %s answered %d: %s", e.kind, e.base, e.Status, e.Message)
}

func (e *StatusError) Unwrap() error { return e.kind }

// messageOf finds the message of an error in the shapes that APIs give it.
func messageOf(status int, data []byte) string {
	for _, message := range []string{messageIn(data), http.StatusText(status)} {
		if message != "" {
			return message[:min(len(message), maxMessage)]
		}
	}
	return "no reason"
}

// messageIn finds the text in {"error": "…"}, {"message": "…"} and {"detail": "…"}, each of which may be such an object again.
func messageIn(data []byte) string {
	var text string
	if json.Unmarshal(data, &text) == nil {
		return text
	}
	var reply map[string]json.RawMessage
	if json.Unmarshal(data, &reply) != nil {
		return ""
	}
	for _, field := range []string{"error", "message", "detail"} {
		if text := messageIn(reply[field]); text != "" {
			return text
		}
	}
	return ""
}
