package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// everyStep uses every field of a load and a topology, with as few values as they need.
const everyStep = `workload: {topology: {shape: session}}
load:
  steps:
    - {concurrency: 8, think_time: 500ms}
    - {kv_share: 0.92, input_tokens: {median: 512}, output_tokens: {median: 64, sigma: 0.2}}
    - {rate: 100, arrival: {process: gamma, cv: 2}, max_in_flight: 64}
    - {rate: 100, ramp: {from: 20}, spike: {rate: 400, for: 5s}, token_rate: {limit: 8500}}
    - {rate: 50, arrival: {process: weibull, weibull: [{weight: 0.75, shape: 0.5, scale: 1}, {weight: 0.25, shape: 2, scale: 8}]}}
    - {rate: 50, arrival: {process: trace, trace: {file: /data/azure.csv}}}
    - {rate: 50, arrival: {}}
  gradient: {}
  shards: 1
  extend: {}
  limits: {achieved_rate: 0.9, ttft_p95: 2s, e2e_p95: 30s, kv_usage: 0.98}
  calibration: {token_error: 0.5ms}
`

func TestDefaultsOfALoadInFull(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+everyStep), nil)
	require.NoError(t, err)
	const second = swap.Duration(1e9)
	want := swap.Load{
		Steps: []swap.Step{
			{Concurrency: 8, ThinkTime: second / 2},
			{
				KVShare:      0.92,
				InputTokens:  &swap.Lengths{Median: 512, Sigma: 0.5, Min: 32, Max: 8192},
				OutputTokens: &swap.Lengths{Median: 64, Sigma: 0.2, Min: 4, Max: 1024},
			},
			{Rate: 100, Arrival: &swap.Arrival{Process: swap.ArrivalGamma, CV: 2}, MaxInFlight: 64},
			{
				Rate: 100, Ramp: &swap.Ramp{From: 20}, Spike: &swap.Spike{Rate: 400, For: 5 * second},
				TokenRate: &swap.TokenRate{Limit: 8500, Burst: second / 5},
			},
			{Rate: 50, Arrival: &swap.Arrival{Process: swap.ArrivalWeibull, Weibull: []swap.WeibullPart{
				{Weight: 0.75, Shape: 0.5, Scale: 1}, {Weight: 0.25, Shape: 2, Scale: 8},
			}}},
			{Rate: 50, Arrival: &swap.Arrival{Process: swap.ArrivalTrace, Trace: &swap.Trace{File: "/data/azure.csv"}}},
			{Rate: 50, Arrival: &swap.Arrival{Process: swap.ArrivalPoisson}},
		},
		Block: 30 * second, Settle: 10 * second, Shards: 1,
		Extend:      &swap.Extend{Rule: swap.SteadyTrend, Precision: 0.15, MaxHold: 600 * second},
		Limits:      swap.Limits{ErrorRate: 0.5, AchievedRate: 0.9, TTFTP95: 2 * second, E2EP95: 30 * second, KVUsage: 0.98},
		Calibration: swap.Calibration{Duration: 2 * second, TokenError: second / 2000},
	}
	for i := range want.Steps {
		want.Steps[i].Hold = 120 * second
	}
	for _, n := range []int{32, 81, 203, 512, 1290, 3251, 8192} {
		want.Steps = append(want.Steps, promptStep(1, n, 150*second))
	}
	require.Empty(t, cmp.Diff(want, spec.Load))
	require.Equal(t, &swap.Topology{Shape: swap.ShapeSession, Size: 4, ThinkTime: second}, spec.Workload.Topology)
	requireRoundTrip(t, spec)
}

func promptStep(concurrency, tokens int, hold swap.Duration) swap.Step {
	return swap.Step{
		Concurrency: concurrency, InputTokens: &swap.Lengths{Median: tokens, Min: tokens, Max: tokens}, Hold: hold,
	}
}

func TestRuleCVHasItsOwnDefault(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+"load: {extend: {rule: cv}}\n"), nil)
	require.NoError(t, err)
	require.Equal(t, &swap.Extend{Rule: swap.SteadyCV, CV: 0.15, MaxHold: 300e9}, spec.Load.Extend)
}

