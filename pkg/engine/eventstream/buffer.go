package eventstream

const (
	// firstBuffer is small because there may be ten thousand streams.
	firstBuffer = 4 << 10
	// busyBuffer is how far the buffer grows only to make reads larger.
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
	busy bool
}

func newBuffer() buffer { return buffer{buf: make([]byte, firstBuffer)} }

// keepFrom frees the bytes before i.
func (b *buffer) keepFrom(i int) { b.from = i }

// room returns the free end of the buffer, never empty.
func (b *buffer) room() ([]byte, error) {
	size := len(b.buf)
	if b.busy && size < busyBuffer || b.end-b.from == size {
		if size >= maxBuffer {
			return nil, ErrEventTooLong
		}
		size *= 2
	}
	b.moveTo(size)
	return b.buf[b.end:], nil
}

// moveTo moves the bytes in use to the start of a buffer of the given size.
func (b *buffer) moveTo(size int) {
	to := b.buf
	if size > len(b.buf) {
		to = make([]byte, size)
	}
	if b.from > 0 || size > len(b.buf) {
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
