package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/swap"
)

// server is a Temporal dev server and the environment that leads to it.
type server struct {
	client client.Client
	env    []string
}

func startServer(t *testing.T) *server {
	t.Helper()
	path, err := local.FindTemporal(t.Context(), io.Discard)
	require.NoError(t, err)
	dev, err := testsuite.StartDevServer(t.Context(), testsuite.DevServerOptions{
		ExistingPath: path, LogLevel: "error", ClientOptions: quiet(), Stdout: io.Discard, Stderr: io.Discard,
		ExtraArgs: []string{"--dynamic-config-value", "system.forceSearchAttributesCacheRefreshOnRead=true"},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		dev.Client().Close()
		require.NoError(t, dev.Stop())
	})
	return &server{client: dev.Client(), env: []string{
		"TEMPORAL_ADDRESS=" + dev.FrontendHostPort(), "TEMPORAL_NAMESPACE=default",
		"TEMPORAL_CONFIG_FILE=" + filepath.Join(t.TempDir(), "none.toml"), "GITHUB_ACTOR=ada",
	}}
}

func quiet() *client.Options {
	return &client.Options{Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))}
}

func (s *server) run(t *testing.T, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return swapgate(ctx, s.env, args...)
}

// spec writes a specification of a target of its own.
func spec(t *testing.T, target string) string {
	t.Helper()
	b, err := os.ReadFile(specFile)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "swap.yaml")
	require.NoError(t, os.WriteFile(path, bytes.Replace(b, []byte("target: chat"), []byte("target: "+target), 1), 0o600))
	return path
}

// background is a command that runs while the test goes on.
type background struct {
	done   chan outcome
	cancel context.CancelFunc
	stderr *safeBuffer
}

func (s *server) start(t *testing.T, args ...string) *background {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	b := &background{done: make(chan outcome, 1), cancel: cancel, stderr: &safeBuffer{}}
	go func() {
		var stdout bytes.Buffer
		code := run(ctx, args, bytes.NewReader(nil), &stdout, b.stderr, s.env)
		b.done <- outcome{code: code, stdout: stdout.String(), stderr: b.stderr.String()}
	}()
	t.Cleanup(cancel)
	return b
}

// says waits until the command has written something to standard error.
func (b *background) says(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(b.stderr.String(), text) }, 20*time.Second, 20*time.Millisecond, "%q", text)
}

