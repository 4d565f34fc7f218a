package report

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestStepsAreNamedByWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		name   string
		steps  []string
		labels []string
		by     string
	}{
		{"levels", []string{"concurrency 4", "concurrency 16"}, []string{"4", "16"}, "concurrency"},
		{"rates", []string{"2 req/s", "4 req/s"}, []string{"2", "4"}, "req/s"},
		{"both ends are common", []string{"KV 50 %", "KV 92 %"}, []string{"50", "92"}, "KV %"},
		{
			"prompts",
			[]string{"concurrency 8, prompts 128", "concurrency 8, prompts 4096"},
			[]string{"128", "4096"},
			"concurrency 8, prompts",
		},
		{"nothing common", []string{"2 req/s", "KV 50 %"}, []string{"2 req/s", "KV 50 %"}, "load step"},
		{
			"too long",
			[]string{"2 req/s gamma cv 3", "concurrency 8, answers 7"},
			[]string{"1", "2"},
			"number of the load step",
		},
		{"one", []string{"concurrency 8, answers 7"}, []string{"concurrency 8, answers 7"}, "load step"},
		{"the same", []string{"c=8", "c=8"}, []string{"c=8", "c=8"}, "load step"},
		{"none", nil, nil, "load step"},
		{"unnamed", []string{"", "x"}, []string{"", "x"}, "load step"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, stepAxis{Labels: c.labels, By: c.by}, newStepAxis(c.steps)) })
	}
}

func TestEveryStepHasAShortName(t *testing.T) {
	word := rapid.SampledFrom([]string{"concurrency", "8", "16", "prompts", "req/s", "a-very-long-word"})
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOf(rapid.Map(rapid.SliceOf(word), func(words []string) string {
			label := ""
			for _, w := range words {
				label += w + " "
			}
			return label
		})).Draw(t, "steps")
		a := newStepAxis(steps)
		require.Len(t, a.Labels, len(steps))
		for _, l := range a.Labels {
			require.LessOrEqual(t, len([]rune(l)), longestOnlyTick)
		}
	})
}
