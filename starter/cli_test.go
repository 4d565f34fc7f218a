package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

const specFile = "testdata/swap.yaml"

// outcome is what a command line gave.
type outcome struct {
	code   int
	stdout string
	stderr string
}

func swapgate(ctx context.Context, env []string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, bytes.NewReader(nil), &stdout, &stderr, env)
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

// offline is an environment whose Temporal does not exist.
func offline(t *testing.T) []string {
	t.Helper()
	return []string{
		"TEMPORAL_ADDRESS=127.0.0.1:1", "TEMPORAL_NAMESPACE=prod",
		"TEMPORAL_CONFIG_FILE=" + filepath.Join(t.TempDir(), "none.toml"), "USER=ada",
	}
}

func TestCommandLines(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("target: Chat\nbaselin: 3\n"), 0o600))
	cases := []struct {
		args []string
		code int
		// says is part of standard error.
		says string
	}{
		{args: []string{"nonsense"}, code: 64, says: `unknown command "nonsense"`},
		{args: []string{"vailidate"}, code: 64, says: `did you mean "validate"?`},
		{args: []string{"sim", "engin"}, code: 64, says: `did you mean "engine"?`},
		{args: []string{"validate", "--nope"}, code: 64, says: "unknown flag: --nope"},
		{args: []string{"validate"}, code: 64, says: "give it with -f swap.yaml"},
		{args: []string{"validate", "extra"}, code: 64, says: `takes no argument, but got ["extra"]`},
		{args: []string{"validate", "-f", "none.yaml"}, code: 64, says: "none.yaml: does not exist"},
		{args: []string{"validate", "-f", bad}, code: 64, says: `bad.yaml:2:1: unknown field "baselin"; did you mean "baseline"?`},
		{args: []string{"validate", "-f", bad}, code: 64, says: "bad.yaml:1:9: target:"},
		{args: []string{"validate", "-f", specFile, "-o", "xml"}, code: 64, says: "use one of json, junit, markdown, text"},
		{args: []string{"validate", "-f", specFile, "--write", "junit"}, code: 64, says: "want FORMAT=PATH"},
		{args: []string{"validate", "-f", specFile, "--write", "xml=a"}, code: 64, says: `unknown format "xml"`},
		{args: []string{"validate", "-f", specFile, "--write", "junit=no/such/folder.xml"}, code: 64, says: "there is no folder no/such"},
		{args: []string{"validate", "-f", specFile, "--label", "ticket"}, code: 64, says: "want KEY=VALUE"},
		{args: []string{"validate", "-f", specFile}, code: 69, says: `Temporal at 127.0.0.1:1 (namespace "prod") does not answer`},
		{args: []string{"validate", "-f", specFile, "--timeout", "-3s"}, code: 64, says: "--timeout -3s: must not be negative"},
		{args: []string{"validate", "-f", specFile, "--wait-for-worker", "-3s"}, code: 64, says: "--wait-for-worker -3s: must not be negative"},
		{args: []string{"result", "chat", "--timeout", "-3s"}, code: 64, says: "--timeout -3s: must not be negative"},
		{args: []string{"plan"}, code: 64, says: "give it with -f swap.yaml"},
		{args: []string{"status"}, code: 64, says: "takes exactly TARGET, but got []"},
		{args: []string{"status", "chat", "-o", "junit"}, code: 64, says: "use json or text"},
		{args: []string{"status", "chat"}, code: 69, says: "TEMPORAL_ADDRESS"},
		{args: []string{"result"}, code: 64, says: "takes exactly TARGET, but got []"},
		{args: []string{"result", "chat"}, code: 69, says: "does not answer"},
		{args: []string{"approve", "chat"}, code: 69, says: "does not answer"},
		{args: []string{"abort", "chat", "--reason", "x"}, code: 69, says: "does not answer"},
		{args: []string{"extend", "chat"}, code: 69, says: "does not answer"},
		{args: []string{"rollback", "chat", "-o", "xml"}, code: 64, says: "use json or text"},
		{args: []string{"rollback", "chat", "-f", specFile, "--snapshot", "latest"}, code: 64, says: "at least its first 4 digits"},
		{args: []string{"rollback", "chat", "--list"}, code: 64, says: "say where the snapshots are"},
		{args: []string{"rollback", "chat", "--list", "-f", specFile, "-o", "xml"}, code: 64, says: "use json or text"},
		{args: []string{"rollback", "chat", "--reason", "x", "-f", specFile}, code: 69, says: "does not answer"},
		{args: []string{"search-attributes", "list"}, code: 69, says: "does not answer"},
		{args: []string{"search-attributes", "register"}, code: 69, says: "does not answer"},
		{args: []string{"sim", "engine", "--scenario", "nope"}, code: 64, says: `no scenario "nope"`},
		{args: []string{"sim", "engine", "--scenario", "good", "--config", "x"}, code: 64, says: "not both"},
		{args: []string{"sim", "engine", "--fault", "error_rate=2"}, code: 64, says: "error_rate is a fraction"},
		{args: []string{"sim", "engine", "--fault", "nope=2"}, code: 64, says: `unknown field "nope"`},
		{args: []string{"sim", "engine", "--fault", "crash"}, code: 64, says: "want NAME=VALUE"},
		{args: []string{"sim", "engine", "--config", "none.json"}, code: 64, says: "none.json"},
		{args: []string{"sim", "engine", "--listen", "nowhere"}, code: 64, says: "listen for simulated engine"},
		{args: []string{"sim", "gateway"}, code: 64, says: "baseline upstream needs an http or https URL"},
		{args: []string{"demo", "--dir", filepath.Join(bad, "x")}, code: 64, says: "name one that can be written with --dir"},
		{args: []string{"version", "-o", "yaml"}, code: 64, says: "use json or text"},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.args), func(t *testing.T) {
			got := swapgate(t.Context(), offline(t), c.args...)
			require.Equal(t, c.code, got.code, got.stderr)
			require.Contains(t, got.stderr, c.says)
			require.Regexp(t, `(?s)^swapgate: `, got.stderr, "an error is printed once, as such")
			require.Empty(t, got.stdout)
		})
	}
}

