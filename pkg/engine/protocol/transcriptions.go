package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime/multipart"
	"net/textproto"
	"strconv"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/swap"
)

// transcriptions is POST /v1/audio/transcriptions with a form. The work is the length of the recording that was sent.
type transcriptions struct{}

func (transcriptions) Request(a Ask, model string, _ Capabilities) (Request, error) {
	var body bytes.Buffer
	body.Grow(len(a.Audio) + 1024)
	form := multipart.NewWriter(&body)
	sum := sha256.Sum256(a.Audio)
	err := form.SetBoundary("swapgate-" + hex.EncodeToString(sum[:16])) // does not occur in what it is the hash of
	for _, field := range [][2]string{
		{"model", a.model(model)},
		{"response_format", "json"},
		{"temperature", strconv.FormatFloat(a.Temperature, 'g', -1, 64)},
	} {
		if err == nil {
			err = form.WriteField(field[0], field[1])
		}
	}
	if err == nil {
		err = writeRecording(form, a.Audio)
	}
	return Request{
		Path: "/v1/audio/transcriptions", ContentType: form.FormDataContentType(), Accept: typeJSON, Body: body.Bytes(),
	}, err
}

func writeRecording(form *multipart.Writer, wav []byte) error {
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="recording.wav"`},
		"Content-Type":        {"audio/wav"},
	})
	if err != nil {
		return err
	}
	if _, err := part.Write(wav); err != nil {
		return err
	}
	return form.Close()
}

func (transcriptions) Framing() eventstream.Framing { return eventstream.Whole }
func (transcriptions) Ending() Ending               { return Ending{Terminator: true} }

func (transcriptions) NewScanner(a Ask) Scanner {
	s := transcriptionScanner{}
	if seconds, ok := wavSeconds(a.Audio); ok {
		s.work = swap.Of(seconds)
	}
	return s
}

type transcriptionScanner struct{ work swap.Value }

// Scan takes an empty text for an answer: there may be no words in a recording.
func (s transcriptionScanner) Scan(name, data []byte, c *Chunk) error {
	json, more := control(name, data, c)
	if !more {
		return nil
	}
	w := walker{b: json}
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "text":
			c.Choices = w.peek() == '"'
			w.content(c)
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
	c.Done = true
	c.Token = c.Choices
	if c.Choices {
		c.Work = s.work
	}
	return nil
}
