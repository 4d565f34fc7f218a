package protocol

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// text reads a string that is not empty into dst; anything else leaves dst as it is.
func (w *walker) text(dst *[]byte) {
	if w.peek() != '"' {
		w.skip()
		return
	}
	if raw := w.quoted(); len(raw) > 0 {
		*dst = raw
	}
}

// filled passes over any value and reports whether it held something: a non-empty string, array or object, a number or true.
func (w *walker) filled() bool {
	switch w.peek() {
	case '"':
		return len(w.quoted()) > 0
	case 'n', 'f':
		w.literal()
		return false
	case '[', '{':
		from := w.i
		w.skip()
		return !w.failed && len(bytes.TrimSpace(w.b[from+1:w.i-1])) > 0
	}
	w.literal()
	return !w.failed
}

// isTrue passes over any value and reports whether it was true.
func (w *walker) isTrue() bool {
	is := w.peek() == 't'
	w.skip()
	return is
}

// count reads a whole number that fits into dst, such as 8, 8.0 or 8e0; anything else leaves dst as it is.
func (w *walker) count(dst *Count) {
	w.peek()
	from := w.i
	w.skip()
	if w.failed {
		return
	}
	if n := number(w.b[from:w.i]); n.Known {
		*dst = n
	}
}

const (
	mostCount = 1<<31 - 1
	// longestDigits and longestCount bound what is read of a count.
	longestDigits, longestCount = 10, 32
)

// number reads a whole number; what is none or does not fit is not known.
func number(literal []byte) Count {
	var n int64
	for _, c := range literal {
		if c < '0' || c > '9' {
			return integral(literal)
		}
		n = 10*n + int64(c-'0')
	}
	if len(literal) == 0 || len(literal) > longestDigits || n > mostCount {
		return Count{}
	}
	return Count{N: int32(n), Known: true}
}

// integral reads a whole number that is written as another language's float.
func integral(literal []byte) Count {
	if len(literal) > longestCount || literal[0]-'0' > 9 || !json.Valid(literal) {
		return Count{}
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err != nil || f != math.Trunc(f) || f > mostCount {
		return Count{}
	}
	return Count{N: int32(f), Known: true}
}

// content reads a piece of the answer that a person sees.
func (w *walker) content(c *Chunk) {
	if w.peek() != '"' {
		w.shown(c)
		return
	}
	raw := w.quoted()
	if len(raw) == 0 {
		return
	}
	c.Token, c.Visible = true, true
	if c.Text == nil {
		c.Text = raw
		w.mark(holeText, len(raw)+1)
	}
}

// shown reads a visible part of the answer that is no text of its own, such as a tool call.
func (w *walker) shown(c *Chunk) {
	if w.filled() {
		c.Token, c.Visible = true, true
	}
}

// hidden reads a part of the answer on another channel, such as reasoning.
func (w *walker) hidden(c *Chunk) {
	if w.peek() != '"' {
		c.Token = w.filled() || c.Token
		return
	}
	if raw := w.quoted(); len(raw) > 0 {
		c.Token = true
		w.mark(holeHidden, len(raw)+1)
	}
}

// failure reads the value of an error field: null, false and what is empty mean that there was none.
func (w *walker) failure(c *Chunk) {
	if w.peek() != '{' {
		if w.filled() {
			c.Failed = true
		}
		return
	}
	c.Failed = true
	for key := w.firstKey(); key != nil; key = w.nextKey() {
		switch string(key) {
		case "type", "code":
			w.code(c)
		default:
			w.skip()
		}
	}
}

// code reads a code or type. A text says more than a number.
func (w *walker) code(c *Chunk) {
	if w.peek() == '"' {
		w.text(&c.Code)
		return
	}
	from := w.i
	w.skip()
	if !w.failed && len(c.Code) == 0 {
		c.Code = w.b[from:w.i]
	}
}
