package gateway

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSharesAreExactAndSpreadEvenly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		share := rapid.IntRange(0, 100).Draw(rt, "candidate")
		s, err := newSplitter(swap.Weights{Baseline: 100 - share, Candidate: share}, "")
		require.NoError(t, err)
		got := 0
		for n := 1; n <= 300; n++ {
			if s.choose() == swap.Candidate {
				got++
			}
			require.InDelta(t, float64(n*share)/100, float64(got), 1, "never more than one request off, at request %d", n)
			if n%100 == 0 {
				require.Equal(t, n/100*share, got)
			}
		}
	})
}

func TestSetComparesVersions(t *testing.T) {
	s, err := newSplitter(swap.Weights{}, "")
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, s.read().Weights)
	old := s.read().Version
	first, err := s.set(swap.Weights{Baseline: 95, Candidate: 5}, &old)
	require.NoError(t, err)
	require.Greater(t, first.Version, old)
	_, err = s.set(swap.AllBaseline, &old)
	require.ErrorIs(t, err, errConflict)
	again, err := s.set(swap.Weights{Baseline: 95, Candidate: 5}, nil)
	require.NoError(t, err)
	require.Equal(t, first, again, "weights that are right already are no change")
}

func TestWeightsSurviveARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	s, err := newSplitter(swap.Weights{}, file)
	require.NoError(t, err)
	want, err := s.set(swap.Weights{Baseline: 80, Candidate: 20}, nil)
	require.NoError(t, err)
	restarted, err := newSplitter(swap.AllBaseline, file)
	require.NoError(t, err)
	require.Equal(t, want, restarted.read())
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file stays")

	require.NoError(t, os.WriteFile(file, []byte(`{"baseline":80,"candidate":30}`), 0o600))
	_, err = newSplitter(swap.AllBaseline, file)
	require.ErrorContains(t, err, "sum to 110")
}

func TestAStateThatCannotBeSavedIsNotTaken(t *testing.T) {
	s, err := newSplitter(swap.Weights{}, filepath.Join(t.TempDir(), "missing", "state.json"))
	require.NoError(t, err)
	_, err = s.set(swap.Weights{Baseline: 0, Candidate: 100}, nil)
	require.Error(t, err)
	require.Equal(t, swap.AllBaseline, s.read().Weights)
}

func FuzzDecodeState(f *testing.F) {
	f.Add(`{"baseline":80,"candidate":20,"version":3}`)
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := decodeState([]byte(text)); err == nil {
			require.NoError(t, checkWeights(s.Weights))
		}
	})
}
