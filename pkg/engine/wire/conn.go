package wire

import (
	"bufio"
	"errors"
	"net"
	"net/http"
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

// Conn carries one request at a time. Its deadlines and Close may be called by others while one goroutine reads and another
// writes.
type Conn struct {
	net.Conn
	stamped *stampedConn
	reader  *bufio.Reader
	// Reused says that the connection carried a request before.
	Reused bool
	idle   time.Time
}

func newConn(stamped *stampedConn, secured net.Conn) *Conn {
	return &Conn{Conn: secured, stamped: stamped, reader: bufio.NewReaderSize(secured, readBuffer)}
}

// Stamp is when the bytes of the latest read arrived.
func (c *Conn) Stamp() eventstream.Stamp { return c.stamped.last }

// Await returns when the first byte of a response is there, or the connection has ended.
func (c *Conn) Await() error {
	_, err := c.reader.Peek(1)
	return err
}

// Response reads the head of the response to a POST request.
func (c *Conn) Response() (*http.Response, error) {
	c.stamped.allowance = headBytes
	defer func() { c.stamped.allowance = -1 }()
	for range mostInterim {
		resp, err := http.ReadResponse(c.reader, post)
		if err != nil || resp.StatusCode >= http.StatusOK || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
	return nil, errInterim
}

// Clean reports whether nothing was received that was not read.
func (c *Conn) Clean() bool { return c.reader.Buffered() == 0 }
