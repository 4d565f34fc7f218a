package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

var everyAPI = []swap.API{
	swap.APIChat, swap.APICompletions, swap.APITGI, swap.APISGLang, swap.APITriton, swap.APIOllama, swap.APIImages, swap.APISpeech,
	swap.APITranscriptions,
}

// checkScan scans two events with one scanner and checks what holds for any bytes.
func checkScan(t require.TestingT, api swap.API, first, second []byte) {
	p, ok := For(api)
	require.True(t, ok)
	s := p.NewScanner(Ask{API: api, Audio: first, Image: &swap.ImageAsk{Width: 8, Height: 8}})
	for _, data := range [][]byte{first, second, first, second} {
		before := bytes.Clone(data)
		var c Chunk
		err := s.Scan(nil, data, &c)
		require.Equal(t, before, data, "the bytes of the event are left alone")
		require.True(t, !c.Visible || c.Token)
		require.True(t, c.Tokens == 0 || c.Token)
		require.GreaterOrEqual(t, c.Tokens, int32(0))
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			require.Zero(t, c)
		}
		if api == swap.APIChat {
			sameAsFresh(t, data, c, err)
		}
	}
}

// sameAsFresh checks that what a scanner learnt from other chunks changes nothing but the tokens per chunk.
func sameAsFresh(t require.TestingT, data []byte, got Chunk, gotErr error) {
	want, err := scanOne(t, swap.APIChat, "", string(data))
	require.Equal(t, err, gotErr)
	want.Tokens, got.Tokens = 0, 0
	require.Equal(t, want, got, "%s", data)
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"delta":{"content":"a"}}]}`, `{"error":{"code":"x"}}`, `{"usage":{"completion_tokens":1e3}}`,
		`{"\u0063hoices":[{"d\u0065lta":{"content":"a"}}],"usage":{"prompt_tokens":5.0,"completion_tokens":2.5}}`, `{"choices":{}}`,
		`{"choices":[{"delta":{"content":"a\\"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, "[DONE]",
		`{"choices":[[[[`, `{"a":"\\\""}`, strings.Repeat(`{"a":[`, 50), `{"token":{"text":"a","special":true},"details":{"generated_tokens":1}}`,
		`{"text":"ab","output_ids":[1,2],"meta_info":{"completion_tokens":2,"finish_reason":{"type":"stop"}}}`,
		`{"text_output":"a","num_output_tokens":1}`, `{"message":{"content":"a"},"done":true,"eval_count":3}`, `{"data":[{"b64_json":"AA"}]}`,
		string(wav(4, 4)),
	} {
		for api := range everyAPI {
			f.Add(byte(api), []byte(seed), []byte(strings.Replace(seed, "a", `b\"`, 1)))
		}
	}
	f.Fuzz(func(t *testing.T, api byte, first, second []byte) {
		checkScan(t, everyAPI[int(api)%len(everyAPI)], first, second)
	})
}

func FuzzErrorCode(f *testing.F) {
	f.Add([]byte(`{"error":{"type":"a","code":1},"error_type":"b"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		require.False(t, strings.ContainsAny(ErrorCode(body), " \n\"'<>&:"))
	})
}

func FuzzUnquote(f *testing.F) {
	f.Add("a\n\"é😀\\")
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		raw := quoted[1 : len(quoted)-1]
		if utf8.ValidString(text) {
			require.Equal(t, text, Unquote(raw))
		}
		Unquote([]byte(text))
	})
}

// decoded is a chunk as encoding/json reads it.
func decoded(t require.TestingT, b []byte) (token, visible bool, text, finish string, output Count) {
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
		for _, s := range []*string{ch.Delta.Content, ch.Text} {
			visible = visible || full(s)
			if full(s) && text == "" {
				text = *s
			}
		}
		for _, tool := range ch.Delta.ToolCalls {
			visible = visible || tool.Function.Name+tool.Function.Arguments != ""
		}
		token = token || visible || full(ch.Delta.Reasoning)
		if full(ch.FinishReason) {
			finish = *ch.FinishReason
		}
	}
	if c.Usage != nil && c.Usage.Completion != nil {
		output = Count{N: *c.Usage.Completion, Known: true}
	}
	return token, visible, text, finish, output
}

func optional(t *rapid.T, name string, m map[string]any, value func() any) {
	switch rapid.IntRange(0, 2).Draw(t, name) {
	case 1:
		m[name] = nil
	case 2:
		m[name] = value()
	}
}

func drawText(t *rapid.T) any {
	return rapid.SampledFrom([]string{"", "a", `"`, `\`, "\\\"", "é😀", "]}", "\n", "0", `",`}).Draw(t, "text")
}

func drawChunk(t *rapid.T) []byte {
	text := func() any { return drawText(t) }
	choice := rapid.Custom(func(t *rapid.T) any {
		delta := map[string]any{}
		optional(t, "content", delta, text)
		optional(t, "reasoning_content", delta, text)
		optional(t, "tool_calls", delta, func() any {
			return []any{map[string]any{"index": 0, "function": map[string]any{"name": text(), "arguments": text()}}}
		})
		c := map[string]any{"delta": delta}
		optional(t, "logprobs", c, func() any { return map[string]any{"content": []any{text(), 1.5, nil, true}} })
		optional(t, "finish_reason", c, func() any { return rapid.SampledFrom([]string{"stop", "length"}).Draw(t, "finish") })
		return c
	})
	chunk := map[string]any{"id": "x", "created": 1.7e9}
	optional(t, "choices", chunk, func() any { return rapid.SliceOfN(choice, 0, 2).Draw(t, "choices") })
	optional(t, "usage", chunk, func() any {
		u := map[string]any{"prompt_tokens": 3, "total_tokens": rapid.IntRange(0, 12).Draw(t, "total")}
		optional(t, "completion_tokens", u, func() any { return rapid.IntRange(0, 1e6).Draw(t, "n") })
		return u
	})
	b, err := json.Marshal(chunk)
	require.NoError(t, err)
	return b
}

// A stream of any chunks is scanned as encoding/json would read each of them.
func TestScannerAgreesWithDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := chat{}.NewScanner(Ask{})
		for range rapid.IntRange(1, 6).Draw(t, "chunks") {
			b := drawChunk(t)
			var c Chunk
			require.NoError(t, s.Scan(nil, b, &c))
			token, visible, text, finish, output := decoded(t, b)
			require.Equal(t, token, c.Token, "%s", b)
			require.Equal(t, visible, c.Visible, "%s", b)
			require.Equal(t, text, Unquote(c.Text), "%s", b)
			require.Equal(t, finish, string(c.Finish), "%s", b)
			require.Equal(t, output, c.Usage.Output, "%s", b)
		}
	})
}

