package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

func TestVerdictOfEveryWayToClose(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	closed := func(s control.State, err error) error {
		return &control.ClosedError{Err: err, Execution: control.Execution{
			WorkflowID: "swap-chat", RunID: "r1", State: s, Started: at, Closed: &at,
		}}
	}
	measured := swap.Verdict{Verdict: swap.Errored, Summary: "measured in part", Target: "chat"}
	cases := map[string]struct {
		err     error
		verdict swap.Decision
		code    string
		says    string
	}{
		"terminated": {
			closed(control.Terminated, errors.New("terminated")), swap.Errored, swap.ReasonCouldNotMeasure,
			"The workflow was terminated, so no rollback ran: put the traffic back with `swapgate rollback chat`.",
		},
		"timed out": {
			closed(control.TimedOut, errors.New("timeout")), swap.Errored, swap.ReasonCouldNotMeasure,
			"The workflow timed out, so no rollback ran: put the traffic back with `swapgate rollback chat`.",
		},
		"cancelled": {
			closed(control.Canceled, temporal.NewCanceledError()), swap.Aborted, swap.ReasonCancelled, "The workflow was cancelled.",
		},
		"failed": {
			closed(control.Failed, temporal.NewApplicationError("refused", "EngineUnreachable")), swap.Errored,
			swap.ReasonCouldNotMeasure, "EngineUnreachable: refused",
		},
		"failed without a type": {
			closed(control.Failed, errors.New("panic")), swap.Errored, swap.ReasonCouldNotMeasure, "panic",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v, err := verdictOf("chat", swap.Verdict{}, c.err)
			require.NoError(t, err)
			require.Equal(t, c.verdict, v.Verdict)
			require.Equal(t, c.says, v.Summary)
			require.Equal(t, []swap.Reason{{Code: c.code, Subject: "swap-chat", Message: c.says}}, v.Reasons)
			require.Equal(t, "r1", v.Provenance.RunID)
			require.Equal(t, at, v.Provenance.Ended)
			for format, write := range verdictFormats {
				b, err := write(v, &console{})
				require.NoError(t, err, format)
				require.NotEmpty(t, b, format)
			}
		})
	}
	t.Run("a verdict in the details", func(t *testing.T) {
		v, err := verdictOf("chat", swap.Verdict{}, closed(control.Failed, wired(temporal.NewApplicationError("x", "y", measured))))
		require.NoError(t, err)
		require.Equal(t, "measured in part", v.Summary)
	})
	t.Run("foreign details", func(t *testing.T) {
		v, err := verdictOf("chat", swap.Verdict{}, closed(control.Failed, wired(temporal.NewApplicationError("x", "y", "a string"))))
		require.NoError(t, err)
		require.Equal(t, "y: x", v.Summary)
	})
	t.Run("Temporal out of reach", func(t *testing.T) {
		_, err := verdictOf("chat", swap.Verdict{}, errDown)
		require.ErrorIs(t, err, error(errDown))
	})
	t.Run("a result", func(t *testing.T) {
		v, err := verdictOf("chat", swap.Verdict{Verdict: swap.Pass}, nil)
		require.NoError(t, err)
		require.Equal(t, swap.Pass, v.Verdict)
	})
}

// wired is an error as a client gets it from the server.
func wired(err error) error {
	c := temporal.GetDefaultFailureConverter()
	return c.FailureToError(c.ErrorToFailure(err))
}

func TestDeliverWritesEveryFormat(t *testing.T) {
	dir := t.TempDir()
	o := verdictOutput{format: formatJSON, writes: []string{
		"json=" + filepath.Join(dir, "a=b.json"), "markdown=" + filepath.Join(dir, "c.md"), "text=" + filepath.Join(dir, "c.txt"),
	}}
	require.NoError(t, o.check())
	var out bytes.Buffer
	require.NoError(t, o.deliver(&out, swap.Verdict{Verdict: swap.Pass, Target: "chat"}))
	require.True(t, json.Valid(out.Bytes()))
	for _, name := range []string{"a=b.json", "c.md", "c.txt"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NotEmpty(t, b)
		require.NotContains(t, string(b), "\x1b", "no colours in a file")
	}
}

func TestAVerdictThatCannotBeHandedOutIsNoPass(t *testing.T) {
	o := verdictOutput{format: formatText, files: []verdictFile{{format: formatJSON, path: t.TempDir()}}}
	err := o.deliver(&bytes.Buffer{}, swap.Verdict{Verdict: swap.Pass, Target: "chat"})
	require.ErrorContains(t, err, "hand out the verdict (pass) of chat")
	require.Equal(t, exitNoVerdict, exitCode(err))
}

func TestLabels(t *testing.T) {
	labels, err := parsePairs("--label", []string{"a=1", "url=http://x/?a=b"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "1", "url": "http://x/?a=b"}, labels)
	_, err = parsePairs("--label", []string{"=1"})
	require.ErrorContains(t, err, "want KEY=VALUE")
}

func TestOnlyATerminalGetsABoard(t *testing.T) {
	c := newConsole(&bytes.Buffer{}, environ{"TERM=xterm"})
	require.Nil(t, c.terminal)
	require.False(t, c.colour)
	width, height := c.size()
	require.Zero(t, width+height)
}

func TestTimeoutIsNoSignal(t *testing.T) {
	ctx, cancel := (&waitFlags{timeout: time.Nanosecond}).context(t.Context())
	defer cancel()
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), errWaitOver)
	require.NoError(t, t.Context().Err())
}
