package protocol

import "github.com/swapgate/swapgate/pkg/swap"

// Chunk is what matters of one event.
type Chunk struct {
	// Choices says that an answer has begun, empty or not.
	Choices bool
	// Token says that something was generated on any channel; Visible, that it was content or a tool call.
	Token, Visible bool
	// Failed says that the event reports an error; Code is its code or type as sent (see SafeCode).
	Failed bool
	// Done is the terminator: nothing follows.
	Done bool
	// Whole says that Text is the whole answer so far and replaces what came before.
	Whole bool

	// Finish and Fingerprint are the finish reason and the server's own identification of model or weights, as sent.
	Finish, Fingerprint, Code []byte
	// Text is the answer's content, the inside of a JSON string with its escapes (see Unquote). Reasoning and tool calls are
	// not in it.
	Text []byte

	Usage Usage
	// Tokens were generated since the last chunk with Token, if the interface says so and Token is set; else 0. Their sum can
	// be less than the usage: what a server generates and does not send, such as an end token, is in no chunk.
	Tokens int32
	// Work is the request's work in the unit of its interface, where that is not tokens.
	Work swap.Value
}

// Usage is a server's own count of tokens; Has says whether the event held one.
type Usage struct {
	Has                    bool
	Prompt, Output, Cached Count
}

// Count is a number that a server may leave out.
type Count struct {
	N     int32
	Known bool
}

// running turns counts of all tokens so far into tokens per chunk. Once a chunk with a token brings no higher count, the
// counts are not running ones and say nothing about single chunks.
type running struct {
	total int32
	off   bool
}

func (r *running) note(c *Chunk) {
	if !c.Token || r.off {
		return
	}
	if !c.Usage.Output.Known || c.Usage.Output.N <= r.total {
		r.off = true
		return
	}
	c.Tokens = c.Usage.Output.N - r.total
	r.total = c.Usage.Output.N
}