func (b *background) end(t *testing.T) outcome {
	t.Helper()
	select {
	case o := <-b.done:
		return o
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the command does not end", b.stderr.String())
		return outcome{}
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestAgainstTemporal runs the commands against a real server. The order matters: first nobody polls.
func TestAgainstTemporal(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Temporal dev server")
	}
	s := startServer(t)
	t.Run("nothing is there yet", s.withoutWorker)
	startFakeWorker(t, s.client)
	t.Run("with a worker", func(t *testing.T) {
		t.Run("verdicts", s.verdicts)
		t.Run("failed", s.failed)
		t.Run("one at a time", s.oneAtATime)
		t.Run("other spec", s.joinsOnlyTheSameSpec)
		t.Run("detach", s.detach)
		t.Run("ctrl-c", s.interrupt)
		t.Run("timeout", s.timeout)
		t.Run("terminated", s.terminated)
		t.Run("cancelled", s.cancelled)
		t.Run("reset", s.followsReset)
		t.Run("updates", s.updates)
		t.Run("status", s.status)
		t.Run("rollback", s.rollsBackAlone)
		t.Run("rollback of a run", s.rollsBackARun)
		t.Run("result", s.result)
		t.Run("watch once", s.watchesOnce)
		t.Run("watch by schedule", s.watchesBySchedule)
	})
}

func (s *server) withoutWorker(t *testing.T) {
	t.Run("validate", func(t *testing.T) {
		t.Parallel()
		began := time.Now()
		got := s.run(t, "validate", "-f", specFile)
		require.Equal(t, exitUnavailable, got.code, got.stderr)
		require.Less(t, time.Since(began), 6*time.Second)
		require.Contains(t, got.stderr, `no worker polls task queue "swapgate"`)
		require.Contains(t, got.stderr, `no worker polls task queue "swapgate-load"`)
		require.Contains(t, got.stderr, "swapgate-worker --role control,load")
	})
	_, err := s.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: swap.ValidateWorkflowID("orphan"), TaskQueue: swap.QueueControl,
	}, swap.WorkflowValidateSwap, swap.Request{Spec: swap.Spec{Target: "orphan"}, Labels: map[string]string{doLabel: "pass"}})
	require.NoError(t, err)
	t.Run("status", func(t *testing.T) {
		t.Parallel()
		got := s.run(t, "status", "orphan", "-o", "json")
		require.Equal(t, exitUnavailable, got.code, got.stderr)
		var u unanswered
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &u))
		require.Equal(t, "swap-orphan", u.WorkflowID)
		require.Len(t, u.Problems, 1)
		require.Contains(t, u.Problems[0], `no worker polls task queue "swapgate"`)
	})
	t.Run("abort", func(t *testing.T) {
		t.Parallel()
		got := s.run(t, "abort", "orphan")
		require.Equal(t, exitUnavailable, got.code, got.stderr)
		require.Contains(t, got.stderr, "swap-orphan does not answer: no worker polls")
	})
	t.Run("rollback", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		got := swapgate(ctx, s.env, "rollback", "stranded", "-f", spec(t, "stranded"))
		require.Equal(t, exitDetached, got.code, got.stderr)
		require.Contains(t, got.stderr, `! no worker polls task queue "swapgate"`)
		require.NotContains(t, got.stderr, "swapgate-load", "a rollback needs no load worker")
	})
	t.Run("namespace", func(t *testing.T) {
		t.Parallel()
		got := swapgate(t.Context(), append(s.env, "TEMPORAL_NAMESPACE=nope"), "status", "chat")
		require.Equal(t, exitUnavailable, got.code, got.stderr)
		require.Contains(t, got.stderr, `has no namespace "nope"`)
	})
	t.Run("search attributes", func(t *testing.T) {
		require.Contains(t, s.run(t, "validate", "-f", specFile, "--wait-for-worker", "1ms").stderr, "swapgate search-attributes register")
		before := s.run(t, "search-attributes", "list")
		require.Equal(t, exitPass, before.code, before.stderr)
		require.Regexp(t, `SwapTarget +Keyword +missing`, before.stdout)
		require.Regexp(t, `^registered SwapTarget, .*SwapRequestedBy\n$`, s.run(t, "search-attributes", "register").stdout)
		require.Equal(t, "nothing to do: all are registered\n", s.run(t, "search-attributes", "register").stdout)
		after := s.run(t, "search-attributes", "list", "-o", "json")
		require.NotContains(t, after.stdout, `"registered": false`)
	})
}

func (s *server) verdicts(t *testing.T) {
	t.Parallel()
	file, dir := spec(t, "verdicts"), t.TempDir()
	for _, d := range []swap.Decision{swap.Pass, swap.Fail, swap.Inconclusive, swap.Aborted} {
		written := filepath.Join(dir, string(d)+".json")
		got := s.run(t, "validate", "-f", file, "--label", "do="+string(d), "-o", "json",
			"--write", "json="+written, "--write", "junit="+filepath.Join(dir, string(d)+".xml"))
		require.Equal(t, verdictCode(d), got.code, got.stderr)
		require.NotContains(t, got.stderr, "swapgate:", "a verdict is no error")
		var v swap.Verdict
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &v))
		require.Equal(t, d, v.Verdict)
		require.Equal(t, "ada", v.Provenance.RequestedBy)
		require.Equal(t, map[string]string{"do": string(d)}, v.Provenance.Labels)
		onDisk, err := os.ReadFile(written)
		require.NoError(t, err)
		require.Equal(t, got.stdout, string(onDisk))
		require.FileExists(t, filepath.Join(dir, string(d)+".xml"))
	}
	s.checkStart(t, "verdicts")
}

