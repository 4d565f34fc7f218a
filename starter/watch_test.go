package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

// watchSpec writes a specification whose baseline tells the fake workflow what to respond.
func watchSpec(t *testing.T, target, response string) string {
	t.Helper()
	path := spec(t, target)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(b), "model: llama-3-8b}")
	written := filepath.Join(t.TempDir(), "swap.yaml")
	require.NoError(t, os.WriteFile(written, bytes.Replace(b, []byte("model: llama-3-8b}"), []byte("model: "+response+"}"), 1), 0o600))
	return written
}

func (s *server) watchesOnce(t *testing.T) {
	t.Parallel()
	for response, code := range map[swap.DriftResponse]int{
		swap.DriftSilent: 0, swap.DriftNotify: 4, swap.DriftFail: 1, swap.DriftBlock: 1, swap.DriftInconclusive: 2,
	} {
		got := s.run(t, "watch", "run", "-f", watchSpec(t, "watched-once", string(response)), "-o", "json")
		require.Equal(t, code, got.code, got.stderr)
		var r swap.WatchResult
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
		require.Equal(t, response, r.Response)
		require.Equal(t, "ada", r.Provenance.RequestedBy)
	}
	broken := s.run(t, "watch", "run", "-f", watchSpec(t, "watched-once", doBreak))
	require.Equal(t, exitNoVerdict, broken.code)
	require.Contains(t, broken.stderr, "break on chat could not be watched: refused")
	status := s.run(t, "watch", "status", "watched-once")
	require.Equal(t, exitPass, status.code, status.stderr)
	require.Contains(t, status.stdout, "watched-once has no schedule\n")
	require.Contains(t, status.stdout, "failed (watch-watched-once)")

	file := watchSpec(t, "watched-long", doWait)
	require.Equal(t, exitPass, s.run(t, "watch", "run", "-f", file, "--detach").code)
	late := s.run(t, "watch", "run", "-f", file, "--timeout", "1s")
	require.Equal(t, exitNoVerdict, late.code, late.stderr)
	require.Contains(t, late.stderr, "a watch of watched-long is running already; following it")
	require.Contains(t, late.stderr, "no response yet")
	require.Contains(t, s.run(t, "watch", "status", "watched-long").stdout, "running: watch-watched-long\n")
	require.NoError(t, s.client.CancelWorkflow(t.Context(), "watch-watched-long", ""))
}

