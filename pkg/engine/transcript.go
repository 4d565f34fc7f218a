package engine

import (
	"bytes"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
)

const (
	// maxGapsAhead bounds the memory set aside for gaps before they come.
	maxGapsAhead = 4096
	// maxText bounds the text of an answer that is kept, as it came (in JSON, escaped).
	maxText = 1 << 20
)

// transcript builds an observation from the events of one answer.
type transcript struct {
	o       *Observation
	ending  protocol.Ending
	scanner protocol.Scanner
	chunk   protocol.Chunk
	gaps    []int64
	// tokens are those of each chunk, as long as the server tells them for every one.
	tokens   []int32
	untold   bool
	keepText bool
	text     []byte

	done      bool
	failed    bool
	code      string
	malformed bool
	// bad is the beginning of the first chunk that is malformed.
	bad []byte
	// bytes and events tell a body that is no event stream from one that ended early.
	bytes    int64
	events   int
	lastRead int
}

func (s *shot) newTranscript(o *Observation) *transcript {
	p, ask := s.proto, s.ask
	return &transcript{
		o: o, ending: p.Ending(), scanner: p.NewScanner(ask), keepText: ask.KeepText,
		gaps: make([]int64, 0, min(ask.MaxTokens, maxGapsAhead)),
	}
}

// read takes events until the terminator (nil) or the end of the body (its error).
func (t *transcript) read(r *eventstream.Reader) error {
	for {
		ev, err := r.Next()
		t.o.Keepalives, t.bytes = r.Keepalives(), r.Bytes()
		if err != nil {
			t.o.End = r.Last().At
			return err
		}
		t.take(ev)
		if t.done {
			t.o.End = ev.Stamp.At
			return nil
		}
	}
}

func (t *transcript) take(ev eventstream.Event) {
	c := &t.chunk
	if err := t.scanner.Scan(ev.Name, ev.Data, c); err != nil {
		if ev.Unterminated {
			return // a piece of an event: the body was cut off
		}
		t.misread(ev.Data)
	}
	t.done = c.Done
	t.events++
	if c.Failed {
		t.failed, t.code = true, protocol.SafeCode(c.Code)
	}
	t.note(c, ev)
}

func (t *transcript) misread(data []byte) {
	if !t.malformed {
		t.malformed, t.bad = true, bytes.Clone(data[:min(len(data), openingBytes)])
	}
}

func (t *transcript) note(c *protocol.Chunk, ev eventstream.Event) {
	o, at := t.o, ev.Stamp.At
	if c.Choices && o.Role.IsZero() {
		o.Role = at
	}
	if c.Token {
		t.token(c, ev)
	}
	if c.Visible && o.Visible.IsZero() {
		o.Visible = at
	}
	if len(c.Finish) > 0 && o.FinishReason != string(c.Finish) {
		o.FinishReason, o.Finish = reason(c.Finish), at
	}
	if len(c.Fingerprint) > 0 && o.Fingerprint != string(c.Fingerprint) {
		o.Fingerprint = string(c.Fingerprint)
	}
	if work, ok := c.Work.Get(); ok {
		o.Work = &work
	}
	if t.keepText {
		t.keep(c)
	}
	keepCount(&o.PromptTokens, c.Usage.Prompt)
	keepCount(&o.OutputTokens, c.Usage.Output)
	keepCount(&o.CachedTokens, c.Usage.Cached)
}

func (t *transcript) token(c *protocol.Chunk, ev eventstream.Event) {
	o, at := t.o, ev.Stamp.At
	if o.Chunks == 0 {
		o.First = at
	} else {
		// The difference of two rounded offsets: rounded gaps would add up to a drift.
		t.gaps = append(t.gaps, at.Sub(o.First).Microseconds()-o.Last.Sub(o.First).Microseconds())
		if ev.Read == t.lastRead {
			o.Coalesced++
		}
	}
	o.Chunks++
	o.Last = at
	t.lastRead = ev.Read
	t.stamped(ev.Stamp)
	t.untold = t.untold || c.Tokens == 0
	if !t.untold {
		t.tokens = append(t.tokens, c.Tokens)
	}
}

func (t *transcript) stamped(s eventstream.Stamp) {
	if s.Kernel {
		t.o.KernelStamped++
		t.o.Lag = max(t.o.Lag, s.Lag)
	}
}

func (t *transcript) keep(c *protocol.Chunk) {
	if c.Whole {
		t.text, t.o.TextCut = t.text[:0], false
	}
	if t.o.TextCut = t.o.TextCut || len(t.text)+len(c.Text) > maxText; !t.o.TextCut {
		t.text = append(t.text, c.Text...)
	}
}

// keepCount keeps the latest count. Some servers put zeros on every chunk, so zeros never replace numbers.
func keepCount(dst **int32, n protocol.Count) {
	switch {
	case !n.Known:
	case *dst == nil:
		kept := n.N
		*dst = &kept
	case n.N > 0:
		**dst = n.N
	}
}

func (t *transcript) finish() {
	o := t.o
	if len(t.gaps) > 0 {
		o.GapsUS = t.gaps
	}
	if !t.untold {
		o.ChunkTokens = t.tokens
	}
	if t.keepText {
		o.Text = protocol.Unquote(t.text)
	}
	if o.End.Before(o.Last) {
		o.End = o.Last
	}
}

// reason keeps a finish reason only if it is an identifier.
func reason(b []byte) string {
	if s := protocol.SafeCode(b); s != "" {
		return s
	}
	return "other"
}
