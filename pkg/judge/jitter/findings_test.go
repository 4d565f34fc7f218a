package jitter

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// arms measures the baseline with one plant and the candidate with another, in six blocks of n requests each.
func arms(seed uint64, n int, baseline, candidate plant) *swap.Jitter {
	j := measure(2*seed, 6, n, baseline).Jitter()
	j.Arms.Candidate = measure(2*seed+1, 6, n, candidate).Jitter().Arms.Baseline
	return j
}

func glitches(share float64) plant {
	return func(i int, _ float64, r *rand.Rand) float64 {
		if i >= 20 && r.Float64() < share {
			return 8
		}
		return 1
	}
}

func TestAKindThatOnlyTheCandidateHasIsAFinding(t *testing.T) {
	periodic := func(_ int, at float64, _ *rand.Rand) float64 {
		if math.Mod(at, 5) < .5 {
			return 4
		}
		return 1
	}
	found := Findings(arms(1, 400, plain, periodic))
	require.Len(t, found, 1)
	require.Equal(t, swap.Notable, found[0].Severity)
	require.Equal(t, "jitter", found[0].Subject)
	require.Regexp(t, `^\d+ % of the candidate's unusually slow first tokens are periodic, every (4\.9\d|5|5\.0\d) s: `+
		`[6-9](\.\d)? % of its requests, and 0 % of the baseline's$`, found[0].Message)
	require.Regexp(t, `^look for what runs every \S+ s on the candidate's host`, found[0].Next)

	found = Findings(arms(2, 400, plain, glitches(.01)))
	require.Len(t, found, 1)
	require.Contains(t, found[0].Message, "are single glitches")
	require.Empty(t, Findings(arms(3, 400, glitches(.02), glitches(.01))), "the baseline has more of them")
	require.Empty(t, Findings(arms(4, 400, periodic, plain)))
	require.Empty(t, Findings(arms(5, 400, periodic, periodic)))
}

func TestAFindingNeedsBothArmsAndAMaterialShare(t *testing.T) {
	require.Empty(t, Findings(nil))
	j := arms(2, 400, plain, glitches(.01))
	only := *j
	only.Arms.Baseline = swap.ArmJitter{}
	require.Empty(t, Findings(&only), "without a baseline nothing is known to be new")
	for k := range j.Arms.Candidate.Labels {
		j.Arms.Candidate.Labels[k].Share = swap.Of(.2)
	}
	require.Empty(t, Findings(j))
}

// Arms that are alike, with outliers of every kind, hardly ever give a finding: four kinds, each with two intervals of 95 % that must
// be apart.
func TestArmsThatAreAlikeGiveNoFinding(t *testing.T) {
	alike := func(i int, at float64, r *rand.Rand) float64 {
		switch {
		case i < 6:
			return 6
		case r.Float64() < .01:
			return 8
		}
		return 1
	}
	const runs = 40
	found := 0
	for seed := range uint64(runs) {
		found += len(Findings(arms(seed+100, 150, alike, alike)))
	}
	t.Logf("%d findings in %d runs", found, runs)
	require.LessOrEqual(t, found, 2)
}