// A key may be written with escapes, and means the same.
func TestScannerDecodesKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawChunk(t)
		var want, got Chunk
		require.NoError(t, chat{}.NewScanner(Ask{}).Scan(nil, b, &want))
		s := chat{}.NewScanner(Ask{})
		for range rapid.IntRange(1, 3).Draw(t, "chunks") {
			require.NoError(t, s.Scan(nil, escapeKeys(t, b), &got))
			want.Tokens, got.Tokens = 0, 0
			require.Equal(t, want, got)
		}
	})
}

// escapeKeys writes the first character of some keys as an escape.
func escapeKeys(t *rapid.T, b []byte) []byte {
	for _, key := range []string{
		"choices", "delta", "content", "reasoning_content", "tool_calls", "function", "finish_reason", "usage", "completion_tokens",
	} {
		if rapid.Bool().Draw(t, key) {
			b = bytes.ReplaceAll(b, []byte(`"`+key+`":`), fmt.Appendf(nil, `"\u%04x%s":`, key[0], key[1:]))
		}
	}
	return b
}

// A scanner that has seen a chunk scans a mutilated copy of it as a new scanner does.
func TestTemplateChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawChunk(t)
		at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		to := rapid.IntRange(at, len(b)).Draw(t, "to")
		piece := rapid.SampledFrom([]string{"", `"`, `\`, "7", "-", ",", "}", "x", " "}).Draw(t, "piece")
		checkScan(t, swap.APIChat, b, slices.Concat(b[:at], []byte(piece), b[to:]))
	})
}

func TestScanningAllocatesNothing(t *testing.T) {
	events := map[swap.API]string{
		swap.APIChat:   delta(`"content":"token"`),
		swap.APITGI:    `{"token":{"id":1,"text":"Hi","special":false},"generated_text":null,"details":null}`,
		swap.APISGLang: `{"text":"Hi","output_ids":[1],"meta_info":{"finish_reason":null,"prompt_tokens":6,"completion_tokens":1}}`,
		swap.APITriton: `{"model_name":"m","text_output":"a","num_output_tokens":1}`,
		swap.APIOllama: `{"message":{"content":"a"},"done":false}`,
		swap.APIImages: `{"data":[{"b64_json":"AAAA"}]}`,
	}
	for api, event := range events {
		p, _ := For(api)
		s := p.NewScanner(Ask{API: api})
		var c Chunk
		data := [][]byte{[]byte(event), []byte(strings.Replace(event, "1", "2", 1))}
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for _, d := range data {
				if err := s.Scan(nil, d, &c); err != nil {
					t.Fatal(err)
				}
			}
		}), api)
	}
}