// checkStart looks at what a start left for the Temporal UI.
func (s *server) checkStart(t *testing.T, target string) {
	t.Helper()
	d, err := s.client.DescribeWorkflow(t.Context(), swap.ValidateWorkflowID(target), "")
	require.NoError(t, err)
	summary, err := d.GetStaticSummary()
	require.NoError(t, err)
	require.Equal(t, "llama-3-8b → llama-3.1-8b on "+target, summary)
	details, err := d.GetStaticDetails()
	require.NoError(t, err)
	require.Contains(t, details, "| requested by | ada |")
	require.Equal(t, 5, d.TypedSearchAttributes.Size()-untypedSystemAttributes(d))
	require.Zero(t, d.RawResponse.GetExecutionConfig().GetWorkflowRunTimeout().AsDuration())
	require.Zero(t, d.RawResponse.GetExecutionConfig().GetWorkflowExecutionTimeout().AsDuration())
}

// untypedSystemAttributes counts the attributes that the server itself adds, such as BuildIds.
func untypedSystemAttributes(d *client.WorkflowExecutionDescription) int {
	n := 0
	for k := range d.TypedSearchAttributes.GetUntypedValues() {
		if !strings.HasPrefix(k.GetName(), "Swap") {
			n++
		}
	}
	return n
}

func (s *server) failed(t *testing.T) {
	t.Parallel()
	got := s.run(t, "validate", "-f", spec(t, "broken"), "--label", "do=break", "-o", "json")
	require.Equal(t, exitNoVerdict, got.code, got.stderr)
	var v swap.Verdict
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &v))
	require.Equal(t, swap.Errored, v.Verdict)
	require.Equal(t, "EngineUnreachable: connection refused 5/5 times", v.Summary)
	require.NotEmpty(t, v.Provenance.RunID)

	got = s.run(t, "validate", "-f", spec(t, "errored"), "--label", "do=error", "-o", "json")
	require.Equal(t, exitNoVerdict, got.code, got.stderr)
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &v))
	require.Equal(t, "as told", v.Summary, "the verdict in the failure's details is handed on")
}

func (s *server) oneAtATime(t *testing.T) {
	t.Parallel()
	file := spec(t, "busy")
	first := s.start(t, "validate", "-f", file, "--label", "do=wait")
	first.says(t, "load: running")

	second := s.run(t, "validate", "-f", file)
	require.Equal(t, exitUsage, second.code, second.stderr)
	require.Contains(t, second.stderr, "busy is being validated already: candidate llama-3.1-8b, run ")
	require.Contains(t, second.stderr, "by ada")
	require.Contains(t, second.stderr, "--join")

	joined := s.start(t, "validate", "-f", file, "--join")
	joined.says(t, "joined the running validation")
	require.Equal(t, "Stopping, asked by ada: enough\n", s.run(t, "abort", "busy", "--reason", "enough").stdout)
	require.Equal(t, exitAborted, first.end(t).code)
	require.Equal(t, exitAborted, joined.end(t).code)
}

func (s *server) joinsOnlyTheSameSpec(t *testing.T) {
	t.Parallel()
	file := spec(t, "other")
	require.Equal(t, exitPass, s.run(t, "validate", "-f", file, "--label", "do=wait", "--detach").code)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.Replace(b, []byte("llama-3.1-8b"), []byte("llama-3.2-8b"), 1), 0o600))
	got := s.run(t, "validate", "-f", file, "--join")
	require.Equal(t, exitUsage, got.code, got.stderr)
	require.Contains(t, got.stderr, "cannot join a validation of another specification")
	require.Contains(t, got.stderr, "candidate llama-3.1-8b")
	require.Equal(t, exitPass, s.run(t, "abort", "other").code)
}

