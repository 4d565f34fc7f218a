package engine

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/engine/eventstream"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/engine/wire"
)

// ClientOptions tunes a Client. The zero value works.
type ClientOptions struct {
	Capabilities protocol.Capabilities
	// ArmHeader names a response header whose value becomes Observation.Arm; empty reads none.
	ArmHeader string
	// Clock is time.Now unless set.
	Clock func() time.Time
	// Dial opens connections; a net.Dialer unless set. Connections that are not TCP have no kernel timestamps.
	Dial wire.Dial
}

// Client sends requests to one target over HTTP/1.1 connections of its own, one a stream, without compression and without a
// proxy: a proxy would be measured with the server. It is safe for concurrent use.
type Client struct {
	target    Target
	host      string
	prefix    string
	caps      protocol.Capabilities
	armHeader string
	clock     func() time.Time
	pool      *wire.Pool
	// longEvents is the memory for events longer than usual, over all streams.
	longEvents *eventstream.Budget
}

// longEventBytes is far above what the answers of a sound server need together, and far below 64 MiB a stream.
const longEventBytes = 256 << 20

// NewClient fails if the target's URL is not an absolute http or https URL, or its key cannot be sent in a header.
func NewClient(t Target, o ClientOptions) (*Client, error) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the URL %q of a server must be absolute and begin with http:// or https://", t.URL)
	}
	if strings.ContainsFunc(t.Key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, fmt.Errorf("the key for %s contains a control character and cannot be sent in a header", t.URL)
	}
	c := &Client{
		target: t, host: u.Host, prefix: strings.TrimRight(u.EscapedPath(), "/"),
		caps: o.Capabilities, armHeader: o.ArmHeader, clock: o.Clock, longEvents: eventstream.NewBudget(longEventBytes),
	}
	if c.clock == nil {
		c.clock = time.Now
	}
	c.pool = wire.NewPool(u, o.Dial, c.clock)
	return c, nil
}

// Close closes the connections of answers that have ended, and waits until nothing of the client runs. Call it when no request
// is in flight.
func (c *Client) Close() { c.pool.Close() }

// encode returns the path and the bytes of a request.
func (c *Client) encode(ask protocol.Ask) (p protocol.Protocol, path string, payload []byte, err error) {
	p, ok := protocol.For(ask.API)
	if !ok {
		return nil, "", nil, fmt.Errorf("the API %q is not known", ask.API)
	}
	r, err := p.Request(ask, c.target.Model, c.caps)
	if err != nil {
		return nil, "", nil, err
	}
	return p, r.Path, append(c.head(r, ask.TraceParent), r.Body...), nil
}

func (c *Client) head(r protocol.Request, traceParent string) []byte {
	b := make([]byte, 0, 512+len(c.target.Key)+len(r.Body))
	b = append(b, "POST "+c.prefix+r.Path+" HTTP/1.1\r\nHost: "+c.host+"\r\nUser-Agent: "+userAgent+"\r\n"...)
	if c.target.Key != "" {
		b = append(b, "Authorization: Bearer "+c.target.Key+"\r\n"...)
	}
	if traceParent != "" {
		b = append(b, "Traceparent: "+traceParent+"\r\n"...)
	}
	b = append(b, "Content-Type: "+r.ContentType+"\r\nAccept: "+r.Accept+"\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(r.Body)), 10)
	return append(b, "\r\n\r\n"...)
}
