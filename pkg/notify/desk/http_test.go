package desk_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/notify/desk"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

const signingSecret = "signing-secret"

func handler(t *testing.T, s *site) desk.Handler {
	t.Helper()
	file := filepath.Join(t.TempDir(), "signing")
	require.NoError(t, os.WriteFile(file, []byte(signingSecret), 0o600))
	value, err := secret.Resolve(&swap.SecretRef{File: file})
	require.NoError(t, err)
	return desk.Handler{Desk: s.Desk, Secret: value}
}

// interaction is the body with which Slack tells of a press.
func interaction(t *testing.T, p desk.Press) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"type": "block_actions", "user": map[string]string{"id": p.UserID, "username": p.UserName}, "response_url": p.ResponseURL,
		"actions": []map[string]string{{"action_id": button.Approve.ID(), "block_id": "b", "value": p.Value}},
	})
	require.NoError(t, err)
	return url.Values{"payload": {string(data)}}.Encode()
}

// signed is a request that Slack would have sent at a time.
func signed(t *testing.T, body, key string, at time.Time) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/slack/actions", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key))
	_, _ = io.WriteString(mac, "v0:"+stamp+":"+body)
	r.Header.Set("X-Slack-Request-Timestamp", stamp)
	r.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	return r
}

func serve(h http.Handler, r *http.Request) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

func TestASignedRequestIsHeardAndAnsweredToWhoPressed(t *testing.T) {
	s := newSite(t)
	body := interaction(t, s.press(t, "UANN", nil))
	require.Equal(t, http.StatusOK, serve(handler(t, s), signed(t, body, signingSecret, time.Now())))
	require.Contains(t, <-s.api.replies, "approve by ann (Slack UANN).")
}

func TestARequestThatIsSentAgainAsksOnce(t *testing.T) {
	s := newSite(t)
	h := handler(t, s)
	r := interaction(t, s.press(t, "UANN", nil))
	for range 3 {
		require.Equal(t, http.StatusOK, serve(h, signed(t, r, signingSecret, time.Now())))
		<-s.api.replies
	}
	require.Len(t, s.runs.asked, 1)
}

func TestUnsoundRequestsAreRefused(t *testing.T) {
	s := newSite(t)
	h := handler(t, s)
	body := interaction(t, s.press(t, "UANN", nil))
	now := time.Now()
	form := func(payload string) string { return url.Values{"payload": {payload}}.Encode() }
	tampered := signed(t, body, signingSecret, now)
	tampered.Body = io.NopCloser(strings.NewReader(strings.Replace(body, "UANN", "UBOB", 1)))
	moved := signed(t, body, signingSecret, now.Add(-10*time.Minute))
	moved.Header.Set("X-Slack-Request-Timestamp", strconv.FormatInt(now.Unix(), 10))
	bare := func(header, value string) *http.Request {
		r := signed(t, body, signingSecret, now)
		r.Header.Set(header, value)
		return r
	}
	for name, c := range map[string]struct {
		request *http.Request
		want    int
	}{
		"forged signature":     {signed(t, body, "another-secret", now), http.StatusUnauthorized},
		"tampered body":        {tampered, http.StatusUnauthorized},
		"old timestamp":        {signed(t, body, signingSecret, now.Add(-301*time.Second)), http.StatusUnauthorized},
		"timestamp to come":    {signed(t, body, signingSecret, now.Add(302*time.Second)), http.StatusUnauthorized},
		"old, with a new time": {moved, http.StatusUnauthorized},
		"no signature":         {bare("X-Slack-Signature", ""), http.StatusUnauthorized},
		"other version":        {bare("X-Slack-Signature", "v1=00"), http.StatusUnauthorized},
		"not hexadecimal":      {bare("X-Slack-Signature", "v0=zz"), http.StatusUnauthorized},
		"no timestamp":         {bare("X-Slack-Request-Timestamp", ""), http.StatusUnauthorized},
		"no number":            {bare("X-Slack-Request-Timestamp", "now"), http.StatusUnauthorized},
		"too long":             {signed(t, strings.Repeat("x", 513<<10), signingSecret, now), http.StatusRequestEntityTooLarge},
		"no form":              {signed(t, "payload=%zz", signingSecret, now), http.StatusBadRequest},
		"no payload":           {signed(t, "ssl_check=1", signingSecret, now), http.StatusBadRequest},
		"no JSON":              {signed(t, form("{"), signingSecret, now), http.StatusBadRequest},
		"another interaction":  {signed(t, form(`{"type":"view_closed"}`), signingSecret, now), http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, serve(h, c.request)) })
	}
	s.Close()
	require.Empty(t, s.runs.asked)
	require.Empty(t, s.api.replies)
}

func TestNoMorePressesThanTheDeskCanAnswer(t *testing.T) {
	s := newSite(t)
	h := handler(t, s)
	s.runs.mu.Lock() // Temporal does not answer
	body := interaction(t, s.press(t, "UANN", nil))
	for range 32 {
		require.Equal(t, http.StatusOK, serve(h, signed(t, body, signingSecret, time.Now())))
	}
	require.Equal(t, http.StatusServiceUnavailable, serve(h, signed(t, body, signingSecret, time.Now())))
	s.runs.mu.Unlock()
	for range 32 {
		<-s.api.replies
	}
}
