package wire

import "io"

// chunkedBody is the body of a response in the chunked encoding. It reads from the connection straight into the caller's buffer:
// with thousands of streams at a time, each further buffer and each further layer costs more than the decoding.
type chunkedBody struct {
	conn   *Conn
	chunks chunks
	err    error
}

// Read returns what came with one look at the connection, and looks again where that was no data. A body that is cut off ends in
// io.ErrUnexpectedEOF.
func (b *chunkedBody) Read(p []byte) (int, error) {
	for b.err == nil && len(p) > 0 {
		got, err := b.conn.receive(p)
		n, used, over, bad := b.chunks.strip(p[:got])
		switch {
		case bad != nil:
			b.err = bad
		case over:
			b.err = io.EOF
			b.conn.unasked = b.conn.unasked || used < got
		case err == io.EOF: //nolint:errorlint // as readers return it
			b.err = io.ErrUnexpectedEOF
		default:
			b.err = err
		}
		if n > 0 {
			return n, nil // the end comes with the next read
		}
	}
	return 0, b.err
}

// Close does nothing: the body ends with the connection.
func (*chunkedBody) Close() error { return nil }
