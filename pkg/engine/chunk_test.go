package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// reference decodes a chunk the slow way.
func reference(t require.TestingT, b []byte) (token, visible bool, finish string, output *int32) {
	var c struct {
		Choices []struct {
			Delta struct {
				Content   *string `json:"content"`
				Reasoning *string `json:"reasoning_content"`
				ToolCalls []struct {
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
			Text         *string
			FinishReason *string `json:"finish_reason"`
		}
		Usage *struct {
			Completion *int32 `json:"completion_tokens"`
		}
	}
	require.NoError(t, json.Unmarshal(b, &c))
	full := func(s *string) bool { return s != nil && *s != "" }
	for _, ch := range c.Choices {
		visible = visible || full(ch.Delta.Content) || full(ch.Text)
		for _, tool := range ch.Delta.ToolCalls {
			visible = visible || tool.Function.Name+tool.Function.Arguments != ""
		}
		token = token || visible || full(ch.Delta.Reasoning)
		if full(ch.FinishReason) {
			finish = *ch.FinishReason
		}
	}
	if c.Usage != nil {
		output = c.Usage.Completion
	}
	return token, visible, finish, output
}

func optional(t *rapid.T, name string, m map[string]any, value func() any) {
	switch rapid.IntRange(0, 2).Draw(t, name) {
	case 1:
		m[name] = nil
	case 2:
		m[name] = value()
	}
}

func drawChunk(t *rapid.T) []byte {
	text := func() any {
		return rapid.SampledFrom([]string{"", "a", `"`, `\`, "\\\"", "é😀", "]}", "\n"}).Draw(t, "text")
	}
	choice := func() any {
		delta := map[string]any{}
		optional(t, "content", delta, text)
		optional(t, "reasoning_content", delta, text)
		optional(t, "tool_calls", delta, func() any {
			return []any{map[string]any{"index": 0, "function": map[string]any{"name": text(), "arguments": text()}}}
		})
		c := map[string]any{"delta": delta, "logprobs": map[string]any{"content": []any{text(), 1.5, nil, true}}}
		optional(t, "text", c, text)
		optional(t, "finish_reason", c, func() any { return rapid.SampledFrom([]string{"stop", "length"}).Draw(t, "finish") })
		return c
	}
	chunk := map[string]any{"id": text(), "created": 1.7e9}
	optional(t, "choices", chunk, func() any {
		return rapid.SliceOfN(rapid.Custom(func(*rapid.T) any { return choice() }), 0, 1).Draw(t, "choices")
	})
	optional(t, "usage", chunk, func() any {
		u := map[string]any{"prompt_tokens": 3}
		optional(t, "completion_tokens", u, func() any { return rapid.IntRange(0, 1e6).Draw(t, "n") })
		return u
	})
	b, err := json.Marshal(chunk)
	require.NoError(t, err)
	return b
}

func TestScannerAgreesWithDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawChunk(t)
		got, err := scanChunk(b)
		require.NoError(t, err)
		token, visible, finish, output := reference(t, b)
		require.Equal(t, token, got.token, "%s", b)
		require.Equal(t, visible, got.visible, "%s", b)
		require.Equal(t, finish, string(got.finish), "%s", b)
		require.Equal(t, output, got.usage.output, "%s", b)
	})
}

func TestACutChunkIsNoticed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawChunk(t)
		_, err := scanChunk(b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")])
		require.Error(t, err)
	})
}

func TestScanningAllocatesNothing(t *testing.T) {
	b := []byte(stub{}.payload(scriptOp{"C", "token"}))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := scanChunk(b); err != nil {
			t.Fatal(err)
		}
	}))
}

func FuzzScanChunk(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"delta":{"content":"a"}}]}`, `{"error":{"code":"x"}}`, `{"usage":{"completion_tokens":1e3}}`, `{"choices":{}}`,
		`{"choices":[[[[`, `{"a":"\\\""}`, strings.Repeat(`{"a":[`, 50),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := scanChunk(in)
		var valid map[string]json.RawMessage
		if err == nil && json.Unmarshal(in, &valid) == nil && len(valid) == 0 {
			require.Equal(t, chunk{}, c)
		}
		if c.visible {
			require.True(t, c.token)
		}
	})
}
