package protocol

import "github.com/swapgate/swapgate/pkg/engine/eventstream"

// sglang is POST /generate of SGLang (v0.5): every event carries running counts in meta_info and, unless the server was
// started with incremental streaming output, the whole text and all output_ids so far.
type sglang struct{}

type sglangBody struct {
	Text           string         `json:"text"`
	SamplingParams sglangSampling `json:"sampling_params"`
	Stream         bool           `json:"stream"`
}

type sglangSampling struct {
	MaxNewTokens int     `json:"max_new_tokens,omitempty"`
	Temperature  float64 `json:"temperature"`
	IgnoreEOS    bool    `json:"ignore_eos,omitempty"`
}

func (sglang) Request(a Ask, _ string, _ Capabilities) (Request, error) {
	return streamRequest("/generate", sglangBody{Text: a.text(), Stream: true, SamplingParams: sglangSampling{
		MaxNewTokens: a.MaxTokens, Temperature: a.Temperature, IgnoreEOS: a.IgnoreEOS,
	}})
}

func (sglang) Framing() eventstream.Framing { return eventstream.Events }
func (sglang) Ending() Ending               { return Ending{Finish: true, Terminator: true} }
func (sglang) NewScanner(Ask) Scanner       { return &sglangScanner{} }

type sglangScanner struct {
	// length is that of the text so far, in bytes as sent.
	length  int
	running running
}

func (s *sglangScanner) Scan(name, data []byte, c *Chunk) error {
	json, more := control(name, data, c)
	if !more {
		return nil
	}
	w := walker{b: json}
	var ids Count
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "text":
			c.Choices = true
			w.content(c)
		case "output_ids":
			w.elements(&ids)
		case "meta_info":
			w.sglangMeta(c)
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
	s.tell(ids, c)
	s.running.note(c)
	return nil
}

// tell finds out what is new in the text. Fewer ids than tokens so far mean that the event holds only its own piece.
func (s *sglangScanner) tell(ids Count, c *Chunk) {
	if ids.Known && c.Usage.Output.Known && ids.N < c.Usage.Output.N {
		return
	}
	c.Whole = c.Text != nil
	grown := len(c.Text) > s.length
	c.Token, c.Visible = grown, grown
	s.length = max(s.length, len(c.Text))
}

// elements counts the elements of an array; anything else leaves dst as it is.
func (w *walker) elements(dst *Count) {
	if w.peek() != '[' {
		w.skip()
		return
	}
	dst.Known = true
	for more := w.firstElement(); more; more = w.nextElement() {
		w.skip()
		dst.N++
	}
}

func (w *walker) sglangMeta(c *Chunk) {
	if w.null() {
		return
	}
	c.Usage.Has = true
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "finish_reason":
			w.sglangFinish(c)
		case "prompt_tokens":
			w.count(&c.Usage.Prompt)
		case "completion_tokens":
			w.count(&c.Usage.Output)
		case "cached_tokens":
			w.count(&c.Usage.Cached)
		case "weight_version":
			w.text(&c.Fingerprint)
		default:
			w.skip()
		}
	}
}

// sglangFinish reads {"type":"stop","matched":…}, null, or a plain string.
func (w *walker) sglangFinish(c *Chunk) {
	if w.peek() != '{' {
		w.text(&c.Finish)
		return
	}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "type":
			w.text(&c.Finish)
		case "err_type":
			w.text(&c.Code)
		default:
			w.skip()
		}
	}
}
