package eventstream

import (
	"bytes"
	"errors"
	"io"
)

// Reader divides a body into events. Where an event has one line of data its Data points into the reader's buffer: no byte
// is copied.
type Reader struct {
	src     io.Reader
	framing Framing
	stamp   func() Stamp

	buffer
	// skipLF says that a LF at pos belongs to the line end before it; begun, that the place of a byte order mark is passed.
	skipLF, begun bool

	// values counts the bytes of data[dataFrom:dataTo] without joins; they belong to the event that is being read.
	name    []byte
	hasData bool
	values  int64

	reads       int
	first, last Stamp
	account     Account
	keepalives  int
	idle        int
	err         error
}

// NewReader returns a reader of src. It calls stamp once after each Read of src, before it looks at any byte.
func NewReader(src io.Reader, framing Framing, stamp func() Stamp) *Reader {
	return &Reader{src: src, framing: framing, stamp: stamp, buffer: newBuffer()}
}

// Within has the reader take the memory for long events from a budget that it shares with others. Release gives it back.
func (r *Reader) Within(b *Budget) *Reader {
	r.budget = b
	return r
}

// Release frees the reader's memory. Neither the reader nor its events may be used afterwards, only its counts.
func (r *Reader) Release() { r.release() }

// AtEnd reports whether the body is known to have come to its clean end, whatever of it was not handed over yet.
func (r *Reader) AtEnd() bool { return errors.Is(r.err, io.EOF) }

// Keepalives counts the comment lines so far.
func (r *Reader) Keepalives() int { return r.keepalives }

// Bytes counts what was read so far.
func (r *Reader) Bytes() int64 { return r.account.Read }

// First is the stamp of the read that brought the first byte; zero before it.
func (r *Reader) First() Stamp { return r.first }

// Last is the stamp of the last read, also of one that brought only the end.
func (r *Reader) Last() Stamp { return r.last }

// Account says where the bytes went that were read so far.
func (r *Reader) Account() Account {
	a := r.account
	a.Leftover = r.values + int64(r.end-r.pos)
	return a
}

// Next returns the next event, or the error that ended the body: io.EOF for a clean end.
func (r *Reader) Next() (Event, error) {
	r.forget()
	for {
		if r.parse() {
			return r.event(false), nil
		}
		if r.err != nil {
			return r.atEnd()
		}
		if err := r.fill(); err != nil {
			return Event{}, err
		}
	}
}

// parse reads what is in the buffer and reports whether an event is complete.
func (r *Reader) parse() bool {
	switch r.framing {
	case Events:
		return r.parseEvent()
	case Lines:
		return r.parseLine()
	}
	return false
}

// forget drops the event that is being read, or was handed over, and frees its place in the buffer.
func (r *Reader) forget() {
	r.keepFrom(r.pos)
	r.name, r.hasData = r.name[:0], false
}

func (r *Reader) event(unterminated bool) Event {
	r.account.Data += r.values
	r.values = 0
	data := r.buf[r.dataFrom:r.dataTo:r.dataTo]
	return Event{Name: r.name, Data: data, Stamp: r.last, Read: r.reads, Unterminated: unterminated}
}

// atEnd hands over what is left at a clean end, then the end itself.
func (r *Reader) atEnd() (Event, error) {
	if !errors.Is(r.err, io.EOF) {
		return Event{}, r.err
	}
	if r.pos < r.end {
		r.takeRest()
	}
	if !r.hasData || r.dataFrom == r.dataTo {
		return Event{}, r.err
	}
	ev := r.event(r.framing != Whole)
	r.hasData = false
	return ev, nil
}

// takeRest reads the last line, which has no end.
func (r *Reader) takeRest() {
	from := r.pos
	r.pos = r.end
	switch {
	case r.framing == Events:
		r.field(from, r.end)
	case r.framing == Lines && blank(r.buf[from:r.end]):
		r.account.Framing += int64(r.end - from)
	default:
		r.value(from, r.end)
	}
}

func blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// fill reads once. An error of the source is kept until the bytes that came with it are used up.
func (r *Reader) fill() error {
	free, err := r.room()
	if err != nil {
		r.err = err
		return err
	}
	n, err := r.src.Read(free)
	r.last = r.stamp()
	r.reads++
	r.took(n)
	if n > 0 && r.account.Read == 0 {
		r.first = r.last
	}
	r.account.Read += int64(n)
	r.err = err
	r.noteIdle(n)
	return nil
}

// noteIdle ends a body whose source brings nothing time after time.
func (r *Reader) noteIdle(n int) {
	r.idle++
	if n > 0 || r.err != nil {
		r.idle = 0
	}
	if r.idle >= maxIdleReads {
		r.err = io.ErrNoProgress
	}
}
