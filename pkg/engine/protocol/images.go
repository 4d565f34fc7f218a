package protocol

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/swap"
)

// images is POST /v1/images/generations. The image comes inside the answer, so that it is complete when the answer is.
type images struct{}

type imagesBody struct {
	Model             string `json:"model"`
	Prompt            string `json:"prompt"`
	N                 int    `json:"n"`
	Size              string `json:"size,omitempty"`
	NumInferenceSteps int    `json:"num_inference_steps,omitempty"`
	ResponseFormat    string `json:"response_format"`
}

func (images) Request(a Ask, model string, _ Capabilities) (Request, error) {
	b := imagesBody{Model: a.model(model), Prompt: a.text(), N: 1, ResponseFormat: "b64_json"}
	if a.Image != nil {
		b.Size, b.NumInferenceSteps = fmt.Sprintf("%dx%d", a.Image.Width, a.Image.Height), a.Image.Steps
	}
	return jsonRequest("/v1/images/generations", typeJSON, b)
}

func (images) Framing() eventstream.Framing { return eventstream.Whole }
func (images) Ending() Ending               { return Ending{Terminator: true} }
func (images) NewScanner(a Ask) Scanner     { return imagesScanner{image: a.Image} }

type imagesScanner struct{ image *swap.ImageAsk }

func (s imagesScanner) Scan(name, data []byte, c *Chunk) error {
	json, more := control(name, data, c)
	if !more {
		return nil
	}
	w := walker{b: json}
	var made int
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "data":
			made = w.images()
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
	full := made > 0
	c.Choices, c.Token, c.Visible, c.Done = full, full, full, true
	if full && s.image != nil {
		c.Work = swap.Of(float64(made) * float64(s.image.Width) * float64(s.image.Height) * float64(max(1, s.image.Steps)))
	}
	return nil
}

// images counts the elements that hold something.
func (w *walker) images() (made int) {
	if w.null() {
		return 0
	}
	for more := w.firstElement(); more; more = w.nextElement() {
		if w.filled() {
			made++
		}
	}
	return made
}
