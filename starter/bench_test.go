package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/judge/swapbench"
)

func TestBenchJudge(t *testing.T) {
	got := swapgate(t.Context(), nil, "bench", "judge", "--reps", "2", "--scenario", "^fault/clock$", "-o", "json")
	require.Equal(t, exitPass, got.code, got.stderr)
	var table swapbench.Table
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &table))
	require.Equal(t, 2, table.Rows[0].ReasonHeld)

	got = swapgate(t.Context(), nil, "bench", "judge", "--quick", "--reps", "1", "--scenario", "^fault/clock$")
	require.Equal(t, exitPass, got.code, got.stderr)
	require.Contains(t, got.stdout, "100.00 %")
}

func TestBenchJudgeRefusesWrongFlags(t *testing.T) {
	for _, args := range [][]string{{"--scenario", "("}, {"--scenario", "nothing"}, {"--reps", "0"}, {"-o", "xml"}} {
		got := swapgate(t.Context(), nil, append([]string{"bench", "judge"}, args...)...)
		require.Equal(t, exitUsage, got.code, got.stderr)
	}
}
