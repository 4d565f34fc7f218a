package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// planOf runs swapgate plan on the specification of the tests with another workload and load.
func planOf(t *testing.T, added string) outcome {
	t.Helper()
	file := filepath.Join(t.TempDir(), "swap.yaml")
	text := `target: chat
baseline: {url: http://old:8000, model: old}
candidate: {url: http://new:8000, model: new}
store: {endpoint: http://s3:9000, bucket: runs}
` + added
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return swapgate(t.Context(), nil, "plan", "-f", file)
}

func TestPlanChecksTheFilesThatAreHere(t *testing.T) {
	prompts := filepath.Join(t.TempDir(), "prompts.jsonl")
	require.NoError(t, os.WriteFile(prompts, []byte("{\"prompt\":\"one\"}\nmy secret\n{\"prompt\":2}\n"), 0o600))
	got := planOf(t, "workload: {prompt_file: "+prompts+"}\n")
	require.Equal(t, exitUsage, got.code)
	require.Empty(t, got.stdout)
	require.Contains(t, got.stderr, prompts+":2: the line is not a JSON object")
	require.Contains(t, got.stderr, prompts+":3: prompt: must be text")
	require.NotContains(t, got.stderr, "secret")

	got = planOf(t, "workload: {prompt_file: /nowhere/prompts.jsonl}\n")
	require.Equal(t, exitPass, got.code, got.stderr)
	require.Contains(t, got.stderr, "note: /nowhere/prompts.jsonl is not on this machine; the preflight checks the copy of the workers")
}

func TestPlanNamesRangesAndWarnings(t *testing.T) {
	got := planOf(t, `workload: {topology: {shape: star, size: 8}}
load:
  extend: {max_hold: 10m}
  steps: [{rate: 5, hold: 5m, max_in_flight: 4}]
`)
	require.Equal(t, exitPass, got.code, got.stderr)
	require.Contains(t, got.stderr, "10 blocks per arm, about 12000 requests per arm, 13m20s to 26m40s as load.extend prolongs")
	require.Contains(t, got.stderr, "total: about 17m20s to 30m40s as load.extend prolongs")
	require.Contains(t, got.stderr, "warning: step 1: max_in_flight 4 is below the 8 requests")
}
