package protocol

import "github.com/swapgate/swapgate/pkg/engine/eventstream"

// tgi is POST /generate_stream of Text Generation Inference (router/src/server.rs, v3): an event a token, the last with the
// whole text and the details, and no terminator. It has no field to ignore the end of text.
type tgi struct{}

type tgiBody struct {
	Inputs     string        `json:"inputs"`
	Parameters tgiParameters `json:"parameters"`
}

type tgiParameters struct {
	MaxNewTokens int `json:"max_new_tokens,omitempty"`
	// Temperature must be positive; left out, the server takes the likeliest token.
	Temperature float64 `json:"temperature,omitempty"`
	DoSample    bool    `json:"do_sample"`
	Details     bool    `json:"details"`
}

func (tgi) Request(a Ask, _ string, _ Capabilities) (Request, error) {
	if a.IgnoreEOS {
		return Request{}, &UnsupportedError{API: a.API, Field: "ignore_eos"}
	}
	return streamRequest("/generate_stream", tgiBody{Inputs: a.text(), Parameters: tgiParameters{
		MaxNewTokens: a.MaxTokens, Temperature: a.Temperature, DoSample: a.Temperature > 0, Details: true,
	}})
}

func (tgi) Framing() eventstream.Framing { return eventstream.Events }
func (tgi) Ending() Ending               { return Ending{Finish: true} }
func (tgi) NewScanner(Ask) Scanner       { return &tgiScanner{} }

// tgiScanner counts the tokens that have no text of their own, such as the first half of a character, with the next that has.
type tgiScanner struct{ pending int32 }

func (s *tgiScanner) Scan(name, data []byte, c *Chunk) error {
	json, more := control(name, data, c)
	if !more {
		return nil
	}
	w := walker{b: json}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "token":
			w.tgiToken(c)
		case "details":
			w.tgiDetails(c)
		case "error":
			w.failure(c)
		case "error_type":
			w.code(c)
		default:
			w.skip()
		}
	}
	if !w.complete() {
		*c = Chunk{}
		return ErrMalformed
	}
	if c.Choices {
		s.pending++
	}
	if c.Token {
		c.Tokens, s.pending = s.pending, 0
	}
	return nil
}

// tgiToken reads a token. A special one, such as the end of text, is no part of the answer.
func (w *walker) tgiToken(c *Chunk) {
	if w.null() {
		return
	}
	c.Choices = true
	special := false
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "text":
			w.content(c)
		case "special":
			special = w.isTrue()
		default:
			w.skip()
		}
	}
	if special {
		c.Token, c.Visible, c.Text = false, false, nil
	}
}

func (w *walker) tgiDetails(c *Chunk) {
	if w.null() {
		return
	}
	c.Usage.Has = true
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "finish_reason":
			w.text(&c.Finish)
		case "generated_tokens":
			w.count(&c.Usage.Output)
		case "input_length":
			w.count(&c.Usage.Prompt)
		default:
			w.skip()
		}
	}
}
