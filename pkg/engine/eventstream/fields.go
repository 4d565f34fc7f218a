package eventstream

import "bytes"

const (
	byteOrderMark = "\xEF\xBB\xBF"
	// maxName is the longest name of an event that is kept. A longer one means nothing and is ignored.
	maxName = 4 << 10
)

// parseEvent reads whole lines until one ends an event.
func (r *Reader) parseEvent() bool {
	for {
		from, to, ok := r.line()
		if !ok {
			return false
		}
		if from < to {
			r.field(from, to)
			if !r.hasData {
				r.keepFrom(r.pos)
			}
			continue
		}
		if r.hasData && r.dataFrom < r.dataTo {
			return true
		}
		r.forget()
	}
}

// line finds the next whole line and passes it. The LF of a CRLF is passed when it is seen: waiting for it would move the
// time of an event that ends in CR.
func (r *Reader) line() (from, to int, ok bool) {
	if (r.skipLF || !r.begun) && !r.passPrefix() {
		return 0, 0, false
	}
	from = r.pos
	seen := max(r.scanned, from)
	i := indexLineEnd(r.buf[seen:r.end])
	if i < 0 {
		r.scanned = r.end
		return 0, 0, false
	}
	to = seen + i
	r.pos = to + 1
	r.account.Framing++
	r.skipLF = r.buf[to] == '\r'
	return from, to, true
}

// passPrefix passes the LF of a CRLF and the byte order mark; it reports false while more bytes are needed to tell.
func (r *Reader) passPrefix() bool {
	if r.skipLF && r.pos < r.end {
		if r.buf[r.pos] == '\n' {
			r.pos++
			r.account.Framing++
		}
		r.skipLF = false
	}
	if r.begun {
		return true
	}
	window := r.buf[r.pos:r.end]
	if len(window) < len(byteOrderMark) && string(window) == byteOrderMark[:len(window)] && r.err == nil {
		return false
	}
	if bytes.HasPrefix(window, []byte(byteOrderMark)) {
		r.pos += len(byteOrderMark)
		r.account.Framing += int64(len(byteOrderMark))
	}
	r.begun = true
	return true
}

func indexLineEnd(b []byte) int {
	if len(b) > 0 && b[0] == '\n' {
		return 0 // the end of an event
	}
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// field reads the line buf[from:to].
func (r *Reader) field(from, to int) {
	line := r.buf[from:to]
	if line[0] == ':' {
		r.keepalives++
		r.account.Comments += int64(len(line))
		return
	}
	name, value := line, len(line)
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		name, value = line[:colon], colon+1
		if value < len(line) && line[value] == ' ' {
			value++
		}
	}
	switch string(name) {
	case "data":
		r.account.Framing += int64(value)
		r.value(from+value, to)
	case "event":
		if len(line)-value > maxName {
			r.name = r.name[:0]
			r.account.Ignored += int64(len(line))
			return
		}
		r.account.Framing += int64(len(line))
		r.name = append(r.name[:0], line[value:]...)
	default:
		r.account.Ignored += int64(len(line))
	}
}

// value adds buf[from:to] to the data. A second line is moved behind the first one, which leaves room for the LF between
// them because at least the end of a line lies there.
func (r *Reader) value(from, to int) {
	r.values += int64(to - from)
	if !r.hasData {
		r.dataFrom, r.dataTo, r.hasData = from, to, true
		return
	}
	r.buf[r.dataTo] = '\n'
	r.dataTo += 1 + copy(r.buf[r.dataTo+1:], r.buf[from:to])
}

// parseLine reads one line that is not blank. Only LF ends it: a CR may stand between the tokens of JSON.
func (r *Reader) parseLine() bool {
	for r.passPrefix() {
		from := r.pos
		seen := max(r.scanned, from)
		i := bytes.IndexByte(r.buf[seen:r.end], '\n')
		if i < 0 {
			r.scanned = r.end
			break
		}
		to := seen + i
		r.pos = to + 1
		r.account.Framing++
		line := bytes.TrimSuffix(r.buf[from:to], []byte{'\r'})
		r.account.Framing += int64(to - from - len(line))
		if !blank(line) {
			r.value(from, from+len(line))
			return true
		}
		r.account.Framing += int64(len(line))
		r.keepFrom(r.pos)
	}
	return false
}
