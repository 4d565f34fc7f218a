package online

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

const one = `{"id":"1","arm":"candidate","kind":"conversion","value":1}`

func post(t *testing.T, i *Intake, url, token, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	i.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestTheIntakeHandsOnInSums(t *testing.T) {
	var sent []swap.FeedbackBatch
	var down error
	i, err := NewIntake("secret", func(_ context.Context, target string, b swap.FeedbackBatch) error {
		require.Equal(t, "chat", target)
		if down == nil {
			sent = append(sent, b)
		}
		return down
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	status, body := post(t, i, "/feedback?target=chat", "secret", one+"\n"+strings.ReplaceAll(one, `"1"`, `"2"`))
	require.Equal(t, 202, status)
	require.JSONEq(t, `{"accepted":2}`, body)
	down = errors.New("Temporal is away")
	i.Flush(t.Context())
	require.Empty(t, sent)
	require.Equal(t, 2, i.held, "what could not be handed on is kept")
	down = nil
	i.Flush(t.Context())
	require.Len(t, sent, 1)
	require.Equal(t, 2, sent[0].Sums[0].N)
	require.Zero(t, i.held)

	post(t, i, "/feedback?target=chat", "secret", one)
	i.Flush(t.Context())
	require.Equal(t, 1, sent[1].Duplicates)
	require.Empty(t, sent[1].Sums)

	down = ErrNoRun
	post(t, i, "/feedback?target=chat", "secret", strings.ReplaceAll(one, `"1"`, `"3"`))
	i.Flush(t.Context())
	require.Zero(t, i.held, "a target without a run keeps nothing")
}

func TestTheIntakeRefuses(t *testing.T) {
	_, err := NewIntake("", nil, nil)
	require.ErrorContains(t, err, "needs a token")
	i, err := NewIntake("secret", nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for _, c := range []struct {
		url, token, body string
		status           int
		says             string
	}{
		{"/feedback?target=chat", "wrong", one, 401, "bearer token"},
		{"/feedback?target=chat", "", one, 401, "bearer token"},
		{"/feedback", "secret", one, 400, "name the target"},
		{"/feedback?target=chat", "secret", "{}", 400, "line 1: id must have"},
		{"/feedback?target=chat", "secret", strings.Repeat("x", MaxBody+1), 413, "longer than 4 MiB"},
	} {
		status, body := post(t, i, c.url, c.token, c.body)
		require.Equal(t, c.status, status)
		require.Contains(t, body, c.says)
		require.NotContains(t, body, "secret")
	}
	i.held = mostHeld
	status, _ := post(t, i, "/feedback?target=chat", "secret", one)
	require.Equal(t, 429, status)
	require.Empty(t, i.events)
}
