package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// with sets usage and tokens of a chunk that has them.
func (s seen) with(prompt, output, cached, tokens int32) seen {
	s.flags += "u"
	s.prompt, s.output, s.cached, s.tokens = prompt, output, cached, tokens
	return s
}

func (s seen) ending(reason string) seen {
	s.finish = reason
	return s
}

func (s seen) coded(code string) seen {
	s.code = code
	return s
}

func (s seen) of(tokens int32) seen {
	s.tokens = tokens
	return s
}

func TestCompletionsStream(t *testing.T) {
	head := `{"id":"cmpl-1","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":`
	checkStream(t, Ask{API: swap.APICompletions}, []scanStep{
		{head + `" a","logprobs":null,"finish_reason":null}],"usage":null}`, plain("ctv", " a")},
		{head + `"","logprobs":null,"finish_reason":null}],"usage":null}`, plain("c", "")},
		{head + `" b","logprobs":null,"finish_reason":"length","stop_reason":null}],"usage":null}`, plain("ctv", " b").ending("length")},
		{`{"id":"cmpl-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,` +
			`"prompt_tokens_details":{"cached_tokens":8}}}`, plain("", "").with(9, 3, 8, 0)},
		{"[DONE]", plain("d", "")},
	})
}

// vLLM's last chunk with running usage and a system fingerprint.
func TestChatFingerprint(t *testing.T) {
	c, err := scanOne(t, swap.APIChat, "", `{"choices":[],"system_fingerprint":"vllm-0.27.0-tp2-1a2b3c4d","usage":{"prompt_tokens":1}}`)
	require.NoError(t, err)
	require.Equal(t, "vllm-0.27.0-tp2-1a2b3c4d", string(c.Fingerprint))
}

func TestTGIStream(t *testing.T) {
	event := func(token string) string {
		return `{"index":1,"token":` + token + `,"top_tokens":[],"generated_text":null,"details":null}`
	}
	last := `{"index":5,"token":{"id":2,"text":"</s>","logprob":-0.1,"special":true},"generated_text":"Hi 😀",` +
		`"details":{"finish_reason":"eos_token","generated_tokens":5,"seed":null,"input_length":7}}`
	checkStream(t, Ask{API: swap.APITGI}, []scanStep{
		{event(`{"id":1,"text":"Hi","logprob":-0.5,"special":false}`), plain("ctv", "Hi").of(1)},
		// A character of two tokens: the first brings no text.
		{event(`{"id":2,"text":"","logprob":-0.5,"special":false}`), plain("c", "")},
		{event(`{"special":false,"id":3,"text":" 😀","logprob":-0.5}`), plain("ctv", " 😀").of(2)},
		{event(`{"special":true,"id":3,"text":"<pad>","logprob":-0.5}`), plain("c", "")},
		{last, plain("c", "").ending("eos_token").with(7, 5, -1, 0)},
	})
	checkStream(t, Ask{API: swap.APITGI}, []scanStep{
		{`{"error":"Request failed during generation: my prompt","error_type":"generation"}`, plain("f", "").coded("generation")},
		{`{"error":{"message":"m","http_status_code":422}}`, plain("f", "")},
		// The last token at the limit of length is a token as any other.
		{
			`{"index":1,"token":{"id":1,"text":"x","special":false},"generated_text":"x","details":{"finish_reason":"length","generated_tokens":1}}`,
			plain("ctv", "x").of(1).ending("length").with(-1, 1, -1, 1),
		},
	})
}

func TestSGLangCumulativeStream(t *testing.T) {
	checkStream(t, Ask{API: swap.APISGLang}, []scanStep{
		{
			`{"text":"","output_ids":[],"meta_info":{"id":"r","finish_reason":null,"prompt_tokens":6,"completion_tokens":0,"cached_tokens":4}}`,
			plain("c", "").with(6, 0, 4, 0),
		},
		{
			`{"text":"Hi","output_ids":[1],"meta_info":{"id":"r","finish_reason":null,"prompt_tokens":6,"completion_tokens":1,"cached_tokens":4}}`,
			plain("ctvw", "Hi").with(6, 1, 4, 1),
		},
		// Half a character is held back: a token, and nothing new to see.
		{
			`{"text":"Hi","output_ids":[1,2],"meta_info":{"prompt_tokens":6,"completion_tokens":2,"cached_tokens":4,"finish_reason":null}}`,
			plain("cw", "Hi").with(6, 2, 4, 0),
		},
		{
			`{"text":"Hi 😀","output_ids":[1,2,3],"meta_info":{"prompt_tokens":6,"completion_tokens":3,"cached_tokens":4,"finish_reason":null}}`,
			plain("ctvw", "Hi 😀").with(6, 3, 4, 2),
		},
		{
			`{"text":"Hi 😀","output_ids":[1,2,3,4],"meta_info":{"finish_reason":{"type":"stop","matched":2},"prompt_tokens":6,` +
				`"weight_version":"default","completion_tokens":4,"cached_tokens":4,"e2e_latency":0.5}}`,
			plain("cw", "Hi 😀").with(6, 4, 4, 0).ending("stop"),
		},
		{"[DONE]", plain("d", "")},
	})
}

