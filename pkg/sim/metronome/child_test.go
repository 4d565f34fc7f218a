package metronome

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAChildServesAndTellsTheTruth(t *testing.T) {
	c, err := StartChild(t.Context(), Default())
	require.NoError(t, err)
	_, text := post(t, client(t), c.URL()+"/v1/chat/completions", body(4))
	require.Equal(t, 4, strings.Count(text, " tick"))
	entries, err := c.Truth(t.Context())
	require.NoError(t, err)
	require.Len(t, entries, 1)
	requireBeat(t, entries[0], Default())
	require.NoError(t, c.Stop())
	require.NoError(t, c.Stop(), "stopping again does nothing")
	require.Positive(t, c.PID())
	_, err = c.Truth(t.Context())
	require.ErrorContains(t, err, "read the truth from the metronome")
}

func TestAChildThatForgotIsNotBelieved(t *testing.T) {
	cfg := Default()
	cfg.Keep = 1
	c, err := StartChild(t.Context(), cfg)
	require.NoError(t, err)
	defer c.Stop() //nolint:errcheck // it has nothing left to lose
	for range 2 {
		_, _ = post(t, client(t), c.URL()+"/v1/chat/completions", body(1))
	}
	_, err = c.Truth(t.Context())
	require.ErrorContains(t, err, "no longer kept")
}

func TestAChildThatCannotStartSaysWhy(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	echo, err := exec.LookPath("echo")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		cmd      *exec.Cmd
		settings string
		says     string
	}{
		"not a program":  {exec.CommandContext(t.Context(), "/does/not/exist"), "{}", "no such file"},
		"not our hook":   {exec.CommandContext(t.Context(), echo, "hello"), "{}", "ServeIfChild"},
		"wrong settings": {exec.CommandContext(t.Context(), self), "{", childVariable},
		"no settings":    {exec.CommandContext(t.Context(), self), "{}", "model is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t.Context(), test.cmd, test.settings)
			require.ErrorContains(t, err, test.says)
		})
	}
	_, err = StartChild(t.Context(), Config{})
	require.ErrorContains(t, err, "start the metronome")
}

func TestAStartCanBeCancelled(t *testing.T) {
	sleep, err := exec.LookPath("cat") // it writes nothing, and ends with its input
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("changed my mind"))
	_, err = run(ctx, exec.CommandContext(t.Context(), sleep), "{}")
	require.ErrorContains(t, err, "changed my mind")
}

func TestAChildStartsNoChild(t *testing.T) {
	t.Setenv(childVariable, "{}")
	_, err := StartChild(t.Context(), Default())
	require.ErrorIs(t, err, errNoHook)
}

func TestTheEndOfTheInputEndsAChild(t *testing.T) {
	var out strings.Builder
	require.NoError(t, serveChild(`{"model":"m","interval_ns":1,"keep":1}`, strings.NewReader(""), &out))
	require.Regexp(t, `^http://127\.0\.0\.1:\d+\n$`, out.String())
}

func TestATailKeepsTheEnd(t *testing.T) {
	tail := &tail{}
	require.Equal(t, "it wrote no error", tail.String())
	_, err := tail.Write([]byte(strings.Repeat("x", 5000) + "end"))
	require.NoError(t, err)
	require.Len(t, tail.String(), 2000)
	require.True(t, strings.HasSuffix(tail.String(), "xend"))
}
