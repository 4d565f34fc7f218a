package trace

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/badfile"
)

func FuzzAzure(f *testing.F)     { fuzz(f, swap.TraceAzure) }
func FuzzMooncake(f *testing.F)  { fuzz(f, swap.TraceMooncake) }
func FuzzBurstGPT(f *testing.F)  { fuzz(f, swap.TraceBurstGPT) }
func FuzzVidur(f *testing.F)     { fuzz(f, swap.TraceVidur) }
func FuzzRecognise(f *testing.F) { fuzz(f, "") }

// fuzz reads any text: the answer is a recording that keeps its promises or problems that say where they are.
func fuzz(f *testing.F, format swap.TraceFormat) {
	f.Helper()
	for _, s := range samples {
		f.Add(s.text)
	}
	for _, r := range refusals {
		f.Add(r.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := read(strings.NewReader(text), "trace", format)
		if err != nil {
			var wrong *badfile.Error
			require.ErrorAs(t, err, &wrong)
			require.NotEmpty(t, wrong.Problems)
			require.LessOrEqual(t, len(wrong.Problems), badfile.MaxProblems)
			return
		}
		require.Equal(t, sha256.Sum256([]byte(text)), r.SHA256())
		require.GreaterOrEqual(t, len(r.Requests), 2)
		require.Zero(t, r.Requests[0].At)
		require.True(t, slices.IsSortedFunc(r.Requests, func(a, b Request) int { return cmp.Compare(a.At, b.At) }))
		require.True(t, r.Span() >= minSpan && r.Span() <= maxSpan)
		for _, q := range r.Requests {
			require.True(t, q.Input >= 0 && q.Output >= 0)
		}
	})
}
