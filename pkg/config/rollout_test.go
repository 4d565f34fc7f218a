package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const routed = "route: {kind: swapgate, url: http://g, admin_url: http://g:1}, "

// badRollouts are plans of a rollout that contradict themselves, or can never do what they seem to.
var badRollouts = []badFile{
	{
		name: "steps that are no weights, twice, and too few requests for what they shall see",
		added: "rollout: {" + routed + "weights: [1, 50, 100], " +
			"steps: [{weight: 2}, {weight: 1}, {weight: 1}, {weight: 50, sees: 0.1, min_requests: 9}]}",
		want: []string{
			"swap.yaml:5:114: rollout.steps[0].weight: must be one of rollout.weights (1, 50, 100), got 2",
			"swap.yaml:5:140: rollout.steps[2].weight: 1 is listed twice",
			"swap.yaml:5:182: rollout.steps[3].min_requests: is too few for sees: 0.1 at 50 % needs 9676 requests of the candidate, got 9; " +
				"delete one of the two",
		},
	},
	{
		name:  "a weight that has nothing to compare with",
		added: "rollout: {" + routed + "steps: [{weight: 100, sees: 0.1}]}",
		want: []string{
			"swap.yaml:5:102: rollout.steps[0].sees: says nothing at 100 %: a weight must leave the baseline traffic to compare with; " +
				"write min_requests",
		},
	},
	{
		name:  "classic decay without its units",
		added: "rollout: {" + routed + "decay: {rule: classic_alpha}}",
		want: []string{
			"swap.yaml:5:74: rollout.decay.delta_unit: is required: fraction, percentage_point, relative_percent or basis_point; the rule " +
				"depends on it and does not say it",
			"swap.yaml:5:74: rollout.decay.drop_semantics: is required: cumulative3 (40 % over three windows) or each (40 % in each of three)",
			"swap.yaml:5:74: rollout.decay.error_rise_unit: is required: relative_percent or percentage_point",
		},
	},
	{
		name: "classic decay in fractions",
		added: "rollout: {" + routed + "decay: {rule: classic_alpha, delta_unit: fraction, drop_semantics: cumulative3, " +
			"error_rise_unit: relative_percent}}",
		want: []string{
			"swap.yaml:5:115: rollout.decay.delta_unit: δ as fraction lets α fall by at most 5.94 % over three windows, and the rollback " +
				"asks for more than 40 %: write another delta_unit, or write allow_unreachable: true",
		},
	},
	{
		name: "classic decay in too few windows",
		added: "rollout: {" + routed + "weights: [50, 100], steps: [], decay: {rule: classic_alpha, delta_unit: percentage_point, " +
			"drop_semantics: cumulative3, error_rise_unit: relative_percent}}",
		want: []string{
			"swap.yaml:5:112: rollout.decay: can never ask for a rollback: it compares three windows with the one before, and the rollout has 2; " +
				"write windows_per_weight, or allow_unreachable: true",
		},
	},
	{
		name: "queries that do not tell the arms apart",
		added: "rollout: {" + routed + "prometheus: {url: http://p, arms: {baseline: a, candidate: a}, " +
			"queries: [{name: x, query: up, margin: 5}, {name: x, query: $arm, margin: 0.1}]}}",
		want: []string{
			`swap.yaml:5:108: rollout.prometheus.arms: must tell the arms apart: both are "a"`,
			"swap.yaml:5:164: rollout.prometheus.queries[0].query: must have the placeholder $arm: without it both arms are asked the same",
			"swap.yaml:5:176: rollout.prometheus.queries[0].margin: 5 means 500 %; write 0.05 for 5 %, or unit: absolute",
			"swap.yaml:5:187: rollout.prometheus.queries[1].name: x is listed twice",
		},
	},
	{
		name:  "options of the other rule",
		added: "rollout: {" + routed + "decay: {delta_unit: fraction, start: 0.5}}",
		want: []string{
			"swap.yaml:5:94: rollout.decay.delta_unit: does not belong to aci; delete it",
			"swap.yaml:5:111: rollout.decay.start: does not belong to aci; delete it",
		},
	},
}

func TestAnUnreachableDecayCanBeAllowed(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+"rollout: {"+routed+"decay: {rule: classic_alpha, delta_unit: fraction, "+
		"drop_semantics: each, error_rise_unit: percentage_point, allow_unreachable: true}}\n"), nil)
	require.NoError(t, err)
	require.True(t, spec.Rollout.Decay.AllowUnreachable)
}

func TestPlansSayWhatProbesAloneTakeAndWhatFiresOnNoise(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+"rollout: {"+routed+"steps: [{weight: 1, sees: 1}, {weight: 50, min_requests: 50}], "+
		"decay: {rule: classic_alpha, delta_unit: basis_point, drop_semantics: cumulative3, error_rise_unit: relative_percent}}\n"), nil)
	require.NoError(t, err)
	var said []string
	for _, w := range Estimate(spec).Warnings {
		said = append(said, w.Field+": "+w.Message)
	}
	require.Equal(t, []string{
		"rollout.steps[0]: 93 requests of the candidate are needed at 1 %; the probes alone bring them in about 1h18m, live requests that the " +
			"gateway counts sooner",
		"rollout.decay: classic_alpha rolls back on noise: with 50 requests a window and a conversion of 30 %, noise alone makes α fall by " +
			"more than 40 % within 5 windows of 72 % of rollouts with equal arms",
	}, said)
	spec.Rollout.ProbeRate = 0
	require.Contains(t, Estimate(spec).Warnings[0].Message, "all of them are live requests that the gateway must count")
	spec.Rollout = nil
	require.Empty(t, Estimate(spec).Warnings)
}
