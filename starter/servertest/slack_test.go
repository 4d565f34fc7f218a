package servertest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/swap"
)

const slackSigning = "signing-secret"

// workspace stands for Slack: one channel, and what it shows.
type workspace struct {
	*httptest.Server
	mu sync.Mutex
	// parent is the run's message as it is now; replies are what its thread holds.
	parent  string
	blocks  string
	replies []string
	files   int
	answers chan string
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	w := &workspace{answers: make(chan string, 10)}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch r.URL.Path {
	case "/api/chat.postMessage":
		if r.FormValue("thread_ts") != "" {
			w.replies = append(w.replies, r.FormValue("text"))
		} else {
			w.parent, w.blocks = r.FormValue("text"), r.FormValue("blocks")
		}
		_, _ = fmt.Fprintf(rw, `{"ok":true,"channel":"C1","ts":"1.%d"}`, len(w.replies))
	case "/api/chat.update":
		w.parent, w.blocks = r.FormValue("text"), r.FormValue("blocks")
		_, _ = io.WriteString(rw, `{"ok":true,"channel":"C1","ts":"1.0"}`)
	case "/api/files.getUploadURLExternal":
		_, _ = fmt.Fprintf(rw, `{"ok":true,"upload_url":%q,"file_id":"F1"}`, w.URL+"/api/upload")
	case "/api/files.completeUploadExternal":
		w.files++
		_, _ = io.WriteString(rw, `{"ok":true,"files":[{"id":"F1"}]}`)
	case "/respond":
		body, _ := io.ReadAll(r.Body)
		w.answers <- string(body)
	}
}

// button is the value of a button of the run's message; empty where it has none such.
func (w *workspace) button(t *testing.T, action string) string {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.blocks == "" {
		return ""
	}
	var blocks []struct {
		Elements []struct {
			ActionID string `json:"action_id"`
			Value    string `json:"value"`
		} `json:"elements"`
	}
	require.NoError(t, json.Unmarshal([]byte(w.blocks), &blocks))
	for _, b := range blocks {
		for _, e := range b.Elements {
			if e.ActionID == "swapgate/"+action {
				return e.Value
			}
		}
	}
	return ""
}

// startEars starts a worker that hears buttons, and returns the address of its endpoint.
func (b *bench) startEars(w *workspace) string {
	b.t.Helper()
	addresses := make([]string, 2)
	for i := range addresses {
		ln, err := new(net.ListenConfig).Listen(b.t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(b.t, err)
		addresses[i] = ln.Addr().String()
		require.NoError(b.t, ln.Close())
	}
	ears, err := local.StartServer(b.t.Context(), local.Command{
		Name: "worker that hears buttons", Path: exe,
		Args: []string{
			"worker", "--role", "control", "--health", addresses[0], "--stop-timeout", "5s", "--slack-listen", addresses[1],
			"--slack-api", w.URL + "/api",
		},
		Env: []string{
			"TEMPORAL_ADDRESS=" + b.Temporal.Address(), "TEMPORAL_NAMESPACE=" + b.Temporal.Namespace(), "SLACK_SIGNING_SECRET=" + slackSigning,
		},
		LogFile: filepath.Join(b.Dir(), "worker-ears.log"),
	}, "http://"+addresses[0]+"/readyz")
	require.NoError(b.t, err)
	b.Add("worker that hears buttons", ears.Stop)
	return "http://" + addresses[1] + "/slack/actions"
}

// pressApprove has a user press the button to approve, and returns what only they see.
func (b *bench) pressApprove(w *workspace, endpoint, user, value string) string {
	b.t.Helper()
	payload, err := json.Marshal(map[string]any{
		"type": "block_actions", "user": map[string]string{"id": user, "username": strings.ToLower(user[1:])},
		"response_url": w.URL + "/respond",
		"actions":      []map[string]string{{"action_id": "swapgate/" + swap.UpdateApprove, "block_id": "b", "value": value}},
	})
	require.NoError(b.t, err)
	body := url.Values{"payload": {string(payload)}}.Encode()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, endpoint, strings.NewReader(body))
	require.NoError(b.t, err)
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(slackSigning))
	_, _ = io.WriteString(mac, "v0:"+stamp+":"+body)
	req.Header.Set("X-Slack-Request-Timestamp", stamp)
	req.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultClient.Do(req)
	require.NoError(b.t, err)
	require.NoError(b.t, resp.Body.Close())
	require.Equal(b.t, http.StatusOK, resp.StatusCode)
	return <-w.answers
}

// A run is approved from Slack: one message, buttons while they can act, and the verdict with its picture at the end.
func TestARunIsApprovedFromSlack(t *testing.T) {
	b := newBench(t, "same")
	w := newWorkspace(t)
	endpoint := b.startEars(w)
	token := filepath.Join(b.Dir(), "slack-token")
	require.NoError(t, os.WriteFile(token, []byte("xoxb-1-secret"), 0o600))
	b.spec.Notify.Slack = &swap.Slack{
		Channel: "#models", Token: &swap.SecretRef{File: token}, Approvers: []string{"UANN"}, APIURL: w.URL + "/api",
	}
	weights := b.spec.Rollout.Weights
	last := weights[len(weights)-1]
	b.spec.Rollout.ApproveAt = []int{last}
	b.spec.Rollout.ApproveTimeout = swap.Duration(24 * time.Hour)
	run := b.start()
	var approve string
	b.await("a button to approve", func() bool {
		approve = w.button(t, swap.UpdateApprove)
		return approve != ""
	})
	require.Contains(t, b.pressApprove(w, endpoint, "UEVE", approve), "not listed")
	said := fmt.Sprintf("%d %% on the candidate approved by ann (Slack UANN).", last)
	require.Contains(t, b.pressApprove(w, endpoint, "UANN", approve), said)
	require.Contains(t, b.pressApprove(w, endpoint, "UANN", approve), said, "a double click")

	v, err := b.verdict(run)
	require.NoError(t, err)
	require.Equal(t, swap.Pass, v.Verdict, v.Summary)
	require.Contains(t, w.parent, "PASS")
	require.Empty(t, w.button(t, swap.UpdateRollback))
	require.Equal(t, 1, strings.Count(strings.Join(w.replies, "\n"), said))
	require.Equal(t, 1, w.files)
	require.Contains(t, b.pressApprove(w, endpoint, "UANN", approve), "The run has ended.")
	b.record(run, "slack-thread")
}
