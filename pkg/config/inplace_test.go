package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestInPlaceDefaults(t *testing.T) {
	text := inPlaceFile("m}\ncandidate: {url: http://a:8000/, model: m", `method: triton, from: {version: "1"}, to: {version: "2"}`)
	spec, err := Parse("swap.yaml", []byte(text), nil)
	require.NoError(t, err)
	in := spec.InPlace
	require.Equal(t, 2, in.Swaps)
	require.Equal(t, 10*time.Minute, in.Timeout.Std())
	require.Equal(t, 30*time.Second, in.Observe.Std())
	require.False(t, in.AllowUnsafe)
	require.Len(t, in.Golden.Prompts, 4)
	observed := 4 * (10 + 2*30) * time.Second
	require.Equal(t, observed, Estimate(spec).InPlace.Std(), "twice there and back")
	require.Contains(t, Estimate(spec).String(), "swaps in place: 4m40s")
	in.Promote = true
	require.Equal(t, observed+70*time.Second, spec.InPlaceDuration())
	require.Equal(t, 32, in.Golden.MaxTokens)
	require.Equal(t, swap.InPlaceModel{Name: "m", InPlaceSource: swap.InPlaceSource{Version: "2"}}, spec.InPlaceModelOf(swap.Candidate))
}

func TestEveryMethodHasItsRules(t *testing.T) {
	for _, m := range swap.InPlaceMethods {
		require.Contains(t, sourceRules, m)
	}
	for models, in := range map[string]string{
		"base}\ncandidate: {url: http://a:8000, model: v2": "method: vllm_lora, to: {path: /2}",
		"m}\ncandidate: {url: http://a:8000, model: m":     "method: vllm_reload, allow_unsafe: true, from: {path: /1}, to: {path: /2}",
		"a}\ncandidate: {url: http://a:8000, model: b":     "method: llama_swap, admin_url: http://a:9, admin_token: {env: T}",
	} {
		_, err := Parse("swap.yaml", []byte(inPlaceFile(models, in)), nil)
		require.NoError(t, err)
	}
}
