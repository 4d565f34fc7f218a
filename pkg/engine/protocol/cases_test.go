package protocol

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// The T cases are failure stories of other load generators: a chunk that made them report a wrong number.

func delta(fields string) string {
	return `{"id":"x","choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func usageOf(output int) string {
	return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":%d}}`, output)
}

func counted(s seen, prompt, output int32) seen {
	s.flags += "u"
	s.prompt, s.output = prompt, output
	return s
}

func checkChat(t *testing.T, steps ...scanStep) {
	t.Helper()
	checkStream(t, Ask{API: swap.APIChat}, steps)
}

const roleOnly = `"role":"assistant","content":""`

func TestT05CharacterInOneChunk(t *testing.T) {
	checkChat(t, scanStep{delta(`"content":"😀"`), plain("ctv", "😀")}, scanStep{delta(`"content":"\ud83d\ude00"`), plain("ctv", "😀")})
}

func TestT07HugeChunk(t *testing.T) {
	huge := strings.Repeat("x", 300<<10)
	logprobs := strings.Repeat(`{"token":"]}"},`, 9000)
	checkChat(t,
		scanStep{delta(`"content":"a"`), plain("ctv", "a")},
		scanStep{delta(`"content":"` + huge + `"`), plain("ctv", huge)},
		scanStep{`{"choices":[{"delta":{"content":"b"},"logprobs":{"content":[` + logprobs + `0]}}]}`, plain("ctv", "b")},
	)
}

func TestT11RoleOnlyFirstChunk(t *testing.T) {
	checkChat(t,
		scanStep{delta(roleOnly), plain("c", "")},
		scanStep{delta(`"role":"assistant","content":null`), plain("c", "")},
		scanStep{delta(`"content":"a"`), plain("ctv", "a")},
	)
}

func TestT12EmptyCompletion(t *testing.T) {
	checkChat(t,
		scanStep{delta(roleOnly), plain("c", "")},
		scanStep{finish("stop"), finished("stop")},
		scanStep{usageOf(0), counted(plain("", ""), 5, 0)},
		scanStep{"[DONE]", plain("d", "")},
	)
}

func TestT14ReasoningDeltas(t *testing.T) {
	for _, key := range []string{"reasoning_content", "reasoning"} {
		checkChat(t,
			scanStep{delta(`"` + key + `":"hm"`), plain("ct", "")},
			scanStep{delta(`"` + key + `":"hm, yes"`), plain("ct", "")},
			scanStep{delta(`"` + key + `":""`), plain("c", "")},
			scanStep{delta(`"content":"a"`), plain("ctv", "a")},
		)
	}
}

func TestT15ReasoningOnly(t *testing.T) {
	checkChat(t,
		scanStep{delta(`"reasoning_content":"hm"`), plain("ct", "")},
		scanStep{finish("length"), finished("length")},
		scanStep{usageOf(20), counted(plain("", ""), 5, 20)},
	)
}

func TestT16UsageChunkWithoutChoices(t *testing.T) {
	checkChat(t,
		scanStep{delta(`"content":"a"`), plain("ctv", "a")},
		scanStep{usageOf(2), counted(plain("", ""), 5, 2)},
		scanStep{`{"choices":null,"usage":null}`, plain("", "")},
	)
}

func TestT18NullToolCallsThenRealOnes(t *testing.T) {
	checkChat(t,
		scanStep{delta(`"content":null,"tool_calls":null`), plain("c", "")},
		scanStep{delta(`"tool_calls":[]`), plain("c", "")},
		scanStep{delta(`"tool_calls":[null,{"index":0,"function":null}]`), plain("c", "")},
		scanStep{delta(`"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]`), plain("ctv", "")},
		scanStep{delta(`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`), plain("ctv", "")},
		scanStep{delta(`"function_call":{"name":"f"}`), plain("ctv", "")},
		scanStep{finish("tool_calls"), finished("tool_calls")},
	)
}

