package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/traffic"
)

func TestMessagesAreFoundInTheShapesOfAPIs(t *testing.T) {
	for reply, want := range map[string]string{
		`{"error":"no such server"}`:                           "no such server",
		`{"kind":"Status","message":"routes \"x\" not found"}`: `routes "x" not found`,
		`{"error":{"message":"no model","code":"400"}}`:        "no model",
		`{"detail":{"error":"DB not connected"}}`:              "DB not connected",
		`{"detail":[{"loc":["body"]}]}`:                        "Bad Request",
		`<html>`:                                               "Bad Request",
		``:                                                     "Bad Request",
		`{"error":"` + strings.Repeat("x", 500) + `"}`:         strings.Repeat("x", maxMessage),
	} {
		require.Equal(t, want, messageOf(http.StatusBadRequest, []byte(reply)), reply)
	}
	require.Equal(t, "no reason", messageOf(599, nil))
}

func TestAStatusErrorKeepsItsKind(t *testing.T) {
	err := statusError(http.StatusConflict, "http://x", nil)
	require.ErrorIs(t, err, traffic.ErrConflict)
	var answered *StatusError
	require.ErrorAs(t, err, &answered)
	require.Equal(t, http.StatusConflict, answered.Status)
	require.NoError(t, statusError(http.StatusNoContent, "http://x", nil))
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	followed := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/a" {
			followed = true
			return
		}
		http.Redirect(w, r, "/b", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(srv.Close)
	c, err := New(srv.URL, "secret", srv.Client())
	require.NoError(t, err)
	_, err = c.Do(t.Context(), Request{Method: http.MethodPost, Path: "/a"})
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "answered 307")
	require.False(t, followed)
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"error":{"detail":{"message":"x"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		require.LessOrEqual(t, len(messageOf(http.StatusBadRequest, data)), maxMessage)
	})
}
