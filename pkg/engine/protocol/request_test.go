package protocol

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestRequests(t *testing.T) {
	turns := []Message{{"user", "a"}, {"assistant", "b"}, {"user", "c"}}
	cases := []struct {
		name, path, body string
		ask              Ask
		caps             Capabilities
	}{
		{
			"chat", "/v1/chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":9,"temperature":0,"stream":true}`,
			Ask{API: swap.APIChat, Prompt: "hi", MaxTokens: 9},
			Capabilities{},
		},
		{
			"chat with all", "/v1/chat/completions",
			`{"model":"lora","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}],` +
				`"max_completion_tokens":9,"temperature":0.5,"ignore_eos":true,"stream":true,"stream_options":{"include_usage":true}}`,
			Ask{API: swap.APIChat, Model: "lora", Prompt: "replaced", Messages: turns, MaxTokens: 9, Temperature: 0.5, IgnoreEOS: true},
			Capabilities{UsageInStream: true, TokenLimit: MaxCompletionTokensKey},
		},
		{
			"completions with running usage", "/v1/completions",
			`{"model":"m","prompt":"user: a\nassistant: b\nuser: c\n","max_tokens":9,"temperature":0,"stream":true,` +
				`"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`,
			Ask{API: swap.APICompletions, Messages: turns, MaxTokens: 9},
			Capabilities{RunningUsage: true, TokenLimit: MaxCompletionTokensKey},
		},
		{
			"tgi", "/generate_stream",
			`{"inputs":"hi","parameters":{"max_new_tokens":9,"do_sample":false,"details":true}}`,
			Ask{API: swap.APITGI, Messages: []Message{{"user", "hi"}}, MaxTokens: 9},
			Capabilities{UsageInStream: true},
		},
		{
			"tgi with sampling", "/generate_stream",
			`{"inputs":"hi","parameters":{"temperature":0.5,"do_sample":true,"details":true}}`,
			Ask{API: swap.APITGI, Prompt: "hi", Temperature: 0.5},
			Capabilities{},
		},
		{
			"sglang", "/generate",
			`{"text":"hi","sampling_params":{"max_new_tokens":9,"temperature":0,"ignore_eos":true},"stream":true}`,
			Ask{API: swap.APISGLang, Prompt: "hi", MaxTokens: 9, IgnoreEOS: true},
			Capabilities{},
		},
		{
			"triton", "/v2/models/my%2Fmodel/generate_stream",
			`{"text_input":"hi","parameters":{"stream":true,"max_tokens":9,"temperature":0}}`,
			Ask{API: swap.APITriton, Model: "my/model", Prompt: "hi", MaxTokens: 9},
			Capabilities{},
		},
		{
			"triton with counts", "/v2/models/m/generate_stream",
			`{"text_input":"hi","parameters":{"stream":true,"max_tokens":9,"temperature":0,"ignore_eos":true,"min_tokens":9,` +
				`"return_finish_reason":true,"return_num_input_tokens":true,"return_num_output_tokens":true}}`,
			Ask{API: swap.APITriton, Prompt: "hi", MaxTokens: 9, IgnoreEOS: true},
			Capabilities{UsageInStream: true},
		},
		{
			"ollama", "/api/chat",
			`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true,"options":{"num_predict":9,"temperature":0}}`,
			Ask{API: swap.APIOllama, Prompt: "hi", MaxTokens: 9},
			Capabilities{UsageInStream: true},
		},
		{
			"images", "/v1/images/generations",
			`{"model":"m","prompt":"a cat","n":1,"size":"512x256","num_inference_steps":20,"response_format":"b64_json"}`,
			Ask{API: swap.APIImages, Prompt: "a cat", Image: &swap.ImageAsk{Width: 512, Height: 256, Steps: 20}},
			Capabilities{},
		},
		{
			"images as the server likes", "/v1/images/generations",
			`{"model":"m","prompt":"a cat","n":1,"response_format":"b64_json"}`,
			Ask{API: swap.APIImages, Prompt: "a cat"},
			Capabilities{},
		},
		{
			"speech", "/v1/audio/speech",
			`{"model":"m","input":"hi","voice":"alloy","response_format":"wav"}`,
			Ask{API: swap.APISpeech, Prompt: "hi", Voice: "alloy"},
			Capabilities{},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, ok := For(c.ask.API)
			require.True(t, ok)
			r, err := p.Request(c.ask, "m", c.caps)
			require.NoError(t, err)
			require.Equal(t, c.path, r.Path)
			require.Equal(t, "application/json", r.ContentType)
			require.NotEmpty(t, r.Accept)
			require.Equal(t, c.body, string(r.Body))
		})
	}
}

func TestIgnoreEOSWhereItCannotBeAsked(t *testing.T) {
	for _, api := range []swap.API{swap.APITGI, swap.APIOllama} {
		p, _ := For(api)
		_, err := p.Request(Ask{API: api, IgnoreEOS: true}, "m", Capabilities{})
		var unsupported *UnsupportedError
		require.ErrorAs(t, err, &unsupported)
		require.ErrorContains(t, err, "the interface "+string(api)+" cannot be asked for ignore_eos")
	}
}

func TestFramingAndEnding(t *testing.T) {
	want := map[swap.API]struct {
		framing eventstream.Framing
		ending  Ending
	}{
		swap.APIChat:           {eventstream.Events, Ending{Finish: true, Terminator: true}},
		swap.APICompletions:    {eventstream.Events, Ending{Finish: true, Terminator: true}},
		swap.APITGI:            {eventstream.Events, Ending{Finish: true}},
		swap.APISGLang:         {eventstream.Events, Ending{Finish: true, Terminator: true}},
		swap.APITriton:         {eventstream.Events, Ending{}},
		swap.APIOllama:         {eventstream.Lines, Ending{Terminator: true}},
		swap.APIImages:         {eventstream.Whole, Ending{Terminator: true}},
		swap.APISpeech:         {eventstream.Whole, Ending{Terminator: true}},
		swap.APITranscriptions: {eventstream.Whole, Ending{Terminator: true}},
	}
	for api, w := range want {
		p, ok := For(api)
		require.True(t, ok)
		require.Equal(t, w.framing, p.Framing(), api)
		require.Equal(t, w.ending, p.Ending(), api)
	}
	require.Len(t, protocols, len(want))
	_, ok := For("gopher")
	require.False(t, ok)
}

func TestCapabilitiesOfFacts(t *testing.T) {
	require.Equal(t, Capabilities{UsageInStream: true, RunningUsage: true, TokenLimit: MaxCompletionTokensKey},
		CapabilitiesOf(swap.ArmFacts{UsageInStream: true, RunningUsage: true, TokenLimitKey: "max_completion_tokens"}))
}
