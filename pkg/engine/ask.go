package engine

import (
	"encoding/json"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Ask is one request.
type Ask struct {
	API swap.API
	// Model overrides the model of the client's target, for a gateway that serves several; empty takes the target's.
	Model       string
	Prompt      string
	MaxTokens   int
	Temperature float64
	// IgnoreEOS asks the server to generate exactly MaxTokens.
	IgnoreEOS bool
	// TraceParent is the W3C traceparent header; empty sends none.
	TraceParent string
	// Timeout bounds the whole request from the call of Stream; 0 leaves it to the context.
	Timeout time.Duration
}

// TokenLimitKey names the JSON field that limits the length of an answer.
type TokenLimitKey string

// The two fields in use. Servers know the first; some gateways refuse it for newer models and want the second.
const (
	MaxTokensKey           TokenLimitKey = "max_tokens"
	MaxCompletionTokensKey TokenLimitKey = "max_completion_tokens"
)

// Capabilities is what a request may contain, as Probe found out. Both arms should be asked with the same.
type Capabilities struct {
	// UsageInStream asks for token counts with stream_options.
	UsageInStream bool
	// TokenLimit is the field for the length of a chat answer; empty is max_tokens.
	TokenLimit TokenLimitKey
}

// CapabilitiesOf reads the capabilities that Probe wrote into an arm's facts.
func CapabilitiesOf(f swap.ArmFacts) Capabilities {
	return Capabilities{UsageInStream: f.UsageInStream, TokenLimit: TokenLimitKey(f.TokenLimitKey)}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type body struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages,omitempty"`
	Prompt              string         `json:"prompt,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         float64        `json:"temperature"`
	IgnoreEOS           bool           `json:"ignore_eos,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

// encode returns the path and the JSON body of a request.
func (a Ask) encode(model string, c Capabilities) (path string, payload []byte, err error) {
	b := body{Model: model, Temperature: a.Temperature, IgnoreEOS: a.IgnoreEOS, Stream: true}
	if a.Model != "" {
		b.Model = a.Model
	}
	if c.UsageInStream {
		b.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	path = "/v1/chat/completions"
	if a.API == swap.APICompletions {
		path = "/v1/completions"
		b.Prompt, b.MaxTokens = a.Prompt, a.MaxTokens
	} else {
		b.Messages = []message{{Role: "user", Content: a.Prompt}}
		if c.TokenLimit == MaxCompletionTokensKey {
			b.MaxCompletionTokens = a.MaxTokens
		} else {
			b.MaxTokens = a.MaxTokens
		}
	}
	payload, err = json.Marshal(b)
	return path, payload, err
}
