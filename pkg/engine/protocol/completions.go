package protocol

import (
	"encoding/json"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
)

// chat is POST /v1/chat/completions.
type chat struct{}

// completions is POST /v1/completions.
type completions struct{}

type completionBody struct {
	Model               string         `json:"model"`
	Messages            []Message      `json:"messages,omitempty"`
	Prompt              string         `json:"prompt,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         float64        `json:"temperature"`
	IgnoreEOS           bool           `json:"ignore_eos,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage         bool `json:"include_usage"`
	ContinuousUsageStats bool `json:"continuous_usage_stats,omitempty"`
}

func newCompletionBody(a Ask, model string, c Capabilities) completionBody {
	b := completionBody{Model: a.model(model), Temperature: a.Temperature, IgnoreEOS: a.IgnoreEOS, Stream: true}
	if c.UsageInStream || c.RunningUsage {
		b.StreamOptions = &streamOptions{IncludeUsage: true, ContinuousUsageStats: c.RunningUsage}
	}
	return b
}

func (chat) Request(a Ask, model string, c Capabilities) (Request, error) {
	b := newCompletionBody(a, model, c)
	b.Messages = a.conversation()
	if c.TokenLimit == MaxCompletionTokensKey {
		b.MaxCompletionTokens = a.MaxTokens
	} else {
		b.MaxTokens = a.MaxTokens
	}
	return streamRequest("/v1/chat/completions", b)
}

func (completions) Request(a Ask, model string, c Capabilities) (Request, error) {
	b := newCompletionBody(a, model, c)
	b.Prompt, b.MaxTokens = a.text(), a.MaxTokens
	return streamRequest("/v1/completions", b)
}

func streamRequest(path string, body any) (Request, error) {
	return jsonRequest(path, typeEventStream, body)
}

func jsonRequest(path, accept string, body any) (Request, error) {
	payload, err := json.Marshal(body)
	return Request{Path: path, ContentType: typeJSON, Accept: accept, Body: payload}, err
}

func (chat) Framing() eventstream.Framing        { return eventstream.Events }
func (completions) Framing() eventstream.Framing { return eventstream.Events }

func (chat) Ending() Ending        { return Ending{Finish: true, Terminator: true} }
func (completions) Ending() Ending { return Ending{Finish: true, Terminator: true} }

func (chat) NewScanner(Ask) Scanner        { return &completionScanner{} }
func (completions) NewScanner(Ask) Scanner { return &completionScanner{} }
