package admin

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
	"time"
)

const (
	// maxReply bounds what is read of a reply, maxMessage what is quoted of it.
	maxReply   = 4 << 20
	maxMessage = 300
	// lookTimeout bounds a call that only asks. Calls that change something have as long as the swap.
	lookTimeout = 15 * time.Second
)

// api calls the admin interface of one engine.
type api struct {
	base  string
	token string
	http  *http.Client
	// poll is the pause between two looks.
	poll time.Duration
}

// get asks, and decodes the reply into out.
func (a api) get(ctx context.Context, path string, out any) error {
	return a.ask(ctx, http.MethodGet, path, nil, out)
}

// ask is a call that changes nothing.
func (a api) ask(ctx context.Context, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return a.call(ctx, method, path, body, out)
}

// post changes something; it may take as long as ctx allows.
func (a api) post(ctx context.Context, path string, body, out any) error {
	return a.call(ctx, http.MethodPost, path, body, out)
}

// call makes one call. A reply that says in its body that it is no success is refused whatever its status. Where out is nil, the
// body may be anything.
func (a api) call(ctx context.Context, method, path string, body, out any) error {
	name := method + " " + a.base + path
	status, data, err := a.send(ctx, method, path, body)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s: %w; check that the engine is up and that this worker may connect to it", ErrUnreachable, name, cause(err))
	case status < http.StatusOK || status >= http.StatusMultipleChoices:
		return newStatusError(name, status, a.message(data))
	}
	if failed, message := failureInside(data); failed {
		return &statusError{
			kind: ErrRefused, call: name, status: status, message: "not successful: " + a.clean(message),
			next: "look for the cause in the engine's log",
		}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("%w: the reply to %s is not what this engine replies; check in_place.method and in_place.admin_url",
			ErrUnsupported, name)
	}
	return nil
}

func (a api) send(ctx context.Context, method, path string, body any) (status int, reply []byte, err error) {
	var payload io.Reader = http.NoBody
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		payload = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, payload)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("User-Agent", "swapgate")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	reply, err = io.ReadAll(io.LimitReader(resp.Body, maxReply))
	return resp.StatusCode, reply, err
}

// cause drops the method and address that net/http puts before an error; they are said already.
func cause(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// clean makes a message of the engine fit to be quoted: short, on one line, and without the token, which it may repeat.
func (a api) clean(message string) string {
	if a.token != "" {
		message = strings.ReplaceAll(message, a.token, "[token]")
	}
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "�")), " ")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return message
}

// message is the engine's own word in a refusal, in the shapes in use; empty for a body in none of them, such as the page of a web
// server that does not know the route.
func (a api) message(data []byte) string {
	var reply struct {
		Error        json.RawMessage `json:"error"`
		ErrorMessage string          `json:"error_message"`
		Message      string          `json:"message"`
	}
	if json.Unmarshal(data, &reply) != nil {
		return ""
	}
	var nested struct {
		Message string `json:"message"`
	}
	var plain string
	_ = json.Unmarshal(reply.Error, &plain)
	_ = json.Unmarshal(reply.Error, &nested)
	for _, m := range []string{plain, nested.Message, reply.ErrorMessage, reply.Message} {
		if m != "" {
			return a.clean(m)
		}
	}
	return ""
}

// failureInside finds a failure in the body of a 2xx: success false, an error, or a status that is not success.
func failureInside(data []byte) (failed bool, message string) {
	var reply struct {
		Success      *bool           `json:"success"`
		Error        json.RawMessage `json:"error"`
		ErrorMessage string          `json:"error_message"`
		Message      string          `json:"message"`
	}
	if json.Unmarshal(data, &reply) != nil {
		return false, ""
	}
	inError := len(reply.Error) > 0 && string(reply.Error) != "null" && string(reply.Error) != `""`
	if !inError && (reply.Success == nil || *reply.Success) {
		return false, ""
	}
	for _, m := range []string{reply.ErrorMessage, reply.Message, string(reply.Error)} {
		if m != "" {
			return true, m
		}
	}
	return true, "no reason given"
}
