package host

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	testToken   = "xoxb-1-secret"
	testSigning = "signing-secret"
)

// awaiting is a run that waits for one approval of 20 %, and ends when it is asked to go back. It counts what it accepted.
func awaiting(ctx workflow.Context, in swap.Request) (int, error) {
	accepted, ended := 0, false
	err := workflow.SetQueryHandler(ctx, swap.QueryPlan, func() (swap.Spec, error) { return in.Spec, nil })
	if err != nil {
		return 0, err
	}
	approve := func(_ workflow.Context, by swap.ByRequest) (swap.Answer, error) {
		accepted++
		return swap.Answer{Message: fmt.Sprintf("%d %% approved by %s.", by.Weight, by.By)}, nil
	}
	options := workflow.UpdateHandlerOptions{Validator: func(by swap.ByRequest) error {
		if accepted > 0 || by.Weight != 20 {
			return fmt.Errorf("nothing to approve at %d %%", by.Weight)
		}
		return nil
	}}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, swap.UpdateApprove, approve, options); err != nil {
		return 0, err
	}
	rollback := func(workflow.Context, swap.ByRequest) (swap.Answer, error) {
		ended = true
		return swap.Answer{Message: "Going back."}, nil
	}
	if err := workflow.SetUpdateHandler(ctx, swap.UpdateRollback, rollback); err != nil {
		return 0, err
	}
	err = workflow.Await(ctx, func() bool { return ended && workflow.AllHandlersFinished(ctx) })
	return accepted, err
}

// slackSite is a worker that hears buttons, with a run that waits, on a real Temporal server.
type slackSite struct {
	address string
	run     client.WorkflowRun
	replies chan string
	api     *httptest.Server
}

func newSlackSite(t *testing.T) *slackSite {
	t.Helper()
	t.Setenv("TEST_SLACK_TOKEN", testToken)
	t.Setenv("TEST_SLACK_SIGNING", testSigning)
	s := &slackSite{replies: make(chan string, 20)}
	s.api = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.replies <- string(body)
	}))
	t.Cleanup(s.api.Close)

	server := localtest.Temporal(t)
	quiet := slog.New(slog.DiscardHandler)
	c, err := server.Dial(t.Context(), log.NewStructuredLogger(quiet))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	w := worker.New(c, t.Name(), worker.Options{})
	w.RegisterWorkflowWithOptions(awaiting, workflow.RegisterOptions{Name: swap.WorkflowValidateSwap})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	spec := swap.Spec{Target: "chat", Notify: swap.Notify{Slack: &swap.Slack{
		Channel: "#models", Token: &swap.SecretRef{Env: "TEST_SLACK_TOKEN"}, Approvers: []string{"UANN"},
	}}}
	options := client.StartWorkflowOptions{ID: swap.ValidateWorkflowID("chat"), TaskQueue: t.Name()}
	s.run, err = c.ExecuteWorkflow(t.Context(), options, swap.WorkflowValidateSwap, swap.Request{Spec: spec})
	require.NoError(t, err)

	s.address = freeAddress(t)
	slack := Slack{Listen: s.address, SigningSecret: swap.SecretRef{Env: "TEST_SLACK_SIGNING"}, API: s.api.URL}
	stop, err := slack.hear(t.Context(), c, quiet)
	require.NoError(t, err)
	t.Cleanup(stop)
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	return ln.Addr().String()
}

// press has a user press a button of the run, and returns the HTTP status.
func (s *slackSite) press(t *testing.T, user string, a button.Action, weight, seq int) int {
	t.Helper()
	value, err := button.NewKey(testToken).Sign(button.Value{
		Action: a, WorkflowID: s.run.GetID(), RunID: s.run.GetRunID(), Weight: weight, Seq: seq,
	})
	require.NoError(t, err)
	payload, err := json.Marshal(map[string]any{
		"type": "block_actions", "user": map[string]string{"id": user, "username": "ann"}, "response_url": s.api.URL,
		"actions": []map[string]string{{"action_id": a.ID(), "block_id": "b", "value": value}},
	})
	require.NoError(t, err)
	body := url.Values{"payload": {string(payload)}}.Encode()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.address+"/slack/actions", strings.NewReader(body))
	require.NoError(t, err)
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(testSigning))
	_, _ = io.WriteString(mac, "v0:"+stamp+":"+body)
	req.Header.Set("X-Slack-Request-Timestamp", stamp)
	req.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

// A button goes through HTTP, the desk and the real server to the run, once however often it is pressed.
func TestAButtonReachesTheRunOnce(t *testing.T) {
	s := newSlackSite(t)
	answer := func(user string, a button.Action, weight, seq int) string {
		require.Equal(t, http.StatusOK, s.press(t, user, a, weight, seq))
		return <-s.replies
	}
	require.Contains(t, answer("UEVE", button.Approve, 20, 1), "not listed")
	require.Contains(t, answer("UANN", button.Approve, 5, 1), "Nothing to approve at 5 %.")
	for range 3 {
		require.Contains(t, answer("UANN", button.Approve, 20, 1), "20 % approved by ann (Slack UANN).")
	}
	require.Contains(t, answer("UANN", button.Approve, 20, 2), "Nothing to approve at 20 %.")
	require.Contains(t, answer("UANN", button.Rollback, 0, 2), "Going back.")
	var accepted int
	require.NoError(t, s.run.Get(t.Context(), &accepted))
	require.Equal(t, 1, accepted)
	require.Contains(t, answer("UANN", button.Rollback, 0, 3), "The run has ended.")
}

func TestSlackOptions(t *testing.T) {
	o, err := ParseOptions([]string{
		"--slack-socket", "--slack-app-token", "file:/run/secrets/app", "--slack-listen", ":8082", "--slack-signing-secret", "env:SIGN",
		"--slack-api", "https://slack-gov.com/api",
	}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, Slack{
		Socket: true, AppToken: swap.SecretRef{File: "/run/secrets/app"}, Listen: ":8082", SigningSecret: swap.SecretRef{Env: "SIGN"},
		API: "https://slack-gov.com/api",
	}, o.Slack)

	_, err = ParseOptions([]string{"--slack-listen", "8082", "--slack-api", "slack"}, io.Discard)
	require.ErrorContains(t, err, `--slack-listen: must be host:port or :port, got "8082"`)
	_, err = ParseOptions([]string{"--slack-api", "slack"}, io.Discard)
	require.ErrorContains(t, err, "--slack-api: must be an http or https URL")
	_, err = ParseOptions([]string{"--slack-app-token", "xapp-1-secret", "--slack-signing-secret", "file:"}, io.Discard)
	require.EqualError(t, err, "--slack-app-token: must be env:NAME or file:/PATH\n--slack-signing-secret: must be env:NAME or file:/PATH")
}

func TestHearingFailsAtOnceWithoutItsSecrets(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	for want, s := range map[string]Slack{
		"--slack-app-token: credential: no usable credential":      {Socket: true, AppToken: swap.SecretRef{Env: "TEST_UNSET"}},
		"--slack-signing-secret: credential: no usable credential": {Listen: "127.0.0.1:0", SigningSecret: swap.SecretRef{Env: "TEST_UNSET"}},
	} {
		_, err := s.hear(t.Context(), nil, quiet)
		require.ErrorContains(t, err, want)
	}
	stop, err := Slack{}.hear(t.Context(), nil, quiet)
	require.NoError(t, err)
	stop()
}