// A server with incremental streaming output sends only the new ids, and the same text may come twice.
func TestSGLangIncrementalStream(t *testing.T) {
	checkStream(t, Ask{API: swap.APISGLang}, []scanStep{
		{`{"text":" ha","output_ids":[7],"meta_info":{"prompt_tokens":6,"completion_tokens":1}}`, plain("ctvw", " ha").with(6, 1, -1, 1)},
		{`{"text":" ha","output_ids":[7],"meta_info":{"prompt_tokens":6,"completion_tokens":2}}`, plain("ctv", " ha").with(6, 2, -1, 1)},
		{
			`{"text":"!","output_ids":[8,9],"meta_info":{"prompt_tokens":6,"completion_tokens":4,"finish_reason":{"type":"length","length":4}}}`,
			plain("ctv", "!").with(6, 4, -1, 2).ending("length"),
		},
	})
}

func TestSGLangFailures(t *testing.T) {
	checkStream(t, Ask{API: swap.APISGLang}, []scanStep{
		{`{"error":{"message":"The input (9 tokens) is longer"}}`, plain("f", "")},
		{
			`{"text":"","meta_info":{"finish_reason":{"type":"abort","message":"m","status_code":503,"err_type":"Overloaded"}}}`,
			plain("c", "").with(-1, -1, -1, 0).ending("abort").coded("Overloaded"),
		},
	})
	c, err := scanOne(t, swap.APISGLang, "", `{"text":"a","meta_info":{"weight_version":"v2"}}`)
	require.NoError(t, err)
	require.Equal(t, "v2", string(c.Fingerprint))
}

func TestTritonStream(t *testing.T) {
	// TensorRT-LLM ensemble.
	checkStream(t, Ask{API: swap.APITriton}, []scanStep{
		{`{"context_logits":0.0,"cum_log_probs":0.0,"model_name":"ensemble","model_version":"1","output_log_probs":[0.0],` +
			`"sequence_end":false,"sequence_id":0,"sequence_start":false,"text_output":" a"}`, plain("ctv", " a")},
		{`{"model_name":"ensemble","model_version":"1","text_output":""}`, plain("c", "")},
		{`{"error":"in ensemble 'ensemble', failed"}`, plain("f", "")},
	})
	// vLLM backend with counts of each response.
	checkStream(t, Ask{API: swap.APITriton}, []scanStep{
		{
			`{"finish_reason":"None","model_name":"m","model_version":"2","num_input_tokens":5,"num_output_tokens":1,"text_output":"a"}`,
			plain("ctv", "a").with(5, 1, -1, 1),
		},
		{
			`{"finish_reason":"None","model_name":"m","model_version":"2","num_input_tokens":5,"num_output_tokens":1,"text_output":""}`,
			plain("c", "").with(5, 2, -1, 0),
		},
		{
			`{"finish_reason":"stop","model_name":"m","model_version":"2","num_input_tokens":5,"num_output_tokens":3,"text_output":"b"}`,
			plain("ctv", "b").with(5, 5, -1, 4).ending("stop"),
		},
	})
	c, err := scanOne(t, swap.APITriton, "", `{"model_version":"2","text_output":"a"}`)
	require.NoError(t, err)
	require.Equal(t, "2", string(c.Fingerprint))
}

func TestOllamaStream(t *testing.T) {
	head := `{"model":"m","created_at":"2026-08-21T10:00:00Z","message":{"role":"assistant",`
	checkStream(t, Ask{API: swap.APIOllama}, []scanStep{
		{head + `"content":"","thinking":"hm"},"done":false}`, plain("ct", "")},
		{head + `"content":"Hi"},"done":false}`, plain("ctv", "Hi")},
		{head + `"content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":false}`, plain("ctv", "")},
		{head + `"content":""},"done_reason":"stop","done":true,"total_duration":5,"load_duration":1,"prompt_eval_count":26,` +
			`"prompt_eval_duration":1,"eval_count":3,"eval_duration":2}`, plain("cd", "").ending("stop").with2(26, 3)},
	})
	checkStream(t, Ask{API: swap.APIOllama}, []scanStep{
		{`{"error":"an error was encountered while running the model"}`, plain("f", "")},
		{`{"message":{"content":"x"},"done":true}`, plain("ctvd", "x")},
	})
	_, err := scanOne(t, swap.APIOllama, "", "not json")
	require.ErrorIs(t, err, ErrMalformed)
}

// with2 is with for a server that counts prompt and answer only.
func (s seen) with2(prompt, output int32) seen { return s.with(prompt, output, -1, 0) }
