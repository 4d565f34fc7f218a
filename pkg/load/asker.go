package load

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
	"github.com/swapgate/swapgate/pkg/workload/expect"
)

// asker makes the requests of one stream for one arm.
type asker struct {
	prompts *workload.Generator
	stream  uint64
	arm     swap.Arm
	model   string
	runSalt string
	timeout time.Duration
}

// unit is one unit of work with what was answered in it so far.
type unit struct {
	workload.Unit
	number  int
	salt    string
	answers []string
}

// job is one request ready to be sent.
type job struct {
	seq, unit, turn int
	ask             protocol.Ask
	// tokens is the planned length of prompt and answer together.
	tokens      int
	traceID     string
	fingerprint string
	// expect is what a good answer must be; nil where anything will do.
	expect *expect.Expectation
}

func (a asker) unit(number int) *unit {
	n := uint64(number) //nolint:gosec // not negative
	return &unit{
		Unit: a.prompts.Unit(a.stream, n), number: number, salt: a.prompts.Salt(a.runSalt, a.arm, a.stream, n),
	}
}

// job returns turn k of a unit; false if it builds on an answer that is missing.
func (a asker) job(u *unit, k int) (job, bool) {
	messages, ok := u.Messages(k, u.salt, u.answers)
	if !ok {
		return job{}, false
	}
	w, turn, trace := a.prompts.Spec(), u.Turns[k], newTrace()
	j := job{
		seq: u.number*a.prompts.Size() + k, unit: u.number, turn: k, traceID: trace.id, tokens: turn.InputTokens + turn.MaxTokens,
		expect: turn.Expect,
		ask: protocol.Ask{
			API: w.API, Model: a.model, MaxTokens: turn.MaxTokens, Temperature: w.Temperature, IgnoreEOS: w.IgnoreEOS,
			Image: w.Image, KeepText: turn.Expect != nil || k+1 < len(u.Turns) && u.Turns[k+1].Follows,
			TraceParent: trace.parent, Timeout: a.timeout,
		},
	}
	text := workload.Plain(messages)
	if turn.AudioSeconds > 0 {
		j.ask.Audio = a.prompts.Recording(turn.AudioSeconds, u.salt)
		text = hex.EncodeToString(turn.SHA256[:]) + u.salt
	}
	if len(messages) == 1 {
		j.ask.Prompt = messages[0].Content
	} else {
		j.ask.Messages = conversation(messages)
	}
	j.fingerprint = workload.Fingerprint(text, a.model, w.Temperature)
	return j, true
}

func conversation(messages []workload.Message) []protocol.Message {
	out := make([]protocol.Message, len(messages))
	for i, m := range messages {
		out[i] = protocol.Message{Role: string(m.Role), Content: m.Content}
	}
	return out
}

// trace is a new W3C trace context.
type trace struct{ id, parent string }

func newTrace() trace {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	id := hex.EncodeToString(b[:16])
	return trace{id: id, parent: "00-" + id + "-" + hex.EncodeToString(b[16:]) + "-01"}
}
