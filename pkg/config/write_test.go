package config

import (
	"math"
	"os"
	"path/filepath"
	"slices"
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

func TestEveryValidSpecRoundTrips(t *testing.T) {
	resolved, err := Load("testdata/minimal.resolved.yaml", nil)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		spec := resolved
		spec.Baseline.Model = rapid.StringMatching(`[^\x00-\x1f]{1,20}`).Draw(t, "model")
		spec.Workload.Seed = rapid.Uint64().Draw(t, "seed")
		spec.Workload.Temperature = rapid.Float64Range(0, 2).Draw(t, "temperature")
		spec.Workload.InputTokens.Sigma = rapid.Float64Range(0, 3).Draw(t, "sigma")
		spec.Workload.IgnoreEOS = rapid.Bool().Draw(t, "ignore_eos")
		spec.Load.Settle = swap.Duration(rapid.Int64Range(0, 149_999).Draw(t, "settle_ms") * 1e6)
		spec.Judge.Level = rapid.Float64Range(0.5, 0.999999).Draw(t, "level")
		spec.Load.Steps = rapid.SliceOfN(rapid.Custom(drawStep), 4, 8).Draw(t, "steps")
		engineMetrics := slices.ContainsFunc(spec.Load.Steps, fillsKVCache) || rapid.Bool().Draw(t, "engine_metrics")
		spec.Telemetry.EngineMetrics = &engineMetrics
		spec.Load.Extend = rapid.Ptr(rapid.Custom(drawExtend), true).Draw(t, "extend")
		spec.Workload.Topology = rapid.Ptr(rapid.Custom(drawTopology), true).Draw(t, "topology")
		spec.Rollout = rapid.Ptr(rapid.Custom(drawRollout), true).Draw(t, "rollout")
		requireRoundTrip(t, spec)
	})
}

func fillsKVCache(s swap.Step) bool { return s.KVShare > 0 }

// drawStep draws rates that are high enough for every gate, and low enough for the memory of a load worker.
func drawStep(t *rapid.T) swap.Step {
	s := swap.Step{Hold: 120e9, InputTokens: rapid.Ptr(rapid.Custom(drawLengths), true).Draw(t, "input_tokens")}
	switch rapid.IntRange(0, 2).Draw(t, "loop") {
	case 0:
		s.Concurrency = rapid.IntRange(1, 20_000).Draw(t, "concurrency")
		s.ThinkTime = swap.Duration(rapid.Int64Range(0, 3600e9).Draw(t, "think_time"))
	case 1:
		s.KVShare = rapid.Float64Range(1e-9, 2).Draw(t, "kv_share")
	default:
		s.Rate = rapid.Float64Range(30, 100).Draw(t, "rate")
		s.Arrival = rapid.Ptr(rapid.Custom(drawArrival), true).Draw(t, "arrival")
		s.TokenRate = rapid.Ptr(rapid.Custom(drawTokenRate), true).Draw(t, "token_rate")
	}
	return s
}

func drawLengths(t *rapid.T) swap.Lengths {
	median := rapid.IntRange(1, 1_000_000).Draw(t, "median")
	return swap.Lengths{
		Median: median, Sigma: rapid.Float64Range(0, 3).Draw(t, "sigma"),
		Min: rapid.IntRange(1, median).Draw(t, "min"), Max: rapid.IntRange(median, 1_000_000).Draw(t, "max"),
	}
}

func drawArrival(t *rapid.T) swap.Arrival {
	switch rapid.IntRange(0, 2).Draw(t, "process") {
	case 0:
		return swap.Arrival{Process: swap.ArrivalGamma, CV: rapid.Float64Range(0.01, 20).Draw(t, "cv")}
	case 1:
		return swap.Arrival{Process: swap.ArrivalTrace, Trace: &swap.Trace{
			File: rapid.StringMatching(`[^\x00-\x1f]{1,20}`).Draw(t, "file"), Jitter: rapid.Bool().Draw(t, "jitter"),
		}}
	}
	weight := rapid.Float64Range(0.01, 0.99).Draw(t, "weight")
	return swap.Arrival{Process: swap.ArrivalWeibull, Weibull: []swap.WeibullPart{
		{Weight: weight, Shape: rapid.Float64Range(0.1, 20).Draw(t, "shape"), Scale: 1},
		{Weight: 1 - weight, Shape: 1, Scale: rapid.Float64Range(1e-3, 1e6).Draw(t, "scale")},
	}}
}

func drawTokenRate(t *rapid.T) swap.TokenRate {
	return swap.TokenRate{
		Limit: rapid.Float64Range(1, 1e8).Draw(t, "limit"),
		Burst: swap.Duration(rapid.Int64Range(1, 60_000).Draw(t, "burst_ms") * 1e6),
	}
}

func drawExtend(t *rapid.T) swap.Extend {
	e := swap.Extend{Rule: swap.SteadyTrend, MaxHold: swap.Duration(30e9 * rapid.Int64Range(4, 40).Draw(t, "blocks"))}
	if rapid.Bool().Draw(t, "by_cv") {
		e.Rule, e.CV = swap.SteadyCV, rapid.Float64Range(0.01, 1).Draw(t, "limit")
	} else {
		e.Precision = rapid.Float64Range(0.01, 1).Draw(t, "precision")
	}
	return e
}

func drawTopology(t *rapid.T) swap.Topology {
	topology := swap.Topology{
		Shape: rapid.SampledFrom([]swap.Shape{swap.ShapeSession, swap.ShapeStar, swap.ShapeRing}).Draw(t, "shape"),
		Size:  rapid.IntRange(2, 20).Draw(t, "size"),
	}
	if topology.Shape == swap.ShapeSession {
		topology.ThinkTime = swap.Duration(rapid.Int64Range(0, 3600e9).Draw(t, "think_time"))
	}
	return topology
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
	spec.Weights, spec.Decay = append(spec.Weights, 100), swap.Decay{Rule: swap.DecayACI}
	spec.Settle = swap.Duration(rapid.Int64Range(0, 60).Draw(t, "settle") * 1e9)
	spec.Steps = []swap.RolloutStep{}
	if rapid.Bool().Draw(t, "step") {
		spec.Steps = append(spec.Steps, swap.RolloutStep{Weight: 100, MinRequests: rapid.IntRange(1, 99).Draw(t, "step_requests"), MinTime: 60e9})
	}
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
