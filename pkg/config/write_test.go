package config

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

// requireRoundTrip checks that the written form of a resolved specification gives the same one.
func requireRoundTrip(t require.TestingT, spec swap.Spec) {
	written, err := YAML(spec)
	require.NoError(t, err)
	again, err := Parse("written.yaml", written, nil)
	require.NoError(t, err, string(written))
	if diff := cmp.Diff(spec, again); diff != "" {
		require.Fail(t, "the written form means something else", "%s\n%s", diff, written)
	}
}

func TestYAMLGoldenFile(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal), nil)
	require.NoError(t, err)
	got, err := YAML(spec)
	require.NoError(t, err)
	golden := filepath.Join("testdata", "minimal.resolved.yaml")
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestYAMLRefusesNumbersThatAreNotFinite(t *testing.T) {
	_, err := YAML(swap.Spec{Workload: swap.Workload{Temperature: math.NaN()}})
	require.Error(t, err)
}

func TestExampleRoundTrip(t *testing.T) {
	spec, err := Load("../../docs/examples/swap.yaml", nil)
	require.NoError(t, err)
	requireRoundTrip(t, spec)
}

func TestEveryValidSpecRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, err := Load("testdata/minimal.resolved.yaml", nil)
		require.NoError(t, err)
		spec.Baseline.Model = rapid.StringMatching(`[^\x00-\x1f]{1,20}`).Draw(t, "model")
		spec.Workload.Seed = rapid.Uint64().Draw(t, "seed")
		spec.Workload.Temperature = rapid.Float64Range(0, 2).Draw(t, "temperature")
		spec.Workload.InputTokens.Sigma = rapid.Float64Range(0, 3).Draw(t, "sigma")
		spec.Workload.IgnoreEOS = rapid.Bool().Draw(t, "ignore_eos")
		*spec.Telemetry.EngineMetrics = rapid.Bool().Draw(t, "engine_metrics")
		spec.Load.Settle = swap.Duration(rapid.Int64Range(0, 149_999).Draw(t, "settle_ms") * 1e6)
		spec.Judge.Level = rapid.Float64Range(0.5, 0.999999).Draw(t, "level")
		spec.Rollout = rapid.Ptr(rapid.Custom(drawRollout), true).Draw(t, "rollout")
		requireRoundTrip(t, spec)
	})
}

func drawRollout(t *rapid.T) swap.Rollout {
	spec := swap.Rollout{
		Route:            swap.Route{Kind: swap.RouteSwapgate, URL: "http://g", AdminURL: "http://g:1"},
		Window:           swap.Duration(rapid.Int64Range(1000, 600_000).Draw(t, "window_ms") * 1e6),
		WindowsPerWeight: rapid.IntRange(1, 9).Draw(t, "windows"),
		MaxExtensions:    rapid.IntRange(0, 9).Draw(t, "extensions"),
		ProbeRate:        rapid.Float64Range(0, 1000).Draw(t, "probe_rate"),
		MinRequests:      rapid.IntRange(1, 1000).Draw(t, "min_requests"),
		Guard:            swap.Guard{ErrorRateRise: 0.5, ErrorMinRequests: 1, LatencyRatio: 1.5, ConsecutiveFailures: 1},
		ApproveTimeout:   3600e9,
	}
	for w := rapid.IntRange(1, 50).Draw(t, "weight"); w < 100; w *= 2 {
		spec.Weights = append(spec.Weights, w)
	}
	if rapid.Bool().Draw(t, "approve") && len(spec.Weights) > 0 {
		spec.ApproveAt = spec.Weights[:1]
	}
	spec.Weights = append(spec.Weights, 100)
	return spec
}

func TestCanonicalForm(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal), nil)
	require.NoError(t, err)
	reordered, err := Parse("swap.yaml", []byte(`
store: {bucket: runs, endpoint: "s3:9000"}   # the same in another order
candidate: {model: new, url: "http://b:8000"}
baseline: {model: old, url: "http://a:8000"}
target: "chat"
load: {block: 30000ms}
`), nil)
	require.NoError(t, err)
	require.Equal(t, string(Canonical(spec)), string(Canonical(reordered)))
	require.Equal(t, SHA256(spec), SHA256(reordered))
	require.Regexp(t, `^[0-9a-f]{64}$`, SHA256(spec))
	require.Contains(t, string(Canonical(spec)), `"request_timeout":"2m0s"`)

	changed := spec
	changed.Workload.Seed++
	require.NotEqual(t, SHA256(spec), SHA256(changed))

	spec.Workload.Seed = math.MaxUint64
	require.Contains(t, string(Canonical(spec)), `"seed":18446744073709551615`)
}
