package engine

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	// idleTimeout is below the 5 s after which uvicorn, and so most engines, closes an idle connection. A request is then
	// not lost to a connection that the server is about to close.
	idleTimeout = 4 * time.Second
)

// ClientOptions tunes a Client. The zero value works for a few requests at a time.
type ClientOptions struct {
	// Peak is the largest number of requests in flight; so many idle connections are kept.
	Peak         int
	Capabilities Capabilities
	// ArmHeader names a response header whose value becomes Observation.Arm; empty reads none.
	ArmHeader string
	// Clock is time.Now unless set.
	Clock func() time.Time
	// Dial opens connections; a net.Dialer unless set.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client streams requests to one target over connections of its own. It is safe for concurrent use.
type Client struct {
	target    Target
	caps      Capabilities
	armHeader string
	clock     func() time.Time
	transport http.RoundTripper
	close     func()
}

// NewClient returns a client with its own HTTP/1.1 transport: one connection a stream, no compression, no time limit but
// that of a request. It fails if the target's URL is not an absolute http or https URL.
func NewClient(t Target, o ClientOptions) (*Client, error) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the URL %q of a server must be absolute and begin with http:// or https://", t.URL)
	}
	c := &Client{target: t, caps: o.Capabilities, armHeader: o.ArmHeader, clock: o.Clock}
	if c.clock == nil {
		c.clock = time.Now
	}
	tr := newTransport(o, c.clock)
	c.transport, c.close = tr, tr.CloseIdleConnections
	return c, nil
}

// clientOver returns a client on somebody else's transport.
func clientOver(rt http.RoundTripper, t Target, caps Capabilities) *Client {
	return &Client{target: t, caps: caps, clock: time.Now, transport: rt, close: func() {}}
}

// Close closes idle connections. Call it when no request is in flight.
func (c *Client) Close() { c.close() }

func newTransport(o ClientOptions, clock func() time.Time) *http.Transport {
	dial := o.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		Protocols:           http1,
		DisableCompression:  true,
		MaxIdleConnsPerHost: max(o.Peak, 2),
		IdleConnTimeout:     idleTimeout,
		TLSHandshakeTimeout: dialTimeout,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &watchedConn{Conn: conn, clock: clock}, nil
		},
	}
}
