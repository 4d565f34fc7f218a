package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestPreflightRules(t *testing.T) {
	tokens := []swap.Gate{{Metric: swap.MetricTTFT, Stat: swap.StatP95}, {Metric: swap.MetricThroughput, Stat: swap.StatRate}}
	ttft := tokens[:1]
	well := func(length float64) swap.ArmFacts {
		return swap.ArmFacts{Engine: "vllm", MaxModelLen: swap.Of(length), UsageInStream: true}
	}
	mute := swap.ArmFacts{Engine: "vllm"}
	allCandidate := swap.Weights{Candidate: 100}
	const stop = swap.Blocking
	for name, c := range map[string]struct {
		api     swap.API
		gates   []swap.Gate
		b, c    swap.ArmFacts
		weights *swap.Weights
		// The findings: how grave each is, on what, and a part of what the first says.
		severities []swap.Severity
		subjects   []string
		says       string
	}{
		"well":                                {gates: tokens, b: well(100), c: well(100), weights: &swap.AllBaseline},
		"no route":                            {gates: tokens, b: well(100), c: well(100)},
		"unknown context":                     {gates: ttft, b: mute, c: mute},
		"usage without need":                  {gates: ttft, b: mute, c: well(10)},
		"longer candidate":                    {gates: ttft, b: well(10), c: well(20)},
		"unknown on one side":                 {gates: ttft, b: well(10), c: mute},
		"images are counted by what is asked": {api: swap.APIImages, gates: tokens[1:], b: mute, c: mute},
		"speech is counted by what is asked":  {api: swap.APISpeech, gates: tokens[1:], b: mute, c: mute},
		"transcriptions are counted by what is asked": {api: swap.APITranscriptions, gates: tokens[1:], b: mute, c: mute},
		"no gates, no usage":                          {b: mute, c: mute},
		"no usage on either": {
			gates: tokens, b: mute, c: mute,
			severities: []swap.Severity{stop, stop}, subjects: []string{"baseline", "candidate"}, says: "throughput",
		},
		"candidate live": {
			gates: ttft, b: mute, c: mute, weights: &allCandidate,
			severities: []swap.Severity{stop}, subjects: []string{"route"}, says: "100 %",
		},
		"what differs is compared elsewhere": {gates: ttft, b: well(20), c: swap.ArmFacts{Engine: "sglang", MaxModelLen: swap.Of(10)}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := swap.Spec{Gates: c.gates, Workload: swap.Workload{API: c.api}}
			found := preflightFindings(spec, swap.PreflightResult{
				Arms: swap.PerArm[swap.ArmFacts]{Baseline: c.b, Candidate: c.c}, Weights: c.weights,
			})
			require.Len(t, found, len(c.severities), "%+v", found)
			for i, f := range found {
				require.Equal(t, c.severities[i], f.Severity)
				require.Equal(t, c.subjects[i], f.Subject)
				require.Contains(t, f.Message, c.says)
				require.NotEmpty(t, f.Next)
			}
		})
	}
}
