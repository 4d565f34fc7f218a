package protocol

import "bytes"

// template is the last chunk that was walked, with holes where a stream's chunks differ: the text and the counts. A chunk
// that is the same but for what fills the holes is not walked again. Whatever the bytes between the holes mean, they mean
// the same again, because the structure of JSON does not depend on the inside of a string or the digits of a number.
type template struct {
	data  []byte
	holes []hole
	chunk Chunk
	ready bool
}

// hole is data[from:to].
type hole struct {
	kind     holeKind
	from, to int
}

type holeKind int

const (
	holeText holeKind = iota
	holeHidden
	holePrompt
	holeOutput
	holeCached
	holeTotal
)

const (
	// maxTemplate bounds the memory of a stream; chunks with log probabilities differ in everything anyway.
	maxTemplate = 1 << 10
	maxHoles    = 8
)

// learn returns a walker that marks the holes of json.
func (t *template) learn(json []byte) walker {
	t.ready, t.holes = false, t.holes[:0]
	if len(json) > maxTemplate {
		return walker{b: json}
	}
	t.data = append(t.data[:0], json...)
	return walker{b: t.data, template: t}
}

// keep makes the template of the chunk that was walked since learn.
func (t *template) keep(c *Chunk) {
	t.chunk = *c
	t.ready = len(t.holes) > 0 && len(t.holes) < maxHoles && !c.Failed
}

// mark notes a hole of n bytes that ends where the walker stands; n counts the quote after a text, which is not in the hole.
func (w *walker) mark(kind holeKind, n int) {
	if t := w.template; t != nil && len(t.holes) < maxHoles {
		to := w.i
		if kind <= holeHidden {
			to--
		}
		t.holes = append(t.holes, hole{kind, w.i - n, to})
	}
}

func (w *walker) markedCount(kind holeKind, dst *Count) {
	var n Count
	w.peek()
	from := w.i
	w.count(&n)
	if n.Known {
		*dst = n
		w.mark(kind, w.i-from)
	}
}

// fill reports whether json is the template with other values in its holes, and overwrites c with what it says.
func (t *template) fill(json []byte, c *Chunk) bool {
	if !t.ready {
		return false
	}
	*c = t.chunk
	w := walker{b: json}
	at := 0
	for _, h := range t.holes {
		if !w.same(t.data[at:h.from]) || !w.into(h.kind, c) {
			return false
		}
		at = h.to
	}
	return w.same(t.data[at:]) && w.i == len(json)
}

// same passes over want and reports whether it was there.
func (w *walker) same(want []byte) bool {
	if !bytes.HasPrefix(w.b[w.i:], want) {
		return false
	}
	w.i += len(want)
	return true
}

// into reads what fills a hole. It must be of the same kind as what was there before: a text is not empty.
func (w *walker) into(kind holeKind, c *Chunk) bool {
	if kind <= holeHidden {
		raw := w.untilQuote()
		if w.failed || len(raw) == 0 {
			return false
		}
		w.i--
		if kind == holeText {
			c.Text = raw
		}
		return true
	}
	from := w.i
	for w.i < len(w.b) && w.b[w.i]-'0' <= 9 {
		w.i++
	}
	n := number(w.b[from:w.i])
	switch kind {
	case holePrompt:
		c.Usage.Prompt = n
	case holeOutput:
		c.Usage.Output = n
	case holeCached:
		c.Usage.Cached = n
	}
	return n.Known
}
