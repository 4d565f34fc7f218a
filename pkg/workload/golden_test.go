package workload

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// sent is the hash of what four streams ask: texts, lengths and salts.
func sent(g *Generator) string {
	h := sha256.New()
	for stream := range uint64(4) {
		for i := range uint64(100) {
			p := g.At(stream, i)
			fmt.Fprintf(h, "%s|%d|%s%s\n", p.Text, p.MaxTokens, g.Salt("run", swap.Baseline, stream, i), p.Text)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Runs are compared with those of earlier versions: what single requests ask, and how it is named, does not change.
func TestSingleRequestsAreThoseOfTheFirstVersion(t *testing.T) {
	file := spec()
	file.InputTokens = swap.Lengths{}
	file.PromptFile = writeFile(t, `{"prompt":"one"}`+"\n"+`{"prompt":"two words"}`+"\n")
	cases := []struct {
		name         string
		w            swap.Workload
		digest, sent string
	}{
		{
			"synthetic", spec(),
			"d43ac4b157381d488e3ffb84fa2a2cd7814928d441ae3cfd1a3d5e323539c1c2",
			"869df7a3b4f0bdafb0b372c25100fad5ab0587d09c27d7988220af92fb3b56f4",
		},
		{
			"from a file", file,
			"51a2c71c34ae69c8445221fbf767d1346db873c33b61076b37f3352657c440b2",
			"555e8263035e80e2854a4455ea674b419d66bd7ba2ad36d983706e562839e2e9",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g, err := generator(t, c.w).ForStep(swap.Step{Concurrency: 4})
			require.NoError(t, err)
			require.Equal(t, c.digest, fmt.Sprintf("%x", g.Digest()))
			require.Equal(t, c.sent, sent(g))
		})
	}
}

func TestUnitsAreStable(t *testing.T) {
	for shape, want := range map[swap.Shape]string{
		swap.ShapeSession: "66763570318c5625",
		swap.ShapeStar:    "397757a1b59e7968",
		swap.ShapeRing:    "e63e2814a34c768e",
	} {
		g, h := generator(t, grouped(shape, 4)), sha256.New()
		for u := range uint64(20) {
			unit := g.Unit(1, u)
			for k, turn := range unit.Turns {
				messages, ok := unit.Messages(k, "salt. ", []string{"one", "two", "three"})
				require.True(t, ok)
				fmt.Fprintln(h, messages, turn.InputTokens, turn.MaxTokens, turn.Work, turn.Follows, turn.Think, turn.SHA256)
			}
		}
		require.Equal(t, want, fmt.Sprintf("%x", h.Sum(nil)[:8]), "%s", shape)
	}
}

func TestRecordingsAreStable(t *testing.T) {
	g := generator(t, listening())
	require.Equal(t, "30f183f79cf5280b", fmt.Sprintf("%x", sha256.Sum256(g.Recording(3, "")))[:16])
	require.Equal(t, "e9b7dd4a49c29995", fmt.Sprintf("%x", sha256.Sum256(g.Recording(3, "salt")))[:16])
}
