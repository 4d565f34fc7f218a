package wire

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
)

const (
	// headBytes bounds the head of a response.
	headBytes = 256 << 10
	// mostInterim bounds how many 1xx responses may precede the real one.
	mostInterim = 5
	readBuffer  = 4 << 10
)

// ErrHeadTooLong says that the head of a response is longer than 256 KiB.
var ErrHeadTooLong = errors.New("the head of the response is longer than 256 KiB")

var errInterim = errors.New("more than 5 interim responses")

// post is all that reading a response needs to know of its request.
var post = &http.Request{Method: http.MethodPost}

// Conn carries one request at a time. Its deadlines, Close and Abort may be called by others while one goroutine reads and
// another writes.
type Conn struct {
	net.Conn
	stamped *stampedConn
	source  *source
	reader  *bufio.Reader
	// Reused says that the connection carried a request before.
	Reused bool
	// unasked says that bytes came after the end of a response, which nobody asked for.
	unasked bool
	idle    time.Time
}

// source is what a connection is read from; ended says that a read met an error, which the bytes before it may hide.
type source struct {
	io.Reader
	ended bool
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	s.ended = s.ended || err != nil
	return n, err
}

func newConn(stamped *stampedConn, secured net.Conn) *Conn {
	from := &source{Reader: secured}
	return &Conn{Conn: secured, stamped: stamped, source: from, reader: bufio.NewReaderSize(from, readBuffer)}
}

// Stamp is when the bytes of the latest read arrived.
func (c *Conn) Stamp() eventstream.Stamp { return c.stamped.last }

// Await returns when the first byte of a response is there, or the connection has ended.
func (c *Conn) Await() error {
	_, err := c.reader.Peek(1)
	return err
}

// Response reads the head of the response to a POST request. The body need not be closed: it ends with the connection.
func (c *Conn) Response() (*http.Response, error) {
	c.stamped.allowance = headBytes
	defer func() { c.stamped.allowance = -1 }()
	for range mostInterim {
		resp, err := http.ReadResponse(c.reader, post)
		if err != nil || resp.StatusCode >= http.StatusOK || resp.StatusCode == http.StatusSwitchingProtocols {
			return c.framed(resp), err
		}
	}
	return nil, errInterim
}

// framed replaces the body of a response in the chunked encoding, of which nothing was read yet.
func (c *Conn) framed(resp *http.Response) *http.Response {
	if resp != nil && slices.Equal(resp.TransferEncoding, chunkedOnly) {
		resp.Body = &chunkedBody{conn: c}
	}
	return resp
}

// chunkedOnly is how net/http tells of it.
var chunkedOnly = []string{"chunked"}

// receive reads what came with the head of the response, and then from the connection itself.
func (c *Conn) receive(b []byte) (int, error) {
	if c.reader.Buffered() > 0 {
		return c.reader.Read(b)
	}
	return c.source.Read(b)
}

// Clean reports whether nothing was received that was not read, as far as it was taken from the socket.
func (c *Conn) Clean() bool { return c.reader.Buffered() == 0 && !c.source.ended && !c.unasked }

// alive reports whether an idle connection can carry a request. The end of a connection that the server has closed waits in
// the kernel until someone looks.
func (c *Conn) alive() bool { return c.Clean() && quiet(c.stamped.Conn) }

// Abort closes the connection at once. Close would first say goodbye under TLS, which waits for a server that does not read.
func (c *Conn) Abort() error { return c.stamped.Close() }
