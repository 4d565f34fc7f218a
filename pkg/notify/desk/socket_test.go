package desk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/notify/desk"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

const appToken = "xapp-1-secret"

// socketServer stands for Slack's Socket Mode: it sends what a test gives it and passes on what is acknowledged.
type socketServer struct {
	*httptest.Server
	send chan string
	acks chan string
	// refuse answers that many attempts to open a connection with invalid_auth.
	refuse atomic.Int32
	opened chan struct{}
}

func newSocketServer(t *testing.T) *socketServer {
	t.Helper()
	s := &socketServer{send: make(chan string), acks: make(chan string, 10), opened: make(chan struct{}, 10)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/apps.connections.open" {
			s.open(w, r)
			return
		}
		s.talk(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *socketServer) open(w http.ResponseWriter, r *http.Request) {
	if s.refuse.Add(-1) >= 0 || r.Header.Get("Authorization") != "Bearer "+appToken {
		_, _ = fmt.Fprint(w, `{"ok":false,"error":"invalid_auth"}`)
		return
	}
	_, _ = fmt.Fprintf(w, `{"ok":true,"url":%q}`, "ws"+strings.TrimPrefix(s.URL, "http")+"/link")
}

// talk sends what comes in until the connection ends.
func (s *socketServer) talk(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var ack struct {
				EnvelopeID string `json:"envelope_id"`
			}
			if conn.ReadJSON(&ack) != nil {
				return
			}
			s.acks <- ack.EnvelopeID
		}
	}()
	s.opened <- struct{}{}
	for {
		select {
		case <-ended:
			return
		case m := <-s.send:
			if conn.WriteMessage(websocket.TextMessage, []byte(m)) != nil {
				return
			}
		}
	}
}

// envelope is an interaction as Socket Mode delivers it.
func envelope(t *testing.T, id string, p desk.Press) string {
	t.Helper()
	payload := map[string]any{
		"type": "block_actions", "user": map[string]string{"id": p.UserID, "username": p.UserName}, "response_url": p.ResponseURL,
		"actions": []map[string]string{{"action_id": button.Approve.ID(), "block_id": "b", "type": "button", "value": p.Value}},
	}
	data, err := json.Marshal(map[string]any{"type": "interactive", "envelope_id": id, "payload": payload})
	require.NoError(t, err)
	return string(data)
}

// listen hears a server until the test ends.
func listen(t *testing.T, s *site, server *socketServer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "app")
	require.NoError(t, os.WriteFile(file, []byte(appToken), 0o600))
	value, err := secret.Resolve(&swap.SecretRef{File: file})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		desk.Socket{Desk: s.Desk, AppToken: value, APIURL: server.URL + "/api", Retry: time.Millisecond}.Listen(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
}

func TestSocketModeHearsAPressAndAcknowledgesIt(t *testing.T) {
	s, server := newSite(t), newSocketServer(t)
	listen(t, s, server)
	server.send <- `{"type":"hello","num_connections":1}`
	p := s.press(t, "UANN", nil)
	for _, id := range []string{"e1", "e2"} { // the same press is delivered again
		server.send <- envelope(t, id, p)
		require.Equal(t, id, <-server.acks)
		require.Contains(t, <-s.api.replies, "approve by ann (Slack UANN).")
	}
	require.Len(t, s.runs.asked, 1)
}

func TestSocketModeGoesOnAfterWhatItCannotRead(t *testing.T) {
	s, server := newSite(t), newSocketServer(t)
	listen(t, s, server)
	for _, m := range []string{
		`{`, `[]`, `{"type":"news"}`, `{"type":"interactive","envelope_id":"e0","payload":"x"}`,
		`{"type":"interactive","envelope_id":"e1","payload":{"type":"view_closed"}}`,
	} {
		server.send <- m
	}
	require.Equal(t, "e1", <-server.acks, "what is not for swapgate is acknowledged too")
	server.send <- envelope(t, "e2", s.press(t, "UANN", nil))
	require.Equal(t, "e2", <-server.acks)
	require.Contains(t, <-s.api.replies, "approve by ann")
}

func TestSocketModeOpensAgain(t *testing.T) {
	s, server := newSite(t), newSocketServer(t)
	server.refuse.Store(2) // the token is not accepted at first
	listen(t, s, server)
	<-server.opened
	server.send <- `{"type":"disconnect","reason":"refresh_requested"}`
	<-server.opened
	server.send <- envelope(t, "e1", s.press(t, "UANN", nil))
	require.Equal(t, "e1", <-server.acks)
	<-s.api.replies
}
