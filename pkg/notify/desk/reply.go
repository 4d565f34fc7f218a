package desk

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

	"github.com/swapgate/swapgate/pkg/notify"
)

// Replier answers presses at the address that Slack gives with each. Answers go to Slack and nowhere else.
type Replier struct {
	HTTP *http.Client
	// APIURL is the API's address where it is not Slack's own; its host may be answered too.
	APIURL string
}

// errElsewhere refuses an address that is not Slack's.
var errElsewhere = errors.New("the answer was not sent: its address is not Slack's")

// Tell says something to the one who pressed, and to nobody else. Errors hold no part of the address, which is a credential.
func (r Replier) Tell(ctx context.Context, responseURL, said string) error {
	to, err := url.Parse(responseURL)
	if err != nil || !r.isSlack(to) {
		return errElsewhere
	}
	body, err := json.Marshal(map[string]any{"response_type": "ephemeral", "replace_original": false, "text": notify.Escape(said)})
	if err != nil {
		return fmt.Errorf("cannot write the answer: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return errElsewhere
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := r.client().Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the address
		}
		return fmt.Errorf("the answer was not sent: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 4<<10))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the answer was not taken: HTTP %d", resp.StatusCode)
	}
	return nil
}

// client follows no redirect.
func (r Replier) client() *http.Client {
	client := http.Client{Timeout: patience}
	if r.HTTP != nil {
		client = *r.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// isSlack reports whether an address is one of Slack's, or of the API that is used in its place.
func (r Replier) isSlack(to *url.URL) bool {
	if api, err := url.Parse(r.APIURL); err == nil && api.Host != "" && to.Scheme == api.Scheme && to.Host == api.Host {
		return true
	}
	host := strings.ToLower(to.Hostname())
	return to.Scheme == "https" && to.Port() == "" && (host == "hooks.slack.com" || host == "hooks.slack-gov.com")
}
