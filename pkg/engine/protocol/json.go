package protocol

import "bytes"

// walker walks JSON in place. After a failure it stands at the end, so that every loop over it ends.
type walker struct {
	b      []byte
	i      int
	failed bool
	// template learns where the values are that change from chunk to chunk; nil if nobody wants to know.
	template *template
}

func (w *walker) fail() { w.i, w.failed = len(w.b), true }

// peek returns the next byte that is not white space, or 0 at the end.
func (w *walker) peek() byte {
	if w.i < len(w.b) && w.b[w.i] > ' ' {
		return w.b[w.i]
	}
	return w.afterSpace()
}

func (w *walker) afterSpace() byte {
	for w.i < len(w.b) {
		switch c := w.b[w.i]; c {
		case ' ', '\n', '\t', '\r':
			w.i++
		default:
			return c
		}
	}
	return 0
}

func (w *walker) take(c byte) bool {
	if w.peek() != c || w.i >= len(w.b) {
		return false
	}
	w.i++
	return true
}

// complete reports whether exactly one value was there.
func (w *walker) complete() bool { return w.peek() == 0 && w.i == len(w.b) && !w.failed }

// firstKey enters an object and returns its first key, its escapes decoded, or nil if it is empty. Where there is no object
// it fails. The value must be consumed before nextKey is called.
func (w *walker) firstKey() []byte {
	if !w.take('{') {
		w.fail()
		return nil
	}
	if w.take('}') {
		return nil
	}
	return w.key()
}

// nextKey returns the next key, or nil after the last one.
func (w *walker) nextKey() []byte {
	switch w.peek() {
	case ',':
		w.i++
		return w.key()
	case '}':
		w.i++
		return nil
	}
	w.fail()
	return nil
}

func (w *walker) key() []byte {
	if w.peek() != '"' {
		w.fail()
		return nil
	}
	key := w.quoted()
	if !w.take(':') {
		w.fail()
		return nil
	}
	if bytes.IndexByte(key, '\\') >= 0 {
		return []byte(Unquote(key))
	}
	return key
}

// firstElement enters an array and reports whether there is an element, which must be consumed before nextElement is called.
// Where there is no array it fails.
func (w *walker) firstElement() bool {
	if !w.take('[') {
		w.fail()
		return false
	}
	return !w.take(']')
}

func (w *walker) nextElement() bool {
	switch w.peek() {
	case ',':
		w.i++
		return true
	case ']':
		w.i++
		return false
	}
	w.fail()
	return false
}

// null passes over a null and reports whether there was one.
func (w *walker) null() bool {
	if w.peek() != 'n' {
		return false
	}
	w.literal()
	return true
}

// quoted returns the bytes between two quotes, escapes untouched; it stands at the first quote.
func (w *walker) quoted() []byte {
	w.i++
	return w.untilQuote()
}

// untilQuote returns the bytes up to the next quote that is not escaped, and passes the quote.
func (w *walker) untilQuote() []byte {
	from := w.i
	for {
		n := bytes.IndexByte(w.b[w.i:], '"')
		if n < 0 {
			w.fail()
			return nil
		}
		w.i += n + 1
		end := w.i - 1
		if end == from || w.b[end-1] != '\\' || !escaped(w.b[from:end]) {
			return w.b[from:end]
		}
	}
}

// escaped reports whether the quote after b is escaped: an odd number of backslashes precedes it.
func escaped(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// skip passes over one value.
func (w *walker) skip() {
	switch w.peek() {
	case '"':
		w.quoted()
	case '{', '[':
		w.skipNested()
	default:
		w.literal()
	}
}

// skipNested passes over an object or array. It counts brackets instead of recursing, so depth costs no stack.
func (w *walker) skipNested() {
	depth := 0
	for {
		switch w.peek() {
		case '"':
			w.quoted()
		case '{', '[':
			depth++
			w.i++
		case '}', ']':
			depth--
			w.i++
		case ',', ':':
			w.i++
		default:
			w.literal()
		}
		if depth == 0 || w.failed {
			return
		}
	}
}

// literal passes over a number, true, false or null.
func (w *walker) literal() {
	from := w.i
	for w.i < len(w.b) && inLiteral[w.b[w.i]] {
		w.i++
	}
	if w.i == from {
		w.fail()
	}
}

var inLiteral = func() (table [256]bool) {
	for _, c := range []byte("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+.") {
		table[c] = true
	}
	return table
}()
