package activities

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestPreflightComparesTheServers(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(p *plan) {
		p.engines.Candidate.Version = "0.28.0"
		p.engines.Candidate.PrefixCache = false
	})
	got, err := preflight(t, s)
	require.NoError(t, err)
	require.Empty(t, got.Findings, "what is only notable stands in the comparison")
	var rules []swap.CompatRule
	for _, d := range got.Compatibility.Differences {
		rules = append(rules, d.Rule)
		require.Equal(t, swap.Notable, d.Severity)
	}
	require.Equal(t, []swap.CompatRule{swap.CompatVersion, swap.CompatPrefixCaching}, rules)
	require.Contains(t, got.Compatibility.Same, swap.CompatContext)
	require.Contains(t, got.Compatibility.Same, swap.CompatTokenizer, "both count the same in the probe message")
	require.Contains(t, got.Compatibility.Unknown, swap.CompatDriver)
}

func TestPlannedConcurrency(t *testing.T) {
	require.Equal(t, 8, plannedConcurrency([]swap.Step{{Concurrency: 4}, {Concurrency: 8}}))
	require.Zero(t, plannedConcurrency([]swap.Step{{Concurrency: 4}, {Rate: 3}}), "an open load keeps what the servers make of it")
	require.Zero(t, plannedConcurrency(nil))
}

func TestBlockingDifferencesNameTheWayOut(t *testing.T) {
	found := compatFindings(swap.Compatibility{Differences: []swap.Difference{
		{Rule: swap.CompatGPU, Severity: swap.Notable, Reason: "x"},
		{Rule: swap.CompatContext, Severity: swap.Blocking, Reason: "4096 against 8192.", Next: "Serve it with a longer context."},
	}})
	require.Equal(t, []swap.Finding{{
		Severity: swap.Blocking, Subject: "context_length", Message: "4096 against 8192.", Next: "Serve it with a longer context.",
	}}, found)
	require.True(t, slices.ContainsFunc(swap.CompatRules, func(r swap.CompatRule) bool { return string(r) == found[0].Subject }))
}
