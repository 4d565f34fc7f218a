package eventstream

const (
	// firstBuffer is small because there may be ten thousand streams.
	firstBuffer = 4 << 10
	// busyBuffer is how far the buffer grows only to make reads larger. What it grows beyond that is shared (Budget).
	busyBuffer = 64 << 10
	// maxBuffer bounds the memory that one event of a broken server can take.
	maxBuffer = 64 << 20
	// maxIdleReads bounds the reads in a row that bring neither a byte nor an error.
	maxIdleReads = 100
)

// buffer holds the bytes from the start of the current event to the last byte read.
type buffer struct {
	buf []byte
	// buf[from:end] is in use and pos is the next byte to look at. No line ends in buf[pos:scanned]; the current event's data
	// is buf[dataFrom:dataTo], before pos.
	from, pos, end   int
	scanned          int
	dataFrom, dataTo int
	// busy says that the last read filled the buffer.
	busy   bool
	budget *Budget
}

func newBuffer() buffer { return buffer{buf: make([]byte, firstBuffer)} }

// keepFrom frees the bytes before i.
func (b *buffer) keepFrom(i int) { b.from = i }

// room returns the free end of the buffer, never empty.
func (b *buffer) room() ([]byte, error) {
	size := b.wanted()
	if size > maxBuffer {
		return nil, ErrEventTooLong
	}
	if !b.budget.resize(len(b.buf), size) {
		return nil, ErrTooManyLongEvents
	}
	b.moveTo(size)
	return b.buf[b.end:], nil
}

// wanted is the size that the buffer should have for the next read. A long event's memory is given up after it.
func (b *buffer) wanted() int {
	size, used := len(b.buf), b.end-b.from
	switch {
	case used == size, b.busy && size < busyBuffer:
		return 2 * size
	case size > busyBuffer && used < busyBuffer/2:
		return busyBuffer
	}
	return size
}

// release gives back the memory of the buffer, which must not be used afterwards.
func (b *buffer) release() {
	b.budget.resize(len(b.buf), 0)
	*b = buffer{}
}

// moveTo moves the bytes in use to the start of a buffer of the given size, which has room for them.
func (b *buffer) moveTo(size int) {
	to := b.buf
	if size != len(b.buf) {
		to = make([]byte, size)
	}
	if b.from > 0 || size != len(b.buf) {
		copy(to, b.buf[b.from:b.end])
	}
	b.buf = to
	b.pos -= b.from
	b.end -= b.from
	b.scanned -= b.from
	b.dataFrom -= b.from
	b.dataTo -= b.from
	b.from = 0
}

func (b *buffer) took(n int) {
	b.busy = n == len(b.buf)-b.end
	b.end += n
}
