package protocol

import (
	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/swap"
)

// speech is POST /v1/audio/speech. The answer is a WAV file, whose length is the work.
type speech struct{}

type speechBody struct {
	Model          string `json:"model"`
	Input          string `json:"input"`
	Voice          string `json:"voice,omitempty"`
	ResponseFormat string `json:"response_format"`
}

func (speech) Request(a Ask, model string, _ Capabilities) (Request, error) {
	return jsonRequest("/v1/audio/speech", "audio/wav", speechBody{
		Model: a.model(model), Input: a.text(), Voice: a.Voice, ResponseFormat: "wav",
	})
}

func (speech) Framing() eventstream.Framing { return eventstream.Whole }
func (speech) Ending() Ending               { return Ending{Terminator: true} }
func (speech) NewScanner(Ask) Scanner       { return speechScanner{} }

type speechScanner struct{}

func (speechScanner) Scan(_, data []byte, c *Chunk) error {
	*c = Chunk{Done: true}
	if c.Failed, c.Code = reportsError(data); c.Failed {
		return nil
	}
	full := len(data) > 0
	c.Choices, c.Token, c.Visible = full, full, full
	if seconds, ok := wavSeconds(data); ok {
		c.Work = swap.Of(seconds)
	}
	return nil
}