func TestT19UnknownAndNullFields(t *testing.T) {
	checkChat(t, scanStep{
		`{"new":{"a":[1,{"b":"]}"}]},"usage":null,"choices":[{"logprobs":null,"x":1.5e3,"delta":{"content":"a","y":[]}}]}`, plain("ctv", "a"),
	}, scanStep{
		` { "choices" : [ { "delta" : { "content" : "b" } , "text" : null } ] , "prompt_progress" : { "total" : 9 } } `, plain("ctv", "b"),
	})
}

// Some servers write their counts as another language's floats.
func TestCounts(t *testing.T) {
	for literal, want := range map[string]int32{
		"8": 8, "8.0": 8, "8e0": 8, "8E+0": 8, "0.8e1": 8, "80e-1": 8, "0": 0, "0.0": 0, "2147483647": 1<<31 - 1, "2147483647.0": 1<<31 - 1,
		"8.5": -1, "-8": -1, "-8.0": -1, "2147483648": -1, "1e10": -1, "1e999": -1, "1e-9": -1, "null": -1, `"8"`: -1, "true": -1, "[8]": -1,
		"8.": -1, "0x8": -1, "8e": -1, "99999999999999999999": -1, "8.00000000000000000000000000000000000000": -1,
	} {
		c, err := scanOne(t, swap.APIChat, "", `{"choices":[],"usage":{"completion_tokens":`+literal+`}}`)
		require.NoError(t, err, literal)
		require.Equal(t, want, see(c).output, literal)
	}
}

// Running counts that are floats still tell the tokens of a chunk, though no template holds them.
func TestRunningFloats(t *testing.T) {
	chunk := func(output string) string {
		return `{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5.0,"completion_tokens":` + output + `}}`
	}
	want := func(output, tokens int32) seen {
		s := counted(plain("ctv", "a"), 5, output)
		s.tokens = tokens
		return s
	}
	checkChat(t,
		scanStep{chunk("2.0"), want(2, 2)},
		scanStep{chunk("5.0"), want(5, 3)},
		scanStep{chunk("6"), want(6, 1)},
		scanStep{chunk("7.0"), want(7, 1)},
	)
}

func TestEscapedKeys(t *testing.T) {
	failed := plain("f", "")
	failed.code = "500"
	checkChat(t,
		scanStep{`{"\u0063hoices":[{"\u0064elta":{"conten\u0074":"a"}}]}`, plain("ctv", "a")},
		scanStep{`{"\u0065rror":{"code":500}}`, failed},
		scanStep{`{"\"choices":[{"delta":{"content":"a"}}],"\uZZ":1}`, plain("", "")},
	)
}

// T20 and T21: with running usage each chunk says how many tokens it holds.
func TestT20TokensPerChunk(t *testing.T) {
	chunk := func(text string, output int) string {
		return fmt.Sprintf(`{"choices":[{"delta":{"content":%q}}],"usage":{"prompt_tokens":5,"completion_tokens":%d,"total_tokens":%d}}`,
			text, output, output+5)
	}
	want := func(flags, text string, output, tokens int32) seen {
		s := counted(plain(flags, text), 5, output)
		s.tokens = tokens
		return s
	}
	checkChat(t,
		scanStep{chunk("", 0), want("c", "", 0, 0)},
		scanStep{chunk("eight", 8), want("ctv", "eight", 8, 8)},
		scanStep{chunk("four", 12), want("ctv", "four", 12, 4)},
		scanStep{chunk("", 13), want("c", "", 13, 0)},
		scanStep{chunk("three", 15), want("ctv", "three", 15, 3)},
		scanStep{usageOf(16), counted(plain("", ""), 5, 16)},
	)
}

// A total that comes once, or zeros with every chunk, says nothing about single chunks.
func TestT20UsageThatDoesNotRun(t *testing.T) {
	last := `{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":40}}`
	want := counted(plain("ctv", "b"), 5, 40)
	want.finish = "stop"
	checkChat(t, scanStep{delta(`"content":"a"`), plain("ctv", "a")}, scanStep{last, want})

	zero := `{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`
	checkChat(t, scanStep{zero, counted(plain("ctv", "a"), 0, 0)}, scanStep{last, want})
}