func (s *server) detach(t *testing.T) {
	t.Parallel()
	got := s.run(t, "validate", "-f", spec(t, "detached"), "--label", "do=pass", "--detach", "-o", "json")
	require.Equal(t, exitPass, got.code, got.stderr)
	var ids started
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &ids))
	require.Equal(t, "swap-detached", ids.WorkflowID)
	require.Equal(t, exitPass, s.run(t, "result", "detached", "--run-id", ids.RunID, "--follow").code)
	odd := s.run(t, "result", "detached", "--run-id", "last")
	require.Equal(t, exitUsage, odd.code)
	require.Contains(t, odd.stderr, "cannot look for workflow swap-detached with run id last")
}

func (s *server) interrupt(t *testing.T) {
	t.Parallel()
	b := s.start(t, "validate", "-f", spec(t, "interrupted"), "--label", "do=wait")
	b.says(t, "load: running")
	b.cancel()
	got := b.end(t)
	require.Equal(t, exitDetached, got.code)
	require.Contains(t, got.stderr, "swapgate result interrupted --follow")
	require.Contains(t, got.stderr, "swapgate abort interrupted")
	require.Equal(t, exitPass, s.run(t, "status", "interrupted").code, "the run goes on")
	require.Equal(t, exitPass, s.run(t, "abort", "interrupted").code)
}

func (s *server) timeout(t *testing.T) {
	t.Parallel()
	got := s.run(t, "validate", "-f", spec(t, "slow"), "--label", "do=wait", "--timeout", "200ms")
	require.Equal(t, exitNoVerdict, got.code)
	require.Contains(t, got.stderr, "the time given by --timeout is over")
	require.Contains(t, got.stderr, "swapgate result slow --follow")
	require.Equal(t, exitPass, s.run(t, "abort", "slow").code)
}

func (s *server) terminated(t *testing.T) {
	t.Parallel()
	b := s.start(t, "validate", "-f", spec(t, "killed"), "--label", "do=wait")
	b.says(t, "load: running")
	require.NoError(t, s.client.TerminateWorkflow(t.Context(), "swap-killed", "", "test"))
	got := b.end(t)
	require.Equal(t, exitNoVerdict, got.code, got.stderr)
	require.Contains(t, got.stdout, "swapgate rollback killed")
}

func (s *server) cancelled(t *testing.T) {
	t.Parallel()
	b := s.start(t, "validate", "-f", spec(t, "cancelled"), "--label", "do=wait")
	b.says(t, "load: running")
	require.NoError(t, s.client.CancelWorkflow(t.Context(), "swap-cancelled", ""))
	require.Equal(t, exitAborted, b.end(t).code)
}

func (s *server) followsReset(t *testing.T) {
	t.Parallel()
	b := s.start(t, "validate", "-f", spec(t, "reset"), "--label", "do=wait")
	b.says(t, "load: running")
	d, err := s.client.DescribeWorkflow(t.Context(), "swap-reset", "")
	require.NoError(t, err)
	_, err = s.client.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace:                 "default",
		WorkflowExecution:         &common.WorkflowExecution{WorkflowId: "swap-reset", RunId: d.WorkflowExecution.RunID},
		Reason:                    "test",
		RequestId:                 "reset",
		WorkflowTaskFinishEventId: firstTaskCompleted(t, s.client, "swap-reset"),
	})
	require.NoError(t, err)
	require.Equal(t, exitPass, s.run(t, "abort", "reset").code)
	require.Equal(t, exitAborted, b.end(t).code, "the verdict is that of the run after the reset")
}

func firstTaskCompleted(t *testing.T, c client.Client, workflowID string) int64 {
	t.Helper()
	events := c.GetWorkflowHistory(t.Context(), workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		require.NoError(t, err)
		if e.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			return e.GetEventId()
		}
	}
	require.FailNow(t, "no completed workflow task")
	return 0
}

func (s *server) updates(t *testing.T) {
	t.Parallel()
	require.Equal(t, exitPass, s.run(t, "validate", "-f", spec(t, "asked"), "--label", "do=wait", "--detach").code)
	refused := s.run(t, "approve", "asked")
	require.Equal(t, exitUsage, refused.code, refused.stderr)
	require.Contains(t, refused.stderr, "approve was refused: nothing to approve: the run is in stage load")
	require.Equal(t, "Stopping, asked by bob: x\n", s.run(t, "abort", "asked", "--by", "bob", "--reason", "x").stdout)

	require.Equal(t, exitAborted, s.run(t, "result", "asked", "--follow").code)
	closed := s.run(t, "abort", "asked", "--by", "eve")
	require.Equal(t, exitUsage, closed.code, closed.stderr)
	require.Contains(t, closed.stderr, "swap-asked is not running: it completed")
	require.Equal(t, exitUsage, s.run(t, "approve", "nobody").code)
}

