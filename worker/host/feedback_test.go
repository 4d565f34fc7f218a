package host

import (
	"flag"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/swap"
)

// told is a run that ends with the first batch that is reported to it.
func told(ctx workflow.Context) (b swap.FeedbackBatch, err error) {
	workflow.GetSignalChannel(ctx, swap.SignalFeedback).Receive(ctx, &b)
	return b, nil
}

// What is posted reaches the running validation of its target, on a real Temporal server, at the latest when the worker stops.
func TestReportsReachTheirRun(t *testing.T) {
	t.Setenv("TEST_FEEDBACK_TOKEN", "feedback-secret")
	quiet := slog.New(slog.DiscardHandler)
	c, err := localtest.Temporal(t).Dial(t.Context(), log.NewStructuredLogger(quiet))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	w := worker.New(c, t.Name(), worker.Options{})
	w.RegisterWorkflowWithOptions(told, workflow.RegisterOptions{Name: swap.WorkflowValidateSwap})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	options := client.StartWorkflowOptions{ID: swap.ValidateWorkflowID("told"), TaskQueue: t.Name()}
	run, err := c.ExecuteWorkflow(t.Context(), options, swap.WorkflowValidateSwap)
	require.NoError(t, err)

	f := Feedback{Listen: freeAddress(t), Token: swap.SecretRef{Env: "TEST_FEEDBACK_TOKEN"}}
	stop, err := f.take(t.Context(), c, quiet)
	require.NoError(t, err)
	lines := `{"id":"1","arm":"candidate","kind":"conversion","value":1}` + "\n" + `{"id":"2","arm":"candidate","kind":"quality","value":0.5}`
	for target, token := range map[string]string{"told": "feedback-secret", "nobody": "feedback-secret", "other": "wrong"} {
		url := "http://" + f.Listen + "/feedback?target=" + target
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(lines))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		want := http.StatusAccepted
		if token == "wrong" {
			want = http.StatusUnauthorized
		}
		require.Equal(t, want, resp.StatusCode)
	}
	stop()
	var b swap.FeedbackBatch
	require.NoError(t, run.Get(t.Context(), &b))
	require.Len(t, b.Sums, 2)
	require.Equal(t, swap.FeedbackConversion, b.Sums[0].Kind)
	require.NotEmpty(t, b.ID)
}

func TestFeedbackFlags(t *testing.T) {
	parse := func(args ...string) (Feedback, error) {
		var f Feedback
		fs := flag.NewFlagSet("x", flag.ContinueOnError)
		complete := f.flags(fs)
		require.NoError(t, fs.Parse(args))
		err := complete()
		return f, err
	}
	f, err := parse("--feedback-listen", ":8083", "--feedback-token", "file:/t")
	require.NoError(t, err)
	require.Equal(t, Feedback{Listen: ":8083", Token: swap.SecretRef{File: "/t"}}, f)
	_, err = parse("--feedback-listen", "8083")
	require.ErrorContains(t, err, "--feedback-listen: must be host:port")
	_, err = parse("--feedback-token", "hunter2")
	require.ErrorContains(t, err, "--feedback-token: must be env:NAME or file:/PATH")
	require.NotContains(t, err.Error(), "hunter2")
}
