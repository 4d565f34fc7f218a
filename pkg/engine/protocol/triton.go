package protocol

import (
	"net/url"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
)

// triton is POST /v2/models/<model>/generate_stream of Triton (extension_generate.md): an event a response with text_output,
// and neither a terminator nor, from most backends, a finish reason. A key below parameters becomes an input tensor where
// the model has one of that name, and a parameter otherwise.
type triton struct{}

type tritonBody struct {
	TextInput  string           `json:"text_input"`
	Parameters tritonParameters `json:"parameters"`
}

type tritonParameters struct {
	Stream      bool    `json:"stream"`
	MaxTokens   int     `json:"max_tokens,omitempty"`
	Temperature float64 `json:"temperature"`
	// IgnoreEOS is known to the vLLM backend, MinTokens also to the TensorRT-LLM backend.
	IgnoreEOS bool `json:"ignore_eos,omitempty"`
	MinTokens int  `json:"min_tokens,omitempty"`
	// The vLLM backend sends these from release 24.12 on; older ones refuse them.
	ReturnFinishReason    bool `json:"return_finish_reason,omitempty"`
	ReturnNumInputTokens  bool `json:"return_num_input_tokens,omitempty"`
	ReturnNumOutputTokens bool `json:"return_num_output_tokens,omitempty"`
}

func (triton) Request(a Ask, model string, c Capabilities) (Request, error) {
	p := tritonParameters{Stream: true, MaxTokens: a.MaxTokens, Temperature: a.Temperature, IgnoreEOS: a.IgnoreEOS}
	if a.IgnoreEOS {
		p.MinTokens = a.MaxTokens
	}
	if c.UsageInStream || c.RunningUsage {
		p.ReturnFinishReason, p.ReturnNumInputTokens, p.ReturnNumOutputTokens = true, true, true
	}
	path := "/v2/models/" + url.PathEscape(a.model(model)) + "/generate_stream"
	return streamRequest(path, tritonBody{TextInput: a.text(), Parameters: p})
}

func (triton) Framing() eventstream.Framing { return eventstream.Events }
func (triton) Ending() Ending               { return Ending{} }
func (triton) NewScanner(Ask) Scanner       { return &tritonScanner{} }

// tritonScanner adds up num_output_tokens, which counts the tokens of one response.
type tritonScanner struct{ total, pending int32 }

func (s *tritonScanner) Scan(name, data []byte, c *Chunk) error {
	json, more := control(name, data, c)
	if !more {
		return nil
	}
	w := walker{b: json}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "text_output":
			c.Choices = true
			w.content(c)
		case "finish_reason":
			w.text(&c.Finish)
		case "num_input_tokens":
			w.count(&c.Usage.Prompt)
		case "num_output_tokens":
			w.count(&c.Usage.Output)
		case "model_version":
			w.text(&c.Fingerprint)
		case "error":
			w.failure(c)
		default:
			w.skip()
		}
	}
	if !w.complete() {
		*c = Chunk{}
		return ErrMalformed
	}
	if string(c.Finish) == "None" {
		c.Finish = nil
	}
	s.add(c)
	return nil
}

func (s *tritonScanner) add(c *Chunk) {
	u := &c.Usage
	u.Has = u.Prompt.Known || u.Output.Known
	if u.Output.Known {
		s.total += u.Output.N
		s.pending += u.Output.N
		u.Output.N = s.total
	}
	if c.Token {
		c.Tokens, s.pending = s.pending, 0
	}
}
