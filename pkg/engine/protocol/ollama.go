package protocol

import "github.com/swapgate/swapgate/pkg/engine/eventstream"

// ollama is POST /api/chat of Ollama (docs/api.md): a line of JSON a piece, the last with done and the counts. It has no
// option to ignore the end of text.
type ollama struct{}

type ollamaBody struct {
	Model    string        `json:"model"`
	Messages []Message     `json:"messages"`
	Stream   bool          `json:"stream"`
	Options  ollamaOptions `json:"options"`
}

type ollamaOptions struct {
	NumPredict  int     `json:"num_predict,omitempty"`
	Temperature float64 `json:"temperature"`
}

func (ollama) Request(a Ask, model string, _ Capabilities) (Request, error) {
	if a.IgnoreEOS {
		return Request{}, &UnsupportedError{API: a.API, Field: "ignore_eos"}
	}
	return jsonRequest("/api/chat", "application/x-ndjson", ollamaBody{
		Model: a.model(model), Messages: a.conversation(), Stream: true,
		Options: ollamaOptions{NumPredict: a.MaxTokens, Temperature: a.Temperature},
	})
}

func (ollama) Framing() eventstream.Framing { return eventstream.Lines }
func (ollama) Ending() Ending               { return Ending{Terminator: true} }
func (ollama) NewScanner(Ask) Scanner       { return ollamaScanner{} }

type ollamaScanner struct{}

func (ollamaScanner) Scan(name, data []byte, c *Chunk) error {
	json, more := control(name, data, c)
	if !more {
		return nil
	}
	w := walker{b: json}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "message":
			w.ollamaMessage(c)
		case "done":
			c.Done = w.isTrue()
		case "done_reason":
			w.text(&c.Finish)
		case "prompt_eval_count":
			w.count(&c.Usage.Prompt)
		case "eval_count":
			w.count(&c.Usage.Output)
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
	c.Usage.Has = c.Usage.Prompt.Known || c.Usage.Output.Known
	return nil
}

func (w *walker) ollamaMessage(c *Chunk) {
	if w.null() {
		return
	}
	c.Choices = true
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "content":
			w.content(c)
		case "thinking":
			w.hidden(c)
		case "tool_calls":
			w.toolCalls(c)
		default:
			w.skip()
		}
	}
}
