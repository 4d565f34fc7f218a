package protocol

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/swap"
)

// ErrMalformed says that an event is not the JSON that its interface sends.
var ErrMalformed = errors.New("a chunk is not the JSON of a streamed completion")

// UnsupportedError says that an interface has no way to ask for something.
type UnsupportedError struct {
	API swap.API
	// Field of the workload.
	Field string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the interface %s cannot be asked for %s: remove it from the workload or choose another api", e.API, e.Field)
}

// Protocol is one HTTP interface. It is safe for concurrent use.
type Protocol interface {
	// Request writes a POST request. It fails with UnsupportedError where the interface cannot be asked for what is wanted.
	Request(a Ask, model string, c Capabilities) (Request, error)
	// Framing is how the answer is divided into events.
	Framing() eventstream.Framing
	// Ending is what the last events of a complete answer carry.
	Ending() Ending
	// NewScanner returns the scanner of one answer to a.
	NewScanner(a Ask) Scanner
}

// Scanner reads the events of one answer in their order.
type Scanner interface {
	// Scan overwrites c with what the event says. The slices of c are valid until data changes or Scan is called again. An
	// error is ErrMalformed, and leaves c empty.
	Scan(name, data []byte, c *Chunk) error
}

// Request is the interface's part of an HTTP request.
type Request struct {
	// Path follows the base URL of the server and begins with a slash.
	Path, ContentType, Accept string
	Body                      []byte
}

// Ending says by which marks an answer shows that it is complete. Where an interface has none of them, only a clean end of
// the body does.
type Ending struct {
	// Finish is a finish reason, Terminator an event that says that nothing follows.
	Finish, Terminator bool
}

// For returns the protocol of an interface, and whether there is one.
func For(api swap.API) (Protocol, bool) {
	p, ok := protocols[api]
	return p, ok
}

var protocols = map[swap.API]Protocol{
	swap.APIChat:           chat{},
	swap.APICompletions:    completions{},
	swap.APITGI:            tgi{},
	swap.APISGLang:         sglang{},
	swap.APITriton:         triton{},
	swap.APIOllama:         ollama{},
	swap.APIImages:         images{},
	swap.APISpeech:         speech{},
	swap.APITranscriptions: transcriptions{},
}

const (
	typeJSON        = "application/json"
	typeEventStream = "text/event-stream"
)

// control handles what any event can be besides a chunk: the terminator and an event named error, whose data need not be
// JSON. It reports whether a chunk is still to be scanned, and returns its JSON.
func control(name, data []byte, c *Chunk) (json []byte, more bool) {
	*c = Chunk{}
	data = bytes.TrimSpace(data)
	if string(data) == "[DONE]" {
		c.Done = true
		return nil, false
	}
	if string(name) == "error" {
		c.Failed, c.Code = true, codeOf(data)
		return nil, false
	}
	return data, true
}
