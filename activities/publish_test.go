package activities

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// verdictOf is a verdict of a run of the site; it says nothing that a test would not find there.
func verdictOf(s *site) swap.Verdict {
	started := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return swap.Verdict{
		SchemaVersion: swap.VerdictSchemaVersion, Verdict: swap.Fail, Summary: "The candidate is slower.",
		Reasons: []swap.Reason{{Code: swap.ReasonGateFailed, Subject: "ttft_p50", Message: "Time to first token rose."}},
		Target:  "chat", Stage: swap.StageCompare, Arms: s.facts(),
		Gates: []swap.GateResult{}, Steps: []swap.StepResult{},
		Provenance: swap.Provenance{WorkflowID: "swap-chat", RunID: testRunID, Started: started, Ended: started.Add(time.Minute)},
	}
}

// measuredVerdict is one with a step and telemetry behind it.
func measuredVerdict(t *testing.T, s *site) swap.Verdict {
	t.Helper()
	v := verdictOf(s)
	c := start[swap.TelemetryResult](t, s, swap.ActivityCaptureTelemetry, swap.CaptureTelemetryInput{Spec: s.spec, Facts: s.facts()})
	v.Steps = append(v.Steps, mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s)))
	c.cancel()
	samples, err := c.wait(t)
	require.NoError(t, err)
	v.Telemetry = append(v.Telemetry, samples)
	return v
}

func TestReportIsInTheStore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := measuredVerdict(t, s)
	in := swap.PublishReportInput{Spec: s.spec, Verdict: v}
	got := mustRun[swap.Artifacts](t, s, swap.ActivityPublishReport, in)
	require.Equal(t, "http://temporal.example/namespaces/default-test-namespace/workflows/default-test-workflow-id/"+testRunID+"/history",
		got.TemporalURL)
	require.Equal(t, "https://reports.example/"+s.spec.Store.Bucket+"/runs/chat/"+testRunID+"/report.html", got.ReportURL)
	store := openStore(t, s.spec.Store)
	page, err := store.GetBytes(t.Context(), *got.Report)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(bytes.TrimSpace(page), []byte("<!")), "%.80s", page)
	for _, said := range []string{"The candidate is slower.", "40 req/s", "<svg", "as planned", "Token error P99", "≥ 99 %", got.TemporalURL} {
		require.Contains(t, string(page), said)
	}
	doc, err := store.GetBytes(t.Context(), *got.Verdict)
	require.NoError(t, err)
	var kept swap.Verdict
	require.NoError(t, json.Unmarshal(doc, &kept))
	require.Equal(t, v.Steps, kept.Steps)
	require.Equal(t, got.Report, kept.Artifacts.Report, "the document links the report")
	for _, secret := range s.secrets(t) {
		require.NotContains(t, string(page), secret)
		require.NotContains(t, string(doc), secret)
	}

	again := mustRun[swap.Artifacts](t, s, swap.ActivityPublishReport, in)
	require.Equal(t, got, again, "publishing again gives the same documents under the same keys")
}

func TestReportOfARunThatGotNowhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Notify = swap.Notify{}
	got := mustRun[swap.Artifacts](t, s, swap.ActivityPublishReport, swap.PublishReportInput{Spec: s.spec, Verdict: verdictOf(s)})
	require.Empty(t, got.ReportURL)
	require.Empty(t, got.TemporalURL)
	_, err := openStore(t, s.spec.Store).GetBytes(t.Context(), *got.Report)
	require.NoError(t, err)
}

func TestReportDoesNotHideLostData(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	v := measuredVerdict(t, s)
	store := openStore(t, s.spec.Store)
	for name, ref := range map[string]swap.ObjectRef{"telemetry": v.Telemetry[0].Samples[0], "step": v.Steps[0].Manifest} {
		key, err := store.KeyOf(ref)
		require.NoError(t, err, name)
		require.NoError(t, store.Delete(t.Context(), key))
		_, err = run[swap.Artifacts](t, s, swap.ActivityPublishReport, swap.PublishReportInput{Spec: s.spec, Verdict: v})
		requireType(t, err, TypeRunCorrupt, false)
	}
}
