package notify_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/report/reporttest"
	"github.com/swapgate/swapgate/pkg/swap"
)

const token = "xoxb-1-secret"

// post sends a message to a server that answers with handler.
func post(t *testing.T, handler http.HandlerFunc) (string, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	poster := notify.Poster{HTTP: server.Client()}
	sent, err := poster.Post(t.Context(), swap.Slack{APIURL: server.URL + "/api"}, token, payload())
	if err != nil {
		require.NotContains(t, err.Error(), "secret")
	}
	return sent.TS, err
}

func payload() notify.Payload { return notify.NewPayload("C1", reporttest.FailAtGates().Verdict) }

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestPostSendsThePayloadAsItIsStored(t *testing.T) {
	var form map[string][]string
	ts, err := post(t, func(w http.ResponseWriter, r *http.Request) {
		if !assertForm(t, r) {
			return
		}
		form = r.PostForm
		answer(http.StatusOK, `{"ok":true,"channel":"C1","ts":"1700.5"}`)(w, r)
	})
	require.NoError(t, err)
	require.Equal(t, "1700.5", ts)
	p := payload()
	blocks, err := json.Marshal(p.Blocks)
	require.NoError(t, err)
	require.JSONEq(t, string(blocks), form["blocks"][0])
	require.Equal(t, []string{p.Text}, form["text"])
	require.Equal(t, []string{"C1"}, form["channel"])
	require.Equal(t, []string{"false"}, form["unfurl_links"])
	require.Equal(t, []string{"false"}, form["unfurl_media"])
}

func assertForm(t *testing.T, r *http.Request) bool {
	t.Helper()
	if r.URL.Path != "/api/chat.postMessage" || r.ParseForm() != nil {
		t.Errorf("unexpected request %s", r.URL)
		return false
	}
	return true
}

func TestErrorsTellWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		handler              http.HandlerFunc
		kind                 error
		retryable, notPosted bool
	}{
		"bad token":        {answer(200, `{"ok":false,"error":"invalid_auth"}`), notify.ErrBadToken, false, true},
		"missing scope":    {answer(200, `{"ok":false,"error":"missing_scope","needed":"chat:write"}`), notify.ErrBadToken, false, true},
		"no channel":       {answer(200, `{"ok":false,"error":"channel_not_found"}`), notify.ErrChannel, false, true},
		"not invited":      {answer(200, `{"ok":false,"error":"not_in_channel"}`), notify.ErrChannel, false, true},
		"bad message":      {answer(200, `{"ok":false,"error":"invalid_blocks"}`), notify.ErrRefused, false, true},
		"unknown code":     {answer(200, `{"ok":false,"error":"new_error"}`), nil, true, true},
		"half done":        {answer(200, `{"ok":false,"error":"internal_error"}`), nil, true, false},
		"server error":     {answer(500, `<html>xoxb-1-secret`), nil, true, false},
		"turned away":      {answer(503, `<html>xoxb-1-secret`), nil, true, true},
		"refused request":  {answer(400, ``), nil, true, true},
		"no JSON":          {answer(200, `<html>`), nil, true, false},
		"no timestamp":     {answer(200, `{"ok":true}`), nil, true, false},
		"neither":          {answer(200, `{"ok":false}`), nil, true, false},
		"echoes the token": {answer(200, `{"ok":false,"error":"xoxb-1-secret"}`), nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := post(t, c.handler)
			var failed *notify.PostError
			require.ErrorAs(t, err, &failed)
			require.ErrorContains(t, err, `"C1"`)
			require.Equal(t, c.kind, failed.Kind)
			require.Equal(t, c.retryable, notify.Retryable(err))
			require.Equal(t, c.notPosted, notify.NotPosted(err))
		})
	}
}

func TestRateLimitsSayWhen(t *testing.T) {
	for retryAfter, want := range map[string]time.Duration{"7": 7 * time.Second, "": time.Minute} {
		_, err := post(t, func(w http.ResponseWriter, _ *http.Request) {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.WriteHeader(http.StatusTooManyRequests)
		})
		var limited *notify.RateLimitedError
		require.ErrorAs(t, err, &limited)
		require.Equal(t, want, limited.RetryAfter)
		require.True(t, notify.Retryable(err))
		require.True(t, notify.NotPosted(err))
	}
}

func TestTheTokenFollowsNoRedirect(t *testing.T) {
	asked := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(elsewhere.Close)
	_, err := post(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	require.ErrorContains(t, err, "307")
	require.False(t, asked)
}

func TestAConnectionThatFailsPostedNothing(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := notify.Poster{}.Post(t.Context(), swap.Slack{APIURL: server.URL}, token, payload())
	require.True(t, notify.NotPosted(err))
	require.True(t, notify.Retryable(err))
}

func TestARequestThatIsCutOffMayHavePosted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	_, err := notify.Poster{}.Post(ctx, swap.Slack{APIURL: server.URL}, token, payload())
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, notify.NotPosted(err))
}

func TestAnEmptyTokenIsABadToken(t *testing.T) {
	_, err := notify.Poster{}.Post(t.Context(), swap.Slack{}, "", payload())
	require.ErrorIs(t, err, notify.ErrBadToken)
}
