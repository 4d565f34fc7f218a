package protocol

import (
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Ask is one request.
type Ask struct {
	API swap.API
	// Model overrides the model that Request is called with, for a gateway that serves several; empty takes that one.
	Model  string
	Prompt string
	// Messages are a conversation; when set they replace Prompt. An interface that takes one text gets them as lines with the
	// speakers' names.
	Messages []Message
	// MaxTokens is the length of the answer; 0 leaves it to the server.
	MaxTokens   int
	Temperature float64
	// IgnoreEOS asks the server to generate exactly MaxTokens.
	IgnoreEOS bool
	// KeepText says that the caller wants the text of the answer.
	KeepText bool
	// Image is what to draw, with api images.
	Image *swap.ImageAsk
	// Audio is a WAV file to transcribe.
	Audio []byte
	// Voice speaks, with api speech; empty leaves it to the server.
	Voice string
	// TraceParent is the W3C traceparent header; empty sends none.
	TraceParent string
	// Timeout bounds the whole request; 0 leaves it to the context.
	Timeout time.Duration
}

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (a Ask) conversation() []Message {
	if len(a.Messages) > 0 {
		return a.Messages
	}
	return []Message{{Role: "user", Content: a.Prompt}}
}

// text is the ask for an interface that takes one text.
func (a Ask) text() string {
	switch len(a.Messages) {
	case 0:
		return a.Prompt
	case 1:
		return a.Messages[0].Content
	}
	var b strings.Builder
	for _, m := range a.Messages {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	return b.String()
}

func (a Ask) model(fallback string) string {
	if a.Model != "" {
		return a.Model
	}
	return fallback
}

// TokenLimitKey names the JSON field that limits the length of an answer.
type TokenLimitKey string

// The two fields in use. Servers know the first; some gateways refuse it for newer models and want the second.
const (
	MaxTokensKey           TokenLimitKey = "max_tokens"
	MaxCompletionTokensKey TokenLimitKey = "max_completion_tokens"
)

// Capabilities is what a request may contain. Both arms should be asked with the same.
type Capabilities struct {
	// UsageInStream asks for token counts: stream_options.include_usage, or Triton's return_num_*_tokens.
	UsageInStream bool
	// RunningUsage asks for token counts with every chunk: stream_options.continuous_usage_stats of vLLM and SGLang. It implies
	// UsageInStream.
	RunningUsage bool
	// TokenLimit is the field for the length of a chat answer; empty is max_tokens.
	TokenLimit TokenLimitKey
}

// CapabilitiesOf reads the capabilities that were written into an arm's facts.
func CapabilitiesOf(f swap.ArmFacts) Capabilities {
	return Capabilities{UsageInStream: f.UsageInStream, RunningUsage: f.RunningUsage, TokenLimit: TokenLimitKey(f.TokenLimitKey)}
}
