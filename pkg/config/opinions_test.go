package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// badOpinions are rules that are asked for what they do not look at, or that can never say anything.
var badOpinions = []badFile{
	{
		name:  "a rule that does not exist",
		added: "judge: {opinions: [{rule: classic_5ptc}, {metric: ttft}]}",
		want: []string{
			"swap.yaml:5:27: judge.opinions[0].rule: must be classic_5pct, classic_3_8, classic_ks_adaptive, classic_cv_r99, classic_hybrid, " +
				`classic_second_diff or error_3x, got "classic_5ptc"; did you mean "classic_5pct"?`,
			"swap.yaml:5:42: judge.opinions[1].rule: is required",
		},
	},
	{
		name: "options of other rules",
		added: "judge: {opinions: [{rule: error_3x, metric: ttft}, {rule: classic_5pct, cv: 0.2}, {rule: classic_ks_adaptive, stat: p99}, " +
			"{rule: classic_second_diff, filter: classic_iqr_p995}]}",
		want: []string{
			"swap.yaml:5:45: judge.opinions[0].metric: does not belong to error_3x; delete it",
			"swap.yaml:5:77: judge.opinions[1].cv: does not belong to classic_5pct; delete it",
			"swap.yaml:5:117: judge.opinions[2].stat: does not belong to classic_ks_adaptive; delete it",
			"swap.yaml:5:159: judge.opinions[3].filter: does not belong to classic_second_diff; delete it",
		},
	},
	{
		name:  "the same twice",
		added: "judge: {opinions: [{rule: classic_5pct}, {rule: classic_5pct, metric: ttft, allow_unreachable: true}]}",
		want: []string{
			"swap.yaml:5:42: judge.opinions[1]: asks classic_5pct the same as opinions[0]; delete one of the two",
		},
	},
	{
		name: "a latency that answers in one piece do not have",
		added: `workload: {api: images}
judge: {opinions: [{rule: classic_5pct}, {rule: classic_3_8, metric: e2e}]}`,
		want: []string{
			"swap.yaml:6:20: judge.opinions[0].metric: ttft has no meaning for api images, whose answers come whole; use e2e (left out, so the " +
				"default applies)",
		},
	},
	{
		name:  "a level that needs more blocks",
		added: "judge: {opinions: [{rule: classic_hybrid}]}",
		want: []string{
			"swap.yaml:5:20: judge.opinions[0]: classic_hybrid can never fire here: its level needs 30 blocks of one step, both arms together, " +
				"and the longest step has 8: hold a step for 15 blocks, or use shorter ones; or write allow_unreachable: true",
		},
	},
	{
		name: "nothing to compare within a window or over levels",
		added: `load: {block: 150s, steps: [{concurrency: 4, hold: 30m}, {concurrency: 8, hold: 30m}]}
judge: {opinions: [{rule: classic_cv_r99}, {rule: classic_second_diff}]}`,
		want: []string{
			"swap.yaml:6:20: judge.opinions[0]: classic_cv_r99 can never fire here: it compares the P99 of 2 blocks or more of one step within " +
				"windows of 30 to 290 s, and a step has 12 blocks of 150 s on each arm: use shorter blocks; or write allow_unreachable: true",
			"swap.yaml:6:44: judge.opinions[1]: classic_second_diff can never fire here: a second difference needs 3 load steps that differ in " +
				"their level only, and the load has 2: add steps; or write allow_unreachable: true",
		},
	},
	{
		name: "a step below the first window",
		added: `load: {block: 2s, settle: 1s, steps: [{concurrency: 4, hold: 12s}, {concurrency: 8, hold: 12s}]}
judge: {opinions: [{rule: classic_cv_r99}, {rule: classic_cv_r99, metric: e2e, allow_unreachable: true}]}`,
		want: []string{
			"swap.yaml:6:20: judge.opinions[0]: classic_cv_r99 can never fire here: it compares the P99 of 2 blocks or more of one step within " +
				"windows of 30 to 290 s, and a step has 6 blocks of 2 s on each arm: use a longer hold; or write allow_unreachable: true",
		},
	},
}

func TestOpinionsAreFilledIn(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+`judge:
  opinions:
    - {rule: classic_5pct}
    - {rule: classic_3_8, metric: e2e, stat: mean, filter: classic_iqr_p995}
    - {rule: classic_ks_adaptive}
    - {rule: classic_cv_r99}
    - {rule: classic_hybrid, allow_unreachable: true}
    - {rule: classic_second_diff}
    - {rule: error_3x}
`), nil)
	require.NoError(t, err)
	require.Equal(t, []swap.OpinionRule{
		{Rule: swap.RuleFivePercent, Metric: swap.MetricTTFT, Stat: swap.StatP99},
		{Rule: swap.RuleThreeEight, Metric: swap.MetricE2E, Stat: swap.StatMean, Filter: swap.RuleIQRFilter},
		{Rule: swap.RuleKSAdaptive, Metric: swap.MetricTTFT},
		{Rule: swap.RuleCVR99, Metric: swap.MetricTTFT, CV: .15},
		{Rule: swap.RuleHybrid, Metric: swap.MetricTTFT, Stat: swap.StatP99, AllowUnreachable: true},
		{Rule: swap.RuleSecondDiff},
		{Rule: swap.RuleErrors3x},
	}, spec.Judge.Opinions)
	requireRoundTrip(t, spec)
}

func TestWarnsOfOpinionsThatFireOnNoise(t *testing.T) {
	warnings := func(load, opinion string) []PlanWarning {
		spec, err := Parse("swap.yaml", []byte(minimal+"load: "+load+"\njudge: {opinions: ["+opinion+"]}\n"), nil)
		require.NoError(t, err)
		e := Estimate(spec)
		for _, w := range e.Warnings {
			require.Contains(t, e.String(), "\nwarning: judge.opinions[0]: "+w.Message)
		}
		return e.Warnings
	}
	slow, fast := "{steps: [{rate: 4, hold: 12m30s}]}", "{steps: [{rate: 90, hold: 12m30s}]}"
	require.Equal(t, []PlanWarning{{
		Field: "judge.opinions[0]",
		Message: "classic_5pct fires on noise: with about 3000 requests per arm the change of p99 has a standard error of 4.82 % or more, and " +
			"it blocks in 15.6 % of runs with equal arms",
	}}, warnings(slow, "{rule: classic_5pct}"))
	require.Empty(t, warnings(fast, "{rule: classic_5pct}"))
	require.Len(t, warnings(slow, "{rule: classic_cv_r99}"), 1)
	require.Empty(t, warnings(fast, "{rule: classic_cv_r99}"))
	require.Empty(t, warnings("{steps: [{concurrency: 4, hold: 10m}]}", "{rule: classic_3_8}"), "how many requests there will be is not known")
	for _, always := range []string{"classic_ks_adaptive", "classic_hybrid", "error_3x"} {
		require.Len(t, warnings(fast, "{rule: "+always+"}"), 1, always)
	}
	extended := "{steps: [{concurrency: 4, hold: 5m}], extend: {max_hold: 10m}}"
	require.Len(t, warnings(extended, "{rule: classic_hybrid}"), 1, "a step that may be prolonged far enough")
}
