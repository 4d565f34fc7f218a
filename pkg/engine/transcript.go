package engine

import "bytes"

// maxGapsAhead bounds the memory set aside for gaps before they come.
const maxGapsAhead = 4096

// transcript builds an observation from the events of one stream.
type transcript struct {
	o    *Observation
	gaps []int64

	done      bool
	failed    bool
	code      string
	malformed bool
	// bytes and events tell a body that is no event stream from one that ended early.
	bytes    int64
	events   int
	lastRead int
}

// read takes events until the terminator (nil) or the end of the body (its error).
func (t *transcript) read(r *eventReader) error {
	for {
		ev, err := r.next()
		t.o.Keepalives, t.bytes = r.comments, r.bytes
		if err != nil {
			t.o.End = r.readAt
			return err
		}
		t.take(ev)
		if t.done {
			t.o.End = ev.at
			return nil
		}
	}
}

func (t *transcript) take(ev event) {
	data := bytes.TrimSpace(ev.data)
	if string(data) == "[DONE]" {
		t.done = true
		return
	}
	c, err := scanChunk(data)
	switch {
	case err != nil && ev.unterminated:
		return // a piece of an event: the body was cut off
	case err != nil:
		t.malformed = t.malformed || string(ev.name) != "error"
	}
	t.events++
	if c.failed || string(ev.name) == "error" {
		t.failed = true
		t.code = safeCode(c.code)
	}
	t.note(c, ev)
}

func (t *transcript) note(c chunk, ev event) {
	o := t.o
	if c.choices && o.Role.IsZero() {
		o.Role = ev.at
	}
	if c.token {
		t.token(ev)
	}
	if c.visible && o.Visible.IsZero() {
		o.Visible = ev.at
	}
	if len(c.finish) > 0 && o.FinishReason != string(c.finish) {
		o.FinishReason = reason(c.finish)
	}
	if len(c.fingerprint) > 0 && o.Fingerprint != string(c.fingerprint) {
		o.Fingerprint = string(c.fingerprint)
	}
	t.count(c.usage)
}

func (t *transcript) token(ev event) {
	o := t.o
	if o.Chunks == 0 {
		o.First = ev.at
	} else {
		t.gaps = append(t.gaps, ev.at.Sub(o.Last).Microseconds())
		if ev.read == t.lastRead {
			o.Coalesced++
		}
	}
	o.Chunks++
	o.Last = ev.at
	t.lastRead = ev.read
}

// count keeps the latest usage. Some servers put zeros on every chunk, so zeros never replace numbers.
func (t *transcript) count(u usage) {
	if !u.has {
		return
	}
	keep := func(dst **int32, n *int32) {
		if n != nil && (*dst == nil || *n > 0) {
			*dst = n
		}
	}
	keep(&t.o.PromptTokens, u.prompt)
	keep(&t.o.OutputTokens, u.output)
	keep(&t.o.CachedTokens, u.cached)
}

func (t *transcript) finish() {
	if len(t.gaps) > 0 {
		t.o.GapsUS = t.gaps
	}
	if t.o.End.Before(t.o.Last) {
		t.o.End = t.o.Last
	}
}

// reason keeps a finish reason only if it is an identifier.
func reason(b []byte) string {
	if s := safeCode(b); s != "" {
		return s
	}
	return "other"
}
