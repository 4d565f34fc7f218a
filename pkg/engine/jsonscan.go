package engine

import (
	"bytes"
	"strconv"
)

// scanner walks JSON in place. It is strict about structure and lenient about the inside of strings and numbers: a chunk
// that is cut off is noticed, a field of an unexpected type is skipped.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space, or 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.i++
	return true
}

func (s *scanner) atEnd() bool {
	s.space()
	return s.i == len(s.b)
}

// object calls visit with each raw key; visit consumes the value. It fails where there is no object.
func (s *scanner) object(visit func(key []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		if s.peek() != '"' {
			return false
		}
		key, ok := s.quoted()
		if !ok || !s.take(':') || !visit(key) {
			return false
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// array calls visit before each element; visit consumes it. It fails where there is no array.
func (s *scanner) array(visit func() bool) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		if !visit() {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// nullOr skips a null and otherwise reads the value with read.
func (s *scanner) nullOr(read func() bool) bool {
	if s.peek() == 'n' {
		return s.literal()
	}
	return read()
}

// quoted returns the bytes between two quotes, escapes untouched.
func (s *scanner) quoted() ([]byte, bool) {
	s.i++
	from := s.i
	for {
		n := bytes.IndexByte(s.b[s.i:], '"')
		if n < 0 {
			return nil, false
		}
		s.i += n + 1
		if !escaped(s.b[from : s.i-1]) {
			return s.b[from : s.i-1], true
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

// text reads a string into dst; a value of another type is skipped.
func (s *scanner) text(dst *[]byte) bool {
	if s.peek() != '"' {
		return s.skip()
	}
	raw, ok := s.quoted()
	if ok && len(raw) > 0 {
		*dst = raw
	}
	return ok
}

// filled skips any value and reports whether it held something: a non-empty string, array or object, a number or true.
func (s *scanner) filled() (full, ok bool) {
	switch s.peek() {
	case '"':
		raw, ok := s.quoted()
		return len(raw) > 0, ok
	case 'n', 'f':
		return false, s.literal()
	case '[', '{':
		from := s.i
		if !s.skip() {
			return false, false
		}
		return len(bytes.TrimSpace(s.b[from+1:s.i-1])) > 0, true
	}
	return true, s.literal()
}

// count reads a whole number into dst; anything else leaves dst as it is.
func (s *scanner) count(dst **int32) bool {
	s.space()
	from := s.i
	if !s.skip() {
		return false
	}
	if n, err := strconv.ParseInt(string(s.b[from:s.i]), 10, 32); err == nil && n >= 0 {
		v := int32(n)
		*dst = &v
	}
	return true
}

// skip passes over one value. It counts brackets instead of recursing, so depth costs no stack.
func (s *scanner) skip() bool {
	depth := 0
	for {
		switch s.peek() {
		case 0:
			return false
		case '"':
			if _, ok := s.quoted(); !ok {
				return false
			}
		case '{', '[':
			depth++
			s.i++
		case '}', ']':
			depth--
			s.i++
			if depth < 0 {
				return false
			}
		case ',', ':':
			if depth == 0 {
				return false
			}
			s.i++
		default:
			if !s.literal() {
				return false
			}
		}
		if depth == 0 {
			return true
		}
	}
}

// literal passes over a number, true, false or null.
func (s *scanner) literal() bool {
	s.space()
	from := s.i
	for s.i < len(s.b) && isLiteral(s.b[s.i]) {
		s.i++
	}
	return s.i > from
}

func isLiteral(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}
