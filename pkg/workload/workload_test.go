package workload

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/badfile"
)

func spec() swap.Workload {
	return swap.Workload{
		API: swap.APIChat, Seed: 7, PromptCache: swap.CacheSalted,
		InputTokens:  swap.Lengths{Median: 200, Sigma: 0.5, Min: 10, Max: 1000},
		OutputTokens: swap.Lengths{Median: 100, Sigma: 0.3, Min: 5, Max: 300},
	}
}

func generator(t require.TestingT, w swap.Workload) *Generator {
	g, err := New(w)
	require.NoError(t, err)
	return g
}

func TestSamePlaceSamePrompt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := spec()
		w.Seed = rapid.Uint64().Draw(t, "seed")
		stream, i := rapid.Uint64().Draw(t, "stream"), rapid.Uint64().Draw(t, "i")
		a, b := generator(t, w), generator(t, w)
		a.At(stream, i+1) // what was drawn before does not matter
		require.Equal(t, a.At(stream, i), b.At(stream, i))
		require.Equal(t, a.Digest(), b.Digest())
		w.Seed++
		require.NotEqual(t, a.Digest(), generator(t, w).Digest())
		require.NotEqual(t, a.At(stream, i).Text, generator(t, w).At(stream, i).Text)
	})
}

// A seed must mean the same on every machine and in every version.
func TestPromptsAreStable(t *testing.T) {
	w := spec()
	w.InputTokens = swap.Lengths{Median: 8}
	p := generator(t, w).At(3, 4)
	require.Equal(t, Prompt{
		Text: "Also over between foundation it also.", InputTokens: 8, MaxTokens: 191, Work: 199, SHA256: p.SHA256,
	}, p)

	h := sha256.New()
	for i := range uint64(50) {
		p := generator(t, spec()).At(1, i)
		h.Write(p.SHA256[:])
		h.Write([]byte{byte(p.MaxTokens)})
	}
	require.Equal(t, "73b7eed8e0b4d1c4", hex.EncodeToString(h.Sum(nil)[:8]))
}

func TestNeighboursDiffer(t *testing.T) {
	g := generator(t, spec())
	seen := map[string]bool{}
	for stream := range uint64(20) {
		for i := range uint64(50) {
			seen[g.At(stream, i).Text] = true
		}
	}
	require.Len(t, seen, 1000)
}

func TestLengths(t *testing.T) {
	const n = 4001
	g := generator(t, spec())
	answers, words := make([]int, n), make([]int, n)
	for i := range uint64(n) {
		p := g.At(1, i)
		answers[i], words[i] = p.MaxTokens, len(strings.Fields(p.Text))
	}
	slices.Sort(answers)
	slices.Sort(words)
	require.InDelta(t, 100, answers[n/2], 4)
	require.InDelta(t, 100*0.741, answers[n*16/100], 4, "one sigma below the median")
	require.GreaterOrEqual(t, answers[0], 5)
	require.LessOrEqual(t, answers[n-1], 300)
	require.InDelta(t, 200/tokensPerWord, words[n/2], 8)
	require.GreaterOrEqual(t, words[0], 8)
	require.LessOrEqual(t, words[n-1], 770)
}

func TestConstantAndClippedLengths(t *testing.T) {
	w := spec()
	w.OutputTokens = swap.Lengths{Median: 64}
	require.Equal(t, 64, generator(t, w).At(1, 2).MaxTokens)
	w.OutputTokens = swap.Lengths{Median: 64, Sigma: 3, Min: 60, Max: 70}
	for i := range uint64(200) {
		n := generator(t, w).At(1, i).MaxTokens
		require.GreaterOrEqual(t, n, 60)
		require.LessOrEqual(t, n, 70)
	}
}

func TestSaltIsUniqueAndOfEqualLength(t *testing.T) {
	require.Len(t, saltWords, 256)
	seenWord := map[string]bool{}
	for _, w := range saltWords {
		require.Len(t, w, 4)
		seenWord[w] = true
	}
	require.Len(t, seenWord, 256)

	g := generator(t, spec())
	seen := map[string]bool{}
	for _, run := range []string{"r1", "r2"} {
		for _, arm := range swap.Arms {
			for stream := range uint64(3) {
				for i := range uint64(100) {
					salt := g.Salt(run, arm, stream, i)
					require.Len(t, salt, saltLength*5-1+len(". "))
					seen[salt] = true
				}
			}
		}
	}
	require.Len(t, seen, 2*2*3*100)
}

