package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Whatever changes what is asked changes the digest.
func TestDigestCoversEverySetting(t *testing.T) {
	image, audio := &swap.ImageAsk{Width: 64, Height: 64}, &swap.Lengths{Median: 4, Max: 9}
	changes := map[string]func(*swap.Workload){
		"nothing":    func(*swap.Workload) {},
		"seed":       func(w *swap.Workload) { w.Seed++ },
		"input":      func(w *swap.Workload) { w.InputTokens.Median++ },
		"output":     func(w *swap.Workload) { w.OutputTokens.Median++ },
		"session":    func(w *swap.Workload) { w.Topology = &swap.Topology{Shape: swap.ShapeSession, Size: 3} },
		"longer":     func(w *swap.Workload) { w.Topology = &swap.Topology{Shape: swap.ShapeSession, Size: 4} },
		"thoughtful": func(w *swap.Workload) { w.Topology = &swap.Topology{Shape: swap.ShapeSession, Size: 3, ThinkTime: 1} },
		"star":       func(w *swap.Workload) { w.Topology = &swap.Topology{Shape: swap.ShapeStar, Size: 3} },
		"ring":       func(w *swap.Workload) { w.Topology = &swap.Topology{Shape: swap.ShapeRing, Size: 3} },
		"image":      func(w *swap.Workload) { w.API, w.Image = swap.APIImages, image },
		"wide image": func(w *swap.Workload) { w.API, w.Image = swap.APIImages, &swap.ImageAsk{Width: 65, Height: 64} },
		"image steps": func(w *swap.Workload) {
			w.API, w.Image = swap.APIImages, &swap.ImageAsk{Width: 64, Height: 64, Steps: 2}
		},
		"speech":        func(w *swap.Workload) { w.API = swap.APISpeech },
		"transcription": func(w *swap.Workload) { w.API, w.AudioSeconds = swap.APITranscriptions, audio },
		"longer audio": func(w *swap.Workload) {
			w.API, w.AudioSeconds = swap.APITranscriptions, &swap.Lengths{Median: 5, Max: 9}
		},
	}
	seen := map[[32]byte]string{}
	for name, change := range changes {
		w := spec()
		change(&w)
		d := generator(t, w).Digest()
		require.Empty(t, seen[d], "%s has the digest of %s", name, seen[d])
		seen[d] = name
	}
}

func TestStepsWithTheirOwnLengths(t *testing.T) {
	g := generator(t, spec())
	same, err := g.ForStep(swap.Step{Rate: 3})
	require.NoError(t, err)
	require.Same(t, g, same)

	long, err := g.ForStep(swap.Step{InputTokens: &swap.Lengths{Median: 3000}})
	require.NoError(t, err)
	require.NotEqual(t, g.Digest(), long.Digest())
	require.Equal(t, 3000, long.At(1, 1).InputTokens)
	require.Equal(t, g.At(1, 1).MaxTokens, long.At(1, 1).MaxTokens)

	short, err := g.ForStep(swap.Step{OutputTokens: &swap.Lengths{Median: 3}})
	require.NoError(t, err)
	require.Equal(t, 3, short.At(1, 1).MaxTokens)
	require.Equal(t, spec(), g.Spec(), "a step changes no other")

	w := spec()
	w.InputTokens = swap.Lengths{Median: 3000}
	require.Equal(t, generator(t, w).Digest(), long.Digest(), "lengths count, not where they are written")

	_, err = g.ForStep(swap.Step{InputTokens: &swap.Lengths{}})
	require.ErrorContains(t, err, "input_tokens.median is 0")
}

func TestRecordedLengths(t *testing.T) {
	g := generator(t, spec())
	of := func(i uint64) (int, int) { return int(10 * i), int(i) }
	a, b := g.WithLengths([32]byte{1}, of), g.WithLengths([32]byte{2}, of)
	require.NotEqual(t, g.Digest(), a.Digest())
	require.NotEqual(t, a.Digest(), b.Digest())
	for i := range uint64(50) {
		p := a.At(9, i)
		require.Equal(t, max(1, int(10*i)), p.InputTokens)
		require.Equal(t, max(1, int(i)), p.MaxTokens, "an answer of none is asked for as one token")
		require.Equal(t, p, b.At(9, i))
	}
	require.NotEqual(t, a.At(1, 20).Text, a.At(2, 20).Text)
}

func TestRecordedLengthsInUnits(t *testing.T) {
	g := generator(t, grouped(swap.ShapeRing, 3)).
		WithLengths([32]byte{1}, func(i uint64) (int, int) { return 100, int(i) })
	turns := g.Unit(1, 5).Turns
	require.Equal(t, []int{15, 16, 17}, []int{turns[0].MaxTokens, turns[1].MaxTokens, turns[2].MaxTokens})
	require.Equal(t, []int{100, 115, 116}, []int{turns[0].InputTokens, turns[1].InputTokens, turns[2].InputTokens})
}
