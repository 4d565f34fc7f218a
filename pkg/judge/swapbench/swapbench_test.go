package swapbench

import (
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScenariosAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Scenarios() {
		require.False(t, seen[s.Name], s.Name)
		seen[s.Name] = true
		require.NotEmpty(t, s.Accept, s.Name)
		require.Equal(t, s.Line == DataFault, s.Reason != "", s.Name)
	}
	require.GreaterOrEqual(t, len(seen), 60)
}

func TestQuickTableHoldsTheLines(t *testing.T) {
	table, err := Run(t.Context(), Options{Repetitions: 5, Seed: 1, Resamples: 199})
	require.NoError(t, err)
	require.Empty(t, table.Broken())
}

func TestTableDoesNotDependOnCPUs(t *testing.T) {
	o := Options{
		Repetitions: 4, RuleRepetitions: 2, Seed: 1, Resamples: 199,
		Only: regexp.MustCompile(`^(margin/throughput|fault/clock|rollout/same)$`),
	}
	first, err := Run(t.Context(), o)
	require.NoError(t, err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	second, err := Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.Contains(t, string(second.Text()), "fault/clock")
	markdown := string(second.Markdown())
	require.Contains(t, markdown, "| margin/throughput | fail or inconclusive | 4, rules 2 |")
	require.Contains(t, markdown, "| f: rollout at the margins, false rollback <= 1 % | 1 of 1 | rollout/same | 4 | 0.00 % (0.00-60.24) |")
}