func (s *server) watchesBySchedule(t *testing.T) {
	t.Parallel()
	const target, id = "watched-daily", "watch-watched-daily"
	none := s.run(t, "watch", "status", target)
	require.Equal(t, exitUsage, none.code)
	require.Contains(t, none.stderr, "has no watch of watched-daily")
	require.Equal(t, exitUsage, s.run(t, "watch", "delete", target).code)

	made := s.run(t, "watch", "create", "-f", watchSpec(t, target, "silent"), "-o", "json")
	require.Equal(t, exitPass, made.code, made.stderr)
	require.JSONEq(t, `{"target":"watched-daily","schedule":"watch-watched-daily","created":true}`, made.stdout)
	require.Contains(t, s.run(t, "watch", "status", target).stdout, "watch-watched-daily: every 24h0m0s\n")

	changed := s.run(t, "watch", "create", "-f", watchSpec(t, target, "fail"), "--cron", "0 3 * * 1-5")
	require.Equal(t, exitPass, changed.code, changed.stderr)
	require.Equal(t, "changed schedule watch-watched-daily\n", changed.stdout)

	handle := s.client.ScheduleClient().GetHandle(t.Context(), id)
	d, err := handle.Describe(t.Context())
	require.NoError(t, err)
	require.Empty(t, d.Schedule.Spec.Intervals)
	require.Equal(t, enums.SCHEDULE_OVERLAP_POLICY_SKIP, d.Schedule.Policy.Overlap)
	require.Equal(t, time.Hour, d.Schedule.Policy.CatchupWindow)
	require.NoError(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	var state control.WatchState
	require.Eventually(t, func() bool {
		got := s.run(t, "watch", "status", target, "-o", "json")
		return got.code == exitPass && json.Unmarshal([]byte(got.stdout), &state) == nil && state.Result != nil
	}, 20*time.Second, 100*time.Millisecond)
	require.Equal(t, swap.DriftFail, state.Result.Response)
	require.Equal(t, "cron 0 3 * * 1-5", state.When)
	require.NotEmpty(t, state.Next)
	require.Equal(t, 3, state.Next[0].UTC().Hour())
	require.Contains(t, state.Last.WorkflowID, id+"-")
	require.Contains(t, s.run(t, "watch", "status", target).stdout, "FAIL: as told\n")

	file := watchSpec(t, target, doWait)
	require.Equal(t, exitPass, s.run(t, "watch", "create", "-f", file).code)
	require.NoError(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
	require.Eventually(t, func() bool {
		got := s.run(t, "watch", "status", target, "-o", "json")
		return got.code == exitPass && json.Unmarshal([]byte(got.stdout), &state) == nil && len(state.Running) > 0
	}, 20*time.Second, 100*time.Millisecond)
	refused := s.run(t, "watch", "run", "-f", file)
	require.Equal(t, exitUsage, refused.code, refused.stderr)
	require.Contains(t, refused.stderr, "the schedule has started watch-watched-daily-")
	require.NoError(t, s.client.CancelWorkflow(t.Context(), state.Running[0], ""))

	require.Equal(t, exitPass, s.run(t, "watch", "delete", target).code)
	require.Equal(t, exitUsage, s.run(t, "watch", "delete", target).code, "it is gone")
}

func TestWatchCommandLines(t *testing.T) {
	for name, args := range map[string][]string{
		"no file":            {"watch", "create"},
		"too often":          {"watch", "create", "-f", specFile, "--every", "1s"},
		"both":               {"watch", "create", "-f", specFile, "--every", "1h", "--cron", "0 3 * * *"},
		"unknown format":     {"watch", "run", "-f", specFile, "-o", "yaml"},
		"negative":           {"watch", "run", "-f", specFile, "--timeout", "-1s"},
		"no target":          {"watch", "status"},
		"unknown subcommand": {"watch", "start"},
	} {
		got := swapgate(t.Context(), nil, args...)
		require.Equal(t, exitUsage, got.code, "%s: %s", name, got.stderr)
	}
}

func TestDriftExitCodes(t *testing.T) {
	require.Equal(t, exitNoVerdict, driftCode(""), "no response is no success")
}

func TestFailedWatchSpeaksForItself(t *testing.T) {
	failed := temporal.NewNonRetryableApplicationError("m on chat could not be watched: away", "EngineUnreachable", nil)
	closed := &control.ClosedError{Execution: control.Execution{WorkflowID: "watch-chat", State: control.Failed}, Err: failed}
	require.EqualError(t, watchFailure(closed), "m on chat could not be watched: away")
	closed.Err, closed.Execution.State = errors.New("terminated"), control.Terminated
	require.EqualError(t, watchFailure(closed), "watch-chat terminated")
	other := errors.New("Temporal is away")
	require.Equal(t, other, watchFailure(other))
}

func TestWatchForPeople(t *testing.T) {
	at := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	r := swap.WatchResult{
		Target: "chat", Response: swap.DriftBlock, Summary: "m on chat is much worse.",
		Baseline: &swap.WatchBaselineRef{Version: 2, Measured: at, RunID: "r"},
		Metrics: []swap.DriftMetric{
			{Response: swap.DriftNotify, Message: "ttft_p95 is 3.0 % worse"},
			{Response: swap.DriftBlock, Message: "ttft_p99 is 9.0 % worse"},
			{Response: swap.DriftSilent, Message: "throughput is as it was"},
		},
		Distances: []swap.DriftDistance{{Message: "the distribution of ttft is 0.2 away"}},
		Reasons:   []swap.Reason{{Message: "ttft_p99 is 9.0 % worse."}, {Message: "ttft_p95 is 3.0 % worse."}},
		Findings: []swap.Finding{
			{Severity: swap.Harmless, Subject: "quiet"},
			{Severity: swap.Notable, Subject: "loud", Message: "It hums.", Next: "Look."},
			{Severity: swap.Notable, Subject: "ttft", Message: "It is faster."},
		},
		Blocked: &swap.TargetBlock{Until: at},
	}
	require.Equal(t, `BLOCK: m on chat is much worse.

baseline version 2 of 2026-03-01 03:00:00, run r
- ttft_p99 is 9.0 % worse.
- ttft_p95 is 3.0 % worse.
  silent       throughput is as it was
  distribution the distribution of ttft is 0.2 away
! loud: It hums. → Look.
! ttft: It is faster.
Rollouts of chat are blocked until 2026-03-01T03:00:00Z.
`, watchText(r))
	require.Equal(t, "watch-chat: every 24h0m0s, paused by ada\nno watch has ended yet\n", watchStateText(control.WatchState{
		Target: "chat", Schedule: "watch-chat", When: "every 24h0m0s", Paused: true, Note: "by ada", Next: []time.Time{at},
	}))
}