func TestOnlySessionsPause(t *testing.T) {
	for _, shape := range []swap.Shape{swap.ShapeStar, swap.ShapeRing} {
		spec, err := Parse("swap.yaml", []byte(minimal+"workload: {topology: {shape: "+string(shape)+"}}\n"), nil)
		require.NoError(t, err)
		require.Equal(t, &swap.Topology{Shape: shape, Size: 4}, spec.Workload.Topology)
		requireRoundTrip(t, spec)
	}
}

func TestWorkloadsInOtherUnits(t *testing.T) {
	text := swap.Lengths{Median: 256, Sigma: 0.5, Min: 16, Max: 4096}
	gates := []swap.Gate{
		{Metric: "e2e", Stat: "p50", Margin: 0.05, Unit: "relative", Better: "lower"},
		{Metric: "e2e", Stat: "p95", Margin: 0.08, Unit: "relative", Better: "lower"},
		{Metric: "error_rate", Stat: "rate", Margin: 0.005, Unit: "absolute", Better: "lower"},
	}
	for api, want := range map[swap.API]swap.Workload{
		swap.APIImages: {
			InputTokens: swap.Lengths{Median: 24, Min: 1, Max: 384}, Image: &swap.ImageAsk{Width: 1024, Height: 1024},
		},
		swap.APISpeech:         {InputTokens: text},
		swap.APITranscriptions: {AudioSeconds: &swap.Lengths{Median: 10, Min: 1, Max: 160}},
	} {
		t.Run(string(api), func(t *testing.T) {
			spec, err := Parse("swap.yaml", []byte(minimal+"workload: {api: "+string(api)+"}\n"), nil)
			require.NoError(t, err)
			want.API, want.PromptCache, want.Seed, want.RequestTimeout = api, swap.CacheSalted, 1, 120e9
			require.Empty(t, cmp.Diff(want, spec.Workload))
			require.Equal(t, gates, spec.Gates)
			requireRoundTrip(t, spec)
		})
	}
}

func TestOtherEnginesTakeTokenFields(t *testing.T) {
	for _, api := range []swap.API{swap.APICompletions, swap.APITGI, swap.APISGLang, swap.APITriton, swap.APIOllama} {
		spec, err := Parse("swap.yaml", []byte(minimal+"workload: {api: "+string(api)+"}\nload: {gradient: {}}\n"), nil)
		require.NoError(t, err)
		require.Len(t, spec.Gates, 7)
		require.Equal(t, 128, spec.Workload.OutputTokens.Median)
	}
}

func TestDurationsBelowAMillisecondRoundTrip(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+"load: {settle: 0.000001ms, calibration: {send_lateness: 0.25ms}}\n"), nil)
	require.NoError(t, err)
	require.Equal(t, swap.Duration(1), spec.Load.Settle)
	require.Equal(t, swap.Duration(250_000), spec.Load.Calibration.SendLateness)
	requireRoundTrip(t, spec)
}

func TestDefaultsOfAReaction(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+"load: {reaction: {price_per_hour: {candidate: 4}}}"), nil)
	require.NoError(t, err)
	require.Equal(t, &swap.Reaction{
		Scenario: swap.ScenarioFinance, SlopeMSPerToken: 0.8, CostPer1kTokens: 0.012, PricePerHour: &swap.Prices{Candidate: 4},
	}, spec.Load.Reaction)
	requireRoundTrip(t, spec)

	spec, err = Parse("swap.yaml", []byte(minimal+"load: {reaction: {weights: {sensitivity: 0.333, knee: 0.333, cost: 0.334}}}"), nil)
	require.NoError(t, err)
	require.Empty(t, spec.Load.Reaction.Scenario)
	require.Equal(t, &swap.ReactionWeights{Sensitivity: 0.333, Knee: 0.333, Cost: 0.334}, spec.Load.Reaction.Weights)
	requireRoundTrip(t, spec)
}
