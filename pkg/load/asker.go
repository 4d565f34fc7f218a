package load

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
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

// job is one request ready to be sent.
type job struct {
	seq         int
	ask         engine.Ask
	traceID     string
	fingerprint string
}

func (a asker) job(seq int) job {
	w := a.prompts.Spec()
	i := uint64(seq) //nolint:gosec // not negative
	prompt := a.prompts.At(a.stream, i)
	trace := newTrace()
	j := job{seq: seq, traceID: trace.id, ask: engine.Ask{
		API: w.API, Model: a.model,
		Prompt:    a.prompts.Salted(prompt.Text, a.runSalt, a.arm, a.stream, i),
		MaxTokens: prompt.MaxTokens, Temperature: w.Temperature, IgnoreEOS: w.IgnoreEOS,
		TraceParent: trace.parent, Timeout: a.timeout,
	}}
	j.fingerprint = workload.Fingerprint(j.ask.Prompt, a.model, w.Temperature)
	return j
}

// trace is a new W3C trace context.
type trace struct{ id, parent string }

func newTrace() trace {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	id := hex.EncodeToString(b[:16])
	return trace{id: id, parent: "00-" + id + "-" + hex.EncodeToString(b[16:]) + "-01"}
}
