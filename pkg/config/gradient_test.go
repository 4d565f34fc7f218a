package config

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestGradientReplacesTheDefaultSteps(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+
		"load: {block: 10s, settle: 2s, gradient: {concurrency: 2, from: 100, to: 400, levels: 3, rounds: 4}}\n"), nil)
	require.NoError(t, err)
	require.Nil(t, spec.Load.Gradient)
	require.Equal(t, []swap.Step{promptStep(2, 100, 40e9), promptStep(2, 200, 40e9), promptStep(2, 400, 40e9)}, spec.Load.Steps)
}

func TestGradientHasTheHashOfItsSteps(t *testing.T) {
	short, err := Parse("short.yaml", []byte(minimal+"load: {gradient: {from: 64, to: 4096, levels: 2}}\n"), nil)
	require.NoError(t, err)
	long, err := Parse("long.yaml", []byte(minimal+`load:
  steps:
    - {concurrency: 1, input_tokens: {median: 64, sigma: 0, min: 64, max: 64}, hold: 150s}
    - {concurrency: 1, input_tokens: {median: 4096, sigma: 0, min: 4096, max: 4096}, hold: 2m30s}
`), nil)
	require.NoError(t, err)
	require.Equal(t, string(Canonical(short)), string(Canonical(long)))
	requireRoundTrip(t, short)
}

func TestExpandingAGradientTwiceChangesNothing(t *testing.T) {
	once := expandGradient(swap.Load{
		Steps: []swap.Step{{Rate: 3}}, Block: 1e9, Gradient: &swap.Gradient{Concurrency: 1, From: 1, To: 9, Levels: 3, Rounds: 2},
	})
	require.Len(t, once.Steps, 4)
	require.Equal(t, once, expandGradient(once))
}

func TestPromptLengthsAreGeometric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(1, 999_999).Draw(t, "first")
		last := rapid.IntRange(first+1, 1_000_000).Draw(t, "last")
		levels := rapid.IntRange(2, 50).Draw(t, "levels")
		lengths := promptLengths(first, last, levels)
		require.Len(t, lengths, levels)
		require.Equal(t, first, lengths[0])
		require.Equal(t, last, lengths[levels-1])
		require.True(t, slices.IsSorted(lengths))

		most := mostLevels(first, last, levels)
		different := slices.Compact(promptLengths(first, last, most))
		require.Len(t, different, most, "as many levels as can be told apart")
	})
}