func (s *server) status(t *testing.T) {
	t.Parallel()
	require.Equal(t, exitPass, s.run(t, "validate", "-f", spec(t, "watched"), "--label", "do=wait", "--detach").code)
	got := s.run(t, "status", "watched", "-o", "json")
	require.Equal(t, exitPass, got.code, got.stderr)
	var st swap.Status
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &st))
	require.Equal(t, swap.StageLoad, st.Stage)
	require.Contains(t, s.run(t, "status", "watched").stdout, "▸ load")

	missing := s.run(t, "status", "nobody")
	require.Equal(t, exitUsage, missing.code)
	require.Contains(t, missing.stderr, `namespace "default" has no workflow swap-nobody`)
	require.Equal(t, exitPass, s.run(t, "abort", "watched").code)
}

func (s *server) rollsBackAlone(t *testing.T) {
	t.Parallel()
	got := s.run(t, "rollback", "gone", "-f", spec(t, "gone"), "--reason", "terminated")
	require.Equal(t, exitPass, got.code, got.stderr)
	require.Equal(t, "gone: baseline 100 %, candidate 0 %, read back from the gateway\n", got.stdout)

	got = s.run(t, "rollback", "gone", "--store-endpoint", "x:1", "--store-bucket", "runs", "-o", "json", "--snapshot", "s3://runs/k")
	require.Equal(t, exitPass, got.code, got.stderr)
	require.JSONEq(t, `{"target":"gone","weights":{"baseline":100,"candidate":0}}`, got.stdout)

	got = s.run(t, "rollback", "gone", "--store-endpoint", "x:1", "--store-bucket", "nope")
	require.Equal(t, exitNoVerdict, got.code, got.stderr)
	require.Contains(t, got.stderr, "no bucket nope")

	require.Equal(t, exitUsage, s.run(t, "rollback", "gone").code, "no store")
	require.Equal(t, exitUsage, s.run(t, "rollback", "gone", "-f", specFile).code, "the store of another target")
}

func (s *server) rollsBackARun(t *testing.T) {
	t.Parallel()
	b := s.start(t, "validate", "-f", spec(t, "live"), "--label", "do=wait")
	b.says(t, "load: running")
	refused := s.run(t, "rollback", "live", "--snapshot", "s3://runs/k")
	require.Equal(t, exitUsage, refused.code, refused.stderr)

	got := s.run(t, "rollback", "live", "--reason", "garbled")
	require.Equal(t, exitPass, got.code, got.stderr)
	require.Contains(t, got.stderr, "Stopping, asked by ada: garbled")
	require.Equal(t, "live: baseline 100 %, candidate 0 %, read back from the gateway\n", got.stdout)
	require.Equal(t, exitAborted, b.end(t).code)
}

func (s *server) result(t *testing.T) {
	t.Parallel()
	file := spec(t, "again")
	require.Equal(t, exitFail, s.run(t, "validate", "-f", file, "--label", "do=fail").code)
	require.Equal(t, exitFail, s.run(t, "result", "again").code)
	require.Equal(t, exitPass, s.run(t, "validate", "-f", file, "--label", "do=wait", "--detach").code, "a closed run frees the target")
	running := s.run(t, "result", "again")
	require.Equal(t, exitNoVerdict, running.code)
	require.Contains(t, running.stderr, "swapgate result again --follow")
	require.Equal(t, exitPass, s.run(t, "abort", "again").code)
	require.Equal(t, exitAborted, s.run(t, "result", "again", "--follow").code)
	require.Equal(t, exitUsage, s.run(t, "result", "never").code)
}
