package localtest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Proxy stands before a store and can act as an outage of it.
type Proxy struct {
	// Refused counts the requests that met the outage.
	Refused atomic.Int64
	down    atomic.Bool
	lossy   atomic.Bool
}

// NewProxy puts a proxy before a store and returns the configuration that leads through it.
func NewProxy(tb testing.TB, store swap.Store) (*Proxy, swap.Store) {
	tb.Helper()
	target, err := url.Parse(store.Endpoint)
	require.NoError(tb, err)
	p := &Proxy{}
	// The signature covers the Host header, so that must stay what the client sent.
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
	}}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	forward.Transport = transport
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.down.Load():
			p.Refused.Add(1)
			http.Error(w, "out of order", http.StatusServiceUnavailable)
		case p.lossy.Load() && r.Method == http.MethodPut:
			p.Refused.Add(1)
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler) // the service has it, and the client never learns
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	tb.Cleanup(func() {
		server.Close()
		transport.CloseIdleConnections()
	})
	store.Endpoint = server.URL
	return p, store
}

// Down starts or ends an outage: every request gets a 503.
func (p *Proxy) Down(down bool) { p.down.Store(down) }

// LoseAnswers starts or ends a time in which writes take effect and their answers get lost.
func (p *Proxy) LoseAnswers(lose bool) { p.lossy.Store(lose) }
