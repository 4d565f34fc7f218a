package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestPreflightRules(t *testing.T) {
	tokens := []swap.Gate{{Metric: swap.MetricTTFT, Stat: swap.StatP95}, {Metric: swap.MetricThroughput, Stat: swap.StatRate}}
	ttft := tokens[:1]
	type rig struct {
		gates    []swap.Gate
		longest  int
		b, c     swap.ArmFacts
		weights  *swap.Weights
		severity []swap.Severity
		subjects []string
		says     string
	}
	well := func(length float64) swap.ArmFacts {
		return swap.ArmFacts{Engine: "vllm", MaxModelLen: swap.Of(length), UsageInStream: true}
	}
	mute := swap.ArmFacts{Engine: "vllm"}
	for name, c := range map[string]rig{
		"well":                  {gates: tokens, longest: 100, b: well(100), c: well(100), weights: &swap.AllBaseline},
		"no route":              {gates: tokens, longest: 100, b: well(100), c: well(100)},
		"unknown context":       {gates: ttft, longest: 1e6, b: mute, c: mute},
		"usage without need":    {gates: ttft, longest: 1, b: mute, c: well(10)},
		"longer candidate":      {gates: ttft, longest: 1, b: well(10), c: well(20)},
		"unknown on one side":   {gates: ttft, longest: 1, b: well(10), c: mute},
		"no gates, no usage":    {longest: 1, b: mute, c: mute},
		"baseline too short":    {gates: ttft, longest: 11, b: well(10), c: well(11), severity: blocking(1), subjects: []string{"baseline"}, says: "11"},
		"both too short":        {gates: ttft, longest: 11, b: well(10), c: well(10), severity: blocking(2), subjects: []string{"baseline", "candidate"}},
		"no usage on either":    {gates: tokens, longest: 1, b: mute, c: mute, severity: blocking(2), subjects: []string{"baseline", "candidate"}, says: "throughput"},
		"candidate live":        {gates: ttft, b: mute, c: mute, weights: &swap.Weights{Candidate: 100}, severity: blocking(1), subjects: []string{"route"}, says: "100 %"},
		"other engine":          {gates: ttft, b: mute, c: swap.ArmFacts{Engine: "sglang"}, severity: []swap.Severity{swap.Notable}, subjects: []string{"engines"}, says: "sglang"},
		"shorter but sufficing": {gates: ttft, longest: 5, b: well(20), c: well(10), severity: []swap.Severity{swap.Notable}, subjects: []string{"candidate"}, says: "10 against 20"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := swap.Spec{Gates: c.gates, Workload: swap.Workload{
				InputTokens: swap.Lengths{Max: c.longest - c.longest/2}, OutputTokens: swap.Lengths{Max: c.longest / 2},
			}}
			found := preflightFindings(spec, swap.PreflightResult{
				Arms: swap.PerArm[swap.ArmFacts]{Baseline: c.b, Candidate: c.c}, Weights: c.weights,
			})
			require.Len(t, found, len(c.severity), "%+v", found)
			for i, f := range found {
				require.Equal(t, c.severity[i], f.Severity)
				require.Equal(t, c.subjects[i], f.Subject)
				require.Contains(t, f.Message, c.says)
				require.NotEmpty(t, f.Next)
			}
		})
	}
}

func blocking(n int) []swap.Severity {
	all := make([]swap.Severity, n)
	for i := range all {
		all[i] = swap.Blocking
	}
	return all
}