func TestSharedPromptsAreNotSalted(t *testing.T) {
	w := spec()
	w.PromptCache = swap.CacheShared
	require.Empty(t, generator(t, w).Salt("r", swap.Candidate, 1, 1))
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prompts.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestPromptFile(t *testing.T) {
	w := spec()
	w.InputTokens = swap.Lengths{}
	w.PromptFile = writeFile(t, `{"prompt":"one"}`+"\n\n"+`{"prompt":"two","id":3}`)
	g := generator(t, w)
	seen := map[string]int{}
	for i := range uint64(1000) {
		seen[g.At(1, i).Text]++
	}
	require.InDelta(t, 500, seen["one"], 80)
	require.Equal(t, 1000, seen["one"]+seen["two"])

	w.PromptFile = writeFile(t, `{"prompt":"one"}`+"\n"+`{"prompt":"three"}`)
	require.NotEqual(t, g.Digest(), generator(t, w).Digest())
}

func TestPromptsSayWhatIsExpected(t *testing.T) {
	w := spec()
	w.InputTokens = swap.Lengths{}
	w.PromptFile = writeFile(t, `{"prompt":"one","expect":{"contains":["1","uno"]}}`+"\n"+`{"prompt":"two","expect":null}`)
	g := generator(t, w)
	for i := range uint64(50) {
		p := g.At(1, i)
		require.Equal(t, p.Text == "one", p.Expect != nil)
		if p.Expect != nil {
			require.InDelta(t, 1, p.Expect.Score("it is uno"), 1e-12)
		}
	}
	file, err := ReadPromptFile(w.PromptFile)
	require.NoError(t, err)
	require.Equal(t, PromptFile{LongestTokens: 1, Prompts: 2, Expecting: 1}, file)

	w.PromptFile = writeFile(t, `{"prompt":"one"}`+"\n"+`{"prompt":"two"}`)
	require.Equal(t, g.Digest(), generator(t, w).Digest(), "what is expected changes nothing of the load")

	w.API, w.OutputTokens, w.Image = swap.APIImages, swap.Lengths{}, &swap.ImageAsk{Width: 64, Height: 64}
	w.PromptFile = writeFile(t, `{"prompt":"one","expect":{"json":true}}`)
	require.Nil(t, generator(t, w).At(1, 0).Expect, "an image is no text")
}

func TestErrorsNameThePlaceAndNotThePrompt(t *testing.T) {
	cases := []struct{ name, file, want string }{
		{"not JSON", `{"prompt":"one"}` + "\n" + `my secret`, "prompts.jsonl:2: the line is not a JSON object"},
		{"no prompt", `{"prompt":"one"}` + "\n\n" + `{"text":"my secret"}`, "prompts.jsonl:3: prompt: is missing"},
		{"wrong type", `{"prompt":["my secret"]}`, "prompts.jsonl:1: prompt: must be text"},
		{"null", `{"prompt":null}`, "prompts.jsonl:1: prompt: is missing"},
		{"blank", `{"prompt":""}`, "prompts.jsonl:1: prompt: is empty"},
		{"null as a line", `null`, "prompts.jsonl:1: prompt: is missing"},
		{"all at once", `{"prompt":4}` + "\n" + `{"prompt":"one"}` + "\n{", "prompts.jsonl:3: the line is not"},
		{"the first of all at once", `{"prompt":4}` + "\n" + `{"prompt":"one"}` + "\n{", "prompts.jsonl:1: prompt: must be text"},
		{"empty", "\n", "holds no prompt"},
		{"expectation", `{"prompt":"my secret","expect":{"contain":"secret"}}`, "prompts.jsonl:1: expect: must be such as"},
		{"pattern", "\n" + `{"prompt":"one","expect":[{"json":true},{"regexp":"("}]}`, "prompts.jsonl:2: expect: regexp must be"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := spec()
			w.PromptFile = writeFile(t, c.file)
			_, err := New(w)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "secret")
		})
	}
	w := spec()
	w.PromptFile = "/nowhere/p.jsonl"
	_, err := New(w)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestLengthsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*swap.Workload){
		"workload.output_tokens.median is 0":      func(w *swap.Workload) { w.OutputTokens.Median = 0 },
		"workload.input_tokens.min (9) is above":  func(w *swap.Workload) { w.InputTokens = swap.Lengths{Median: 5, Min: 9, Max: 6} },
		"workload.input_tokens.sigma is -1":       func(w *swap.Workload) { w.InputTokens.Sigma = -1 },
		"workload.input_tokens.median is -3; it ": func(w *swap.Workload) { w.InputTokens.Median = -3 },
	} {
		w := spec()
		change(&w)
		_, err := New(w)
		require.ErrorContains(t, err, want)
	}
}

func TestFingerprintSeparatesItsParts(t *testing.T) {
	require.Len(t, Fingerprint("p", "m", 0), 64)
	require.NotEqual(t, Fingerprint("ab", "c", 0), Fingerprint("a", "bc", 0))
	require.NotEqual(t, Fingerprint("a", "b", 0), Fingerprint("a", "b", 0.5))
}

func FuzzParsePrompts(f *testing.F) {
	for _, seed := range []string{
		`{"prompt":"a"}`, "{\"prompt\":\"a\"}\r\n\n{", `{"prompt":null}`, `{"prompt":"a","expect":{"contains":["b"]}}`, "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		prompts, err := parsePrompts(strings.NewReader(in), "prompts.jsonl")
		require.Equal(t, err == nil, len(prompts) > 0)
		for _, p := range prompts {
			require.NotEmpty(t, p.text)
		}
		if err != nil {
			var wrong *badfile.Error
			require.ErrorAs(t, err, &wrong)
			require.NotEmpty(t, wrong.Problems)
		}
	})
}