func TestBrokenTemporalSettings(t *testing.T) {
	got := swapgate(t.Context(), append(offline(t), "TEMPORAL_PROFILE=nope"), "status", "chat")
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.stderr, "connection settings cannot be read")
}

func TestPlanPrintsDefaultsAndEstimate(t *testing.T) {
	got := swapgate(t.Context(), nil, "plan", "-f", specFile)
	require.Equal(t, exitPass, got.code, got.stderr)
	spec, err := config.Parse("plan", []byte(got.stdout), func(string) (string, bool) { return "", false })
	require.NoError(t, err, "the plan is itself a valid specification")
	require.NotEmpty(t, spec.Gates)
	require.Contains(t, got.stderr, "total: about ")
}

func TestSchemas(t *testing.T) {
	for _, args := range [][]string{{"schema"}, {"schema", "--verdict"}} {
		got := swapgate(t.Context(), nil, args...)
		require.Equal(t, exitPass, got.code, got.stderr)
		require.True(t, json.Valid([]byte(got.stdout)), "%v", args)
	}
	require.NotEqual(t, swapgate(t.Context(), nil, "schema").stdout, swapgate(t.Context(), nil, "schema", "--verdict").stdout)
}

func TestVersion(t *testing.T) {
	got := swapgate(t.Context(), nil, "version", "-o", "json")
	require.Equal(t, exitPass, got.code)
	var b build
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &b))
	require.NotEmpty(t, b.Version)
	require.Regexp(t, `^swapgate .+ \(commit .+, .+, go1\..+\)\n$`, swapgate(t.Context(), nil, "version").stdout)
}

func TestHelpGoesToStandardOutput(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"sim"}, {"validate", "--help"}} {
		got := swapgate(t.Context(), nil, args...)
		require.Equal(t, exitPass, got.code)
		require.Contains(t, got.stdout, "Usage:")
		require.Empty(t, got.stderr)
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, 0},
		{&exitError{code: 3}, 3},
		{&usageError{err: errors.New("x")}, 64},
		{&config.Error{}, 64},
		{&control.RefusedError{}, 64},
		{fmt.Errorf("cannot join: %w", &control.AlreadyRunningError{}), 64},
		{&control.UnreachableError{}, 69},
		{errors.New("anything else"), 70},
	} {
		require.Equal(t, c.code, exitCode(c.err), "%v", c.err)
	}
	for d, code := range map[swap.Decision]int{
		swap.Pass: 0, swap.Fail: 1, swap.Inconclusive: 2, swap.Aborted: 3, swap.Errored: 70, "": 70,
	} {
		require.Equal(t, code, verdictCode(d), "%q", d)
	}
}

func TestInterruptExitsWith130(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := swapgate(ctx, offline(t), "status", "chat")
	require.Equal(t, exitDetached, got.code)
	require.Contains(t, got.stderr, "interrupted")
}

func TestRequestedBy(t *testing.T) {
	a := &app{env: environ{"USER=ada", "GITHUB_ACTOR=octo"}}
	require.Equal(t, "octo", a.requestedBy())
	a.env = environ{"USER=ada"}
	require.Regexp(t, `^ada@.+`, a.requestedBy())
}

func TestEnvironTakesTheLastValue(t *testing.T) {
	e := environ{"A=1", "A=2=3", "EMPTY=", "AB=4"}
	v, ok := e.LookupEnv("A")
	require.True(t, ok)
	require.Equal(t, "2=3", v)
	_, ok = e.LookupEnv("NONE")
	require.False(t, ok)
	require.Equal(t, "4", e.first("EMPTY", "NONE", "AB"))
}