func TestT25FinishReasons(t *testing.T) {
	for _, reason := range []string{"stop", "length", "tool_calls", "content_filter", "abort"} {
		checkChat(t, scanStep{finish(reason), finished(reason)})
	}
	checkChat(t,
		scanStep{`{"choices":[{"delta":{},"finish_reason":null,"stop_reason":"end_turn"}]}`, finished("end_turn")},
		scanStep{`{"choices":[{"delta":{},"finish_reason":"stop","stop_reason":"END"}]}`, finished("stop")},
		scanStep{`{"choices":[{"delta":{},"finish_reason":"stop","stop_reason":128009}]}`, finished("stop")},
		scanStep{`{"choices":[{"delta":{},"finish_reason":null,"stop_reason":null}]}`, plain("c", "")},
	)
}

func TestT32ErrorInsideAStream(t *testing.T) {
	failed := func(flags, code string) seen {
		s := plain(flags, "")
		s.code = code
		return s
	}
	checkChat(t,
		scanStep{`{"error":{"message":"secret","code":500}}`, failed("f", "500")},
		scanStep{`{"error":{"message":"m","type":"server_error","code":500}}`, failed("f", "server_error")},
		scanStep{`{"error":"broken"}`, failed("f", "")},
		scanStep{`{"object":"error","message":"m","type":"BadRequest","code":400}`, failed("f", "BadRequest")},
		scanStep{`{"error":{"type":"my secret prompt"}}`, failed("f", "")},
	)
	for _, none := range []string{"null", `""`, "false", "[]"} {
		checkChat(t, scanStep{`{"error":` + none + `,"choices":[{"delta":{"content":"a"}}]}`, plain("ctv", "a")})
	}
}

func TestT32EventNamedError(t *testing.T) {
	for _, api := range []swap.API{swap.APIChat, swap.APITGI, swap.APISGLang, swap.APITriton} {
		c, err := scanOne(t, api, "error", "something broke")
		require.NoError(t, err)
		require.Equal(t, plain("f", ""), see(c))
		c, err = scanOne(t, api, "error", `{"error":{"type":"overloaded"}}`)
		require.NoError(t, err)
		require.Equal(t, "overloaded", SafeCode(c.Code))
	}
}

// T33: a chunk that was cut off is an error wherever it is cut, for every interface.
func TestT33CutChunk(t *testing.T) {
	whole := map[swap.API]string{
		swap.APIChat:           delta(`"content":"a\"b","tool_calls":[{"function":{"name":"f"}}]`),
		swap.APITGI:            `{"index":1,"token":{"id":5,"text":" a","special":false},"generated_text":null,"details":null}`,
		swap.APISGLang:         `{"text":"a","output_ids":[1,2],"meta_info":{"completion_tokens":2,"finish_reason":{"type":"stop"}}}`,
		swap.APITriton:         `{"model_name":"m","model_version":"1","text_output":"a"}`,
		swap.APIOllama:         `{"model":"m","message":{"role":"assistant","content":"a"},"done":false}`,
		swap.APIImages:         `{"created":1,"data":[{"b64_json":"AAAA"}]}`,
		swap.APITranscriptions: `{"text":"a"}`,
	}
	for api, data := range whole {
		_, err := scanOne(t, api, "", data)
		require.NoError(t, err, api)
		for cut := range len(data) {
			c, err := scanOne(t, api, "", data[:cut])
			require.ErrorIs(t, err, ErrMalformed, "%s: %s", api, data[:cut])
			require.Zero(t, c)
		}
	}
}

func TestMalformedChunks(t *testing.T) {
	for _, bad := range []string{
		`{"choices":[}`, `{"choices":{}}`, `{"choices":[[]]}`, `[]`, `"x"`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{"a":}`, `{}{}`, `{"a":[1}`,
		`{"a":1 "b":2}`, `{"delta":1`, `oops`, `{"choices":[{"delta":5}]}`, "{\"a\":\x00}", `{a:1}`,
	} {
		_, err := scanOne(t, swap.APIChat, "", bad)
		require.ErrorIs(t, err, ErrMalformed, bad)
	}
}
