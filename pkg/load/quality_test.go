package load

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// expecting asks prompts of a file with these lines.
func expecting(t *testing.T, lines string) *workload.Generator {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prompts.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	g, err := workload.New(swap.Workload{
		API: swap.APIChat, PromptFile: path, OutputTokens: swap.Lengths{Median: 10}, PromptCache: swap.CacheShared, Seed: 5,
	})
	require.NoError(t, err)
	return g
}

// The fake server says "an answer" to everything.
func TestAnswersAreScored(t *testing.T) {
	g := expecting(t, `{"prompt":"good","expect":{"contains":"answer"}}
{"prompt":"half","expect":[{"contains":"answer"},{"json":true}]}
{"prompt":"bad","expect":{"equals":"answer"}}
{"prompt":"free"}
`)
	s := &fakeServer{answer: func(n int) (swap.Outcome, time.Duration) {
		if n%5 == 4 {
			return swap.HTTP5xx, 10 * time.Millisecond
		}
		return swap.OK, 10 * time.Millisecond
	}}
	got := onBlock(t, s, g, swap.Step{Rate: 20}, 20*time.Second, nil)
	seen := map[float64]int{}
	absent := 0
	for _, r := range got.Records {
		switch {
		case r.Quality != nil:
			require.Equal(t, string(swap.OK), r.Outcome, "a failed request has no score")
			seen[*r.Quality]++
		case r.Good():
			absent++
		}
	}
	require.Len(t, seen, 3)
	for _, score := range []float64{0, .5, 1} {
		require.Greater(t, seen[score], 50)
	}
	require.Greater(t, absent, 50, "nothing is expected of these")
	for _, ask := range s.asks {
		require.Equal(t, ask.Prompt != "free", ask.KeepText, "no other text is kept")
	}
}

func TestAnAnswerThatIsNotKnownWholeHasNoScore(t *testing.T) {
	g := expecting(t, `{"prompt":"p","expect":{"contains":"a"}}`)
	opt := options()
	a := asker{prompts: g, model: "m"}
	j, ok := a.job(a.unit(0), 0)
	require.True(t, ok)
	f := newFlight(j, nil, time.Now())
	whole := engine.Observation{Outcome: swap.OK, Text: "a"}
	r := newRecord(opt, f, true, whole)
	require.InDelta(t, 1, *r.Quality, 0)
	whole.TextCut = true
	r = newRecord(opt, f, true, whole)
	require.Nil(t, r.Quality)
	r = newRecord(opt, f, true, engine.Observation{Outcome: swap.OKNoDone})
	require.InDelta(t, 0, *r.Quality, 0)
}
