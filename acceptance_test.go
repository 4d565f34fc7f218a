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

// TestDemoVerdicts runs the built command the way a person does and holds it to the truth that the simulator knows.
func TestDemoVerdicts(t *testing.T) {
	for _, c := range []struct {
		scenario string
		verdicts map[swap.Decision]int
	}{
		{"good", map[swap.Decision]int{swap.Pass: 0}},
		{"slow-decode", map[swap.Decision]int{swap.Fail: 1, swap.Inconclusive: 2}},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			v, code := demo(t, c.scenario)
			want, ok := c.verdicts[v.Verdict]
			require.True(t, ok, "verdict %s: %s", v.Verdict, v.Summary)
			require.Equal(t, want, code, "the exit code says what the verdict says")
			requireSound(t, v)
		})
	}
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
