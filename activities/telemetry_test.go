package activities

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// dcgmPage is a page of dcgm-exporter.
const dcgmPage = `# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-1"} 312.5
`

func TestTelemetryEndsByCancelWithWhatItHas(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64 // how far the worker's clock is ahead
	s := newSite(t, func(p *plan) {
		p.deps = func(d *Deps) { d.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) } }
	})
	var scrapes atomic.Int64
	good := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		scrapes.Add(1)
		_, _ = io.WriteString(w, dcgmPage)
	}), nil)
	bad := serve(t, http.NotFoundHandler(), nil)
	s.spec.Telemetry.Sources = []swap.TelemetrySource{
		{Kind: swap.SourceDCGM, URL: good, Arm: swap.Candidate, Required: true},
		{Kind: swap.SourceDCGM, URL: bad},
		{Kind: swap.SourceNVML, Host: "elsewhere"},
	}
	c := start[swap.TelemetryResult](t, s, swap.ActivityCaptureTelemetry, swap.CaptureTelemetryInput{Spec: s.spec, Facts: s.facts()})
	eventually(t, "a few samples", func() bool { return scrapes.Load() > 3 })
	ahead.Store(int64(2 * partAge))
	store := openStore(t, s.spec.Store)
	prefix := runstore.TelemetryPrefix(swap.RunKey{Target: "chat", RunID: testRunID})
	eventually(t, "a part that has become old is written", func() bool {
		parts, err := store.List(t.Context(), prefix)
		return err == nil && len(parts) == 1
	})
	before := scrapes.Load()
	eventually(t, "more samples", func() bool { return scrapes.Load() > before+1 })
	c.cancel()
	got, err := c.wait(t)
	require.NoError(t, err, "the cancel is how it ends, and its samples count")

	require.Len(t, got.Samples, 2, "what was buffered at the end is a part too")
	rows := map[string]int{}
	for _, ref := range got.Samples {
		part, err := runstore.ReadTable[telemetry.Sample](t.Context(), store, ref)
		require.NoError(t, err)
		for _, sample := range part {
			rows[sample.Source]++
		}
	}
	require.Len(t, got.Sources, 4, "both engines, both exporters, and not the GPU host's")
	for _, src := range got.Sources {
		require.Equal(t, src.Samples, rows[src.Source], "what the state counts is in the parts: %s", src.Source)
		if src.Source == "dcgm "+bad {
			require.Zero(t, src.Samples)
			require.Positive(t, src.Errors)
			require.Contains(t, src.LastError, "404")
			continue
		}
		require.Positive(t, src.Samples, src.Source)
		require.Zero(t, src.Errors, src.LastError)
		require.Equal(t, src.Source == "dcgm "+good, src.Required)
	}
}

func TestTelemetryOfNoSourceEndsByCancelToo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	off := false
	s.spec.Telemetry.EngineMetrics = &off
	c := start[swap.TelemetryResult](t, s, swap.ActivityCaptureTelemetry, swap.CaptureTelemetryInput{Spec: s.spec, Facts: s.facts()})
	c.cancel()
	got, err := c.wait(t)
	require.NoError(t, err)
	require.Empty(t, got.Samples)
	require.Empty(t, got.Sources)
}

func TestTelemetrySurvivesAStoreThatIsDownForAWhile(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	tape := &tape{
		store: openStore(t, swap.Store{Endpoint: goneURL(), Bucket: "nowhere", AccessKey: secretFile(t, "a"), SecretKey: secretFile(t, "b")}),
		run:   swap.RunKey{Target: "chat", RunID: testRunID}, attempt: "a1", now: func() time.Time { return now },
	}
	require.NoError(t, tape.add([]telemetry.Sample{{Source: "s"}}))
	require.NoError(t, tape.flushIfDue(t.Context()), "not due yet")
	now = now.Add(partAge)
	require.ErrorIs(t, tape.flushIfDue(t.Context()), runstore.ErrUnavailable)
	require.Equal(t, swap.Progress{What: "samples", Done: 1, Pending: 1}, tape.progress(), "what was not written is kept")
}
