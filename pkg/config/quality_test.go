package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestQualityGateHasDefaults(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+"workload: {prompt_file: /p}\ngates: [{metric: quality}]\n"), nil)
	require.NoError(t, err)
	want := swap.Gate{Metric: swap.MetricQuality, Stat: swap.StatMean, Margin: .01, Unit: swap.Absolute, Better: swap.HigherIsBetter}
	want.VS = spec.Gates[0].VS
	require.Equal(t, []swap.Gate{want}, spec.Gates)
}

func TestQualityGateIsChecked(t *testing.T) {
	for gate, want := range map[string]string{
		"{metric: quality, stat: p50}":                "gates[0].stat: must be mean for quality, got \"p50\": scores take few values",
		"{metric: quality, unit: relative}":           "gates[0].unit: must be absolute for quality: a margin of 0.01 is 1 percentage point",
		"{metric: quality, margin: 2}":                "gates[0].margin: 2 means 200 percentage points; write 0.02 for 2",
		"{metric: quality, better: lower}":            "gates[0].better: must be higher or either for quality, got \"lower\"",
		"{metric: quality, vs: slo}":                  "gates[0].limit: is required for quality_mean_slo",
		"{metric: quality, vs: slo, limit: 90}":       "gates[0].limit: 90 means 9000 %; write 0.9 for 90 %",
		"{metric: quality, vs: slo, limit: 0.9}":      "",
		"{metric: quality, margin: 0.02, vs: slo}":    "gates[0].margin: belongs to vs: baseline",
		"{metric: quality}, {metric: quality}":        "gates[1]: quality_mean is a gate already (gates[0])",
		"{metric: quality, stat: mean, margin: 0.02}": "",
	} {
		_, err := Parse("swap.yaml", []byte(minimal+"workload: {prompt_file: /p}\ngates: ["+gate+"]\n"), nil)
		if want == "" {
			require.NoError(t, err, gate)
			continue
		}
		require.ErrorContains(t, err, want, gate)
	}
}

func TestQualityGateNeedsPromptsThatExpectSomething(t *testing.T) {
	_, err := Parse("swap.yaml", []byte(minimal+"gates: [{metric: error_rate}, {metric: quality}]\n"), nil)
	require.EqualError(t, err, "swap.yaml:5:40: gates[1].metric: quality needs prompts that say what a good answer is: name a "+
		`workload.prompt_file with lines such as {"prompt": "…", "expect": {"contains": "…"}}`)
	_, err = Parse("swap.yaml", []byte(minimal+"workload: {api: images}\ngates: [{metric: quality}]\n"), nil)
	require.ErrorContains(t, err, "gates[0].metric: quality has no meaning for api images")

	path := filepath.Join(t.TempDir(), "p.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"prompt":"one"}`), 0o600))
	spec, err := Parse("swap.yaml", []byte(minimal+"workload: {prompt_file: "+path+"}\ngates: [{metric: quality}]\n"), nil)
	require.NoError(t, err)
	_, err = CheckFiles(spec)
	require.ErrorContains(t, err, path+":1: expect: no prompt of the file says what a good answer is")
}
