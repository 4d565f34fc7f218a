package swapbench

import (
	"math/rand/v2"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
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

// TestGeneratorsMeetTheirLabels compares the effect of many requests with the label.
func TestGeneratorsMeetTheirLabels(t *testing.T) {
	for _, s := range Scenarios() {
		if s.Line == DataFault {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			s.Pairs, s.Requests, s.Phi, s.Launch = 100, 400, 0, 0
			e := s.Evidence(rand.New(rand.NewPCG(3, 4)), 0)
			values := samplesOf(e.Blocks, s.Gates[0].Metric)
			stat := s.Gates[0].Stat
			tolerance := .03
			if s.Gates[0].Metric == swap.MetricErrorRate {
				tolerance = .003
			}
			effect := worsening(s.Gates[0], level(stat, values.all.Baseline), level(stat, values.all.Candidate))
			require.InDelta(t, s.Effect, effect, tolerance*(1+max(0, s.Effect))*2)
		})
	}
}

func TestQuickTableHoldsTheLines(t *testing.T) {
	table, err := Run(t.Context(), Options{Repetitions: 5, Seed: 1, Resamples: 199, OursOnly: true})
	require.NoError(t, err)
	require.Empty(t, table.Broken())
}

func TestTableDoesNotDependOnCPUs(t *testing.T) {
	o := Options{Repetitions: 4, Seed: 1, Resamples: 199, Only: regexp.MustCompile(`^(margin/throughput|fault/clock)$`)}
	first, err := Run(t.Context(), o)
	require.NoError(t, err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	second, err := Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.Contains(t, string(second.Text()), "fault/clock")
	require.Contains(t, string(second.Markdown()), "| margin/throughput |")
}
