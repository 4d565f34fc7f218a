//go:build acceptance

package swapgate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// demoTimeout bounds one whole demo: Temporal, S3, the simulated servers, load, verdict.
const demoTimeout = 8 * time.Minute

// demoTries is how often a demo is run that decides nothing because this machine disturbs its load client.
const demoTries = 3

// TestDemoVerdicts runs the built command the way a person does and holds it to the truth that the simulator knows.
func TestDemoVerdicts(t *testing.T) {
	for _, c := range []struct {
		scenario string
		verdict  swap.Decision
		code     int
	}{
		{"good", swap.Pass, 0},
		{"slow-decode", swap.Fail, 1},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			v, code := decidedDemo(t, c.scenario)
			require.Equal(t, c.verdict, v.Verdict, v.Summary)
			require.Equal(t, c.code, code, "the exit code says what the verdict says")
		})
	}
}

// decidedDemo runs a demo until its load client could be believed. Every verdict on the way must be sound.
func decidedDemo(t *testing.T, swapName string) (v swap.Verdict, code int) {
	t.Helper()
	for range demoTries {
		v, code = demo(t, swapName)
		requireSound(t, v)
		if v.Verdict != swap.Inconclusive {
			return v, code
		}
		require.Equal(t, 2, code, "the exit code of inconclusive")
		t.Logf("not decided: %s", v.Summary)
	}
	return v, code
}

// demo returns the verdict document on standard output and the exit code.
func demo(t *testing.T, swapName string) (swap.Verdict, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), demoTimeout)
	defer cancel()
	var stdout bytes.Buffer
	cmd := exec.CommandContext(ctx, "bin/swapgate", "demo", "--swap", swapName, "--output", "json", "--no-ui", "--dir", t.TempDir())
	cmd.Stdout, cmd.Stderr = &stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "run make build first")
	}
	require.NoError(t, ctx.Err(), "the demo did not end in %s", demoTimeout)

	var v swap.Verdict
	dec := json.NewDecoder(&stdout)
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&v), "standard output holds the verdict and nothing else")
	require.False(t, dec.More(), "one document")
	return v, cmd.ProcessState.ExitCode()
}

// requireSound checks what holds for every verdict, whatever it says.
func requireSound(t *testing.T, v swap.Verdict) {
	t.Helper()
	require.Equal(t, swap.VerdictSchemaVersion, v.SchemaVersion)
	require.NotEmpty(t, v.Summary)
	require.NotEmpty(t, v.Gates)
	require.NotEmpty(t, v.Steps)
	require.NotEmpty(t, v.Provenance.RunID)
	require.NotNil(t, v.Artifacts.Report)
	for _, s := range v.Steps {
		for _, arm := range swap.Arms {
			require.Equal(t, s.Planned.Get(arm), s.Outcomes.Get(arm).Total(), "step %d, %s: planned is the sum of outcomes", s.Step, arm)
		}
	}
	require.NotEmpty(t, v.Telemetry)
	for _, result := range v.Telemetry {
		for _, source := range result.Sources {
			require.Positive(t, source.Samples, "telemetry of %s: %s", source.Source, source.LastError)
			require.Zero(t, source.Errors, "telemetry of %s: %s", source.Source, source.LastError)
		}
	}
	if v.FinalWeights != nil && v.Verdict != swap.Pass {
		require.Equal(t, swap.AllBaseline, *v.FinalWeights, "no traffic stays on a candidate that did not pass")
	}
}
