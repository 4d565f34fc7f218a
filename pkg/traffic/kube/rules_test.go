package kube

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestASplitIsFoundWhereverItIs(t *testing.T) {
	arms := swap.PerArm[string]{Baseline: "b", Candidate: "c"}
	rapid.Check(t, func(t *rapid.T) {
		backend := rapid.Custom(func(t *rapid.T) Backend {
			return Backend{ID: rapid.StringMatching(`[d-z]{1,3}`).Draw(t, "id"), Weight: rapid.Int64Range(0, 9).Draw(t, "weight")}
		})
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Rule {
			return Rule{Name: rapid.StringMatching(`[a-z]?`).Draw(t, "name"), Backends: rapid.SliceOfN(backend, 0, 3).Draw(t, "backends")}
		}), 1, 4).Draw(t, "rules")
		at := rapid.IntRange(0, len(rules)-1).Draw(t, "at")
		want := swap.PerArm[int64]{Baseline: rapid.Int64Range(0, 99).Draw(t, "b"), Candidate: rapid.Int64Range(1, 99).Draw(t, "c")}
		rules[at].Backends = append([]Backend{{"c", want.Candidate}, {"b", want.Baseline}}, rules[at].Backends...)

		for _, choice := range []string{"", strconv.Itoa(at)} {
			s, err := FindSplit(rules, choice, arms)
			require.NoError(t, err)
			require.Equal(t, at, s.Rule)
			require.Equal(t, swap.PerArm[int]{Baseline: 1, Candidate: 0}, s.Arms)
			require.Equal(t, want, s.Shares)
			state := s.State()
			require.Equal(t, 100, state.Baseline+state.Candidate)
			require.NoError(t, s.MayTake(swap.AllBaseline))
		}
	})
}
