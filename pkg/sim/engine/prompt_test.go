package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestPromptTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "  \n\t ": 0, "one": 1, "one  two\nthree": 3, "exactly12byt": 1, "thirteen_byte": 2,
		strings.Repeat("x", 120): 10,
	} {
		p := newPrompt()
		p.add(text)
		require.Equal(t, want, p.tokens, "%q", text)
	}
}

func TestPromptBlocks(t *testing.T) {
	p := words("a", 33)
	require.Len(t, p.blocks, 2)
	require.Len(t, words("a", 32).blocks, 2, "a full last block counts")
	require.Equal(t, p.blocks, words("a", 32).blocks)
	require.NotEqual(t, p.blocks[0], words("b", 16).blocks[0])
	q := newPrompt()
	for range 33 {
		q.addID(7)
	}
	require.Len(t, q.blocks, 2)
}

func FuzzPrompt(f *testing.F) {
	f.Add("the quick brown fox", " jumps")
	f.Add(strings.Repeat("a b ", 20), strings.Repeat("c", 200))
	f.Fuzz(func(t *testing.T, head, tail string) {
		one, both := newPrompt(), newPrompt()
		one.add(head)
		both.add(head)
		both.add(tail)
		require.Len(t, both.blocks, both.tokens/blockTokens)
		require.GreaterOrEqual(t, both.tokens, one.tokens)
		require.True(t, slices.Equal(one.blocks, both.blocks[:len(one.blocks)]), "a prefix shares its blocks")
	})
}

func FuzzDecodeRequest(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":3}`, true)
	f.Add(`{"model":"m","messages":[{"role":"user","content":[{"text":"hi"}]}],"stream_options":null}`, true)
	f.Add(`{"prompt":[1,2,3],"min_tokens":-1}`, false)
	f.Add(`{"prompt":["a"]}`, false)
	cfg := exact()
	cfg.NaturalLength = swap.Lengths{Median: 10, Sigma: 1}
	f.Fuzz(func(t *testing.T, body string, isChat bool) {
		a := completionAPI
		if isChat {
			a = chatAPI
		}
		req, p, apiErr := decodeRequest(strings.NewReader(body), a)
		if apiErr != nil {
			require.Equal(t, 400, apiErr.Code)
			return
		}
		require.Positive(t, p.tokens)
		allowed, apiErr := req.maxAnswer(cfg, a, p.tokens)
		if apiErr != nil {
			return
		}
		n, _ := req.answer(cfg, allowed, p.hash)
		require.Positive(t, n)
		require.LessOrEqual(t, n+p.tokens, cfg.MaxModelLen)
	})
}

func TestNaturalLengthIsLogNormal(t *testing.T) {
	const n = 20000
	var sum, squares float64
	for key := range uint64(n) {
		x := math.Log(float64(naturalLength(swap.Lengths{Median: 1000, Sigma: 0.5}, key)))
		sum += x
		squares += x * x
	}
	mean := sum / n
	require.InDelta(t, math.Log(1000), mean, 0.02)
	require.InDelta(t, 0.5, math.Sqrt(squares/n-mean*mean), 0.02)
	require.Zero(t, naturalLength(swap.Lengths{}, 1))
	require.Equal(t, 5, naturalLength(swap.Lengths{Median: 1, Min: 5, Max: 9}, 1))
	require.Equal(t, 9, naturalLength(swap.Lengths{Median: 100, Min: 5, Max: 9}, 1))
}
