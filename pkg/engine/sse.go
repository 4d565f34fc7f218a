package engine

import (
	"bytes"
	"errors"
	"io"
	"time"
)

const (
	firstBuffer = 8 << 10
	// busyBuffer is how far the buffer grows only to make reads larger.
	busyBuffer = 64 << 10
	// maxEvent bounds the memory that one event of a broken server can take.
	maxEvent = 64 << 20
)

var errEventTooLong = errors.New("an event is longer than 64 MiB")

var byteOrderMark = []byte{0xEF, 0xBB, 0xBF}

// event is one server-sent event. Its slices are valid until the next call of next.
type event struct {
	name []byte
	data []byte
	// at is when the read that completed the event returned.
	at time.Time
	// read numbers that read; events with the same number arrived together.
	read int
	// unterminated marks data at the end of the body that no blank line followed.
	unterminated bool
}

// eventReader splits a body into server-sent events as the WHATWG standard defines them: lines end in LF, CRLF or CR, the
// space after the colon is optional, comments and unknown fields are skipped, and data lines are joined by LF. There is no
// limit on a line. The clock is read once after each read, before any byte is looked at.
type eventReader struct {
	src   io.Reader
	clock func() time.Time

	buf        []byte
	start, end int
	// scanned is how much of the window from start is known to hold no line end.
	scanned int
	skipLF  bool
	begun   bool

	reads    int
	readAt   time.Time
	bytes    int64
	comments int

	name, data []byte
	hasData    bool
	eof        error
}

func newEventReader(src io.Reader, clock func() time.Time) *eventReader {
	return &eventReader{src: src, clock: clock, buf: make([]byte, firstBuffer)}
}

// next returns the next event, or the error that ended the body: io.EOF for a clean end.
func (r *eventReader) next() (event, error) {
	r.name, r.data, r.hasData = r.name[:0], r.data[:0], false
	for {
		line, ok := r.line()
		if !ok {
			if r.eof != nil {
				return r.atEnd()
			}
			if err := r.fill(); err != nil {
				return event{}, err
			}
			continue
		}
		if len(line) > 0 {
			r.field(line)
			continue
		}
		if len(r.data) > 0 {
			return r.event(), nil
		}
		r.name, r.hasData = r.name[:0], false
	}
}

func (r *eventReader) event() event {
	return event{name: r.name, data: r.data, at: r.readAt, read: r.reads}
}

// atEnd hands over what a server left without a closing blank line, then the end itself.
func (r *eventReader) atEnd() (event, error) {
	if errors.Is(r.eof, io.EOF) {
		if r.start < r.end {
			r.field(r.buf[r.start:r.end])
			r.start, r.scanned = r.end, 0
		}
		if len(r.data) > 0 {
			ev := r.event()
			ev.unterminated = true
			return ev, nil
		}
	}
	return event{}, r.eof
}

// line returns the next whole line without its end.
func (r *eventReader) line() ([]byte, bool) {
	if !r.dropPrefix() {
		return nil, false
	}
	window := r.buf[r.start:r.end]
	i := indexLineEnd(window[r.scanned:])
	if i < 0 {
		r.scanned = len(window)
		return nil, false
	}
	i += r.scanned
	r.scanned = 0
	r.start += i + 1
	r.skipLF = window[i] == '\r'
	return window[:i], true
}

// dropPrefix drops the LF of a CRLF and the byte order mark; it reports false while more bytes are needed to tell.
func (r *eventReader) dropPrefix() bool {
	if r.skipLF && r.start < r.end {
		if r.buf[r.start] == '\n' {
			r.start++
		}
		r.skipLF = false
	}
	if r.begun {
		return true
	}
	window := r.buf[r.start:r.end]
	if len(window) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, window) && r.eof == nil {
		return false
	}
	if bytes.HasPrefix(window, byteOrderMark) {
		r.start += len(byteOrderMark)
	}
	r.begun = true
	return true
}

func indexLineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

func (r *eventReader) field(line []byte) {
	if line[0] == ':' {
		r.comments++
		return
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.hasData = true
	case "event":
		r.name = append(r.name[:0], value...)
	}
}

// fill reads once. An error of the source is kept until the bytes that came with it are used up.
func (r *eventReader) fill() error {
	if r.end-r.start+len(r.data) > maxEvent {
		return errEventTooLong
	}
	r.makeRoom()
	free := r.buf[r.end:]
	n, err := r.src.Read(free)
	r.readAt = r.clock()
	r.reads++
	r.end += n
	r.bytes += int64(n)
	r.eof = err
	if n == len(free) && len(r.buf) < busyBuffer {
		r.grow()
	}
	return nil
}

func (r *eventReader) makeRoom() {
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		r.grow()
	}
}

func (r *eventReader) grow() {
	bigger := make([]byte, 2*len(r.buf))
	r.end = copy(bigger, r.buf[r.start:r.end])
	r.start = 0
	r.buf = bigger
}
