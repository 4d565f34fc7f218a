package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// maxBody bounds the request bodies whose model is replaced.
const maxBody = 32 << 20

// Gateway splits requests between two arms.
type Gateway struct {
	cfg       Config
	split     *splitter
	meters    swap.PerArm[*meter]
	proxies   swap.PerArm[http.Handler]
	transport *http.Transport
}

// New prepares a gateway. The caller closes it.
func New(cfg Config) (*Gateway, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	split, err := newSplitter(cfg.Weights, cfg.StateFile)
	if err != nil {
		return nil, err
	}
	g := &Gateway{cfg: cfg, split: split, transport: newTransport()}
	for _, arm := range swap.Arms {
		target, err := url.Parse(cfg.Upstreams.Get(arm).URL)
		if err != nil {
			return nil, err
		}
		*g.meters.Ptr(arm) = &meter{}
		*g.proxies.Ptr(arm) = g.newProxy(arm, target)
	}
	return g, nil
}

// Close drops idle connections to the upstreams.
func (g *Gateway) Close() { g.transport.CloseIdleConnections() }

// Handler is what clients talk to.
func (g *Gateway) Handler() http.Handler { return http.HandlerFunc(g.serve) }

func newTransport() *http.Transport {
	return &http.Transport{
		MaxIdleConnsPerHost: 1024,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,
	}
}

// passage is one request on its way through the gateway.
type passage struct {
	meter   *meter
	arrived time.Time
	failed  bool
}

type passageKey struct{}

// fail counts the failure of the request, once, and before the client can see it.
func (p *passage) fail() {
	if !p.failed {
		p.failed = true
		p.meter.fail()
	}
}

func passageOf(r *http.Request) *passage {
	p, _ := r.Context().Value(passageKey{}).(*passage)
	return p
}

func (g *Gateway) serve(w http.ResponseWriter, r *http.Request) {
	arm := g.split.choose()
	p := &passage{meter: g.meters.Get(arm), arrived: time.Now()}
	p.meter.begin()
	defer p.meter.end()
	w.Header().Set(swap.ArmHeader, string(arm))
	if model := g.cfg.Upstreams.Get(arm).Model; model != "" {
		if err := replaceModel(w, r, model); err != nil {
			http.Error(w, "the request body could not be read", http.StatusBadRequest)
			return
		}
	}
	g.proxies.Get(arm).ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), passageKey{}, p)))
}

func (g *Gateway) newProxy(arm swap.Arm, target *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(target)
			pr.SetXForwarded()
		},
		Transport:     g.transport,
		FlushInterval: -1,
		// Failures are counted; the default logger would repeat them on standard error.
		ErrorLog: log.New(io.Discard, "", 0),
		ModifyResponse: func(resp *http.Response) error {
			resp.Header.Del(swap.ArmHeader)
			p := passageOf(resp.Request)
			if resp.StatusCode >= http.StatusInternalServerError {
				p.fail()
			}
			if resp.StatusCode != http.StatusSwitchingProtocols {
				resp.Body = &observedBody{ReadCloser: resp.Body, passage: p, ctx: resp.Request.Context()}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				passageOf(r).fail()
			}
			http.Error(w, "the "+string(arm)+" upstream failed: "+failureKind(err), http.StatusBadGateway)
		},
	}
}

// failureKind says what went wrong without naming addresses to clients.
func failureKind(err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, io.EOF):
		return "connection closed without an answer"
	}
	return "no connection"
}

// observedBody notes the first byte of a reply and a reply that breaks off while its client is still there.
type observedBody struct {
	io.ReadCloser
	passage *passage
	ctx     context.Context //nolint:containedctx // the request's own, asked only whether the client has gone
	begun   bool
}

func (b *observedBody) Read(buf []byte) (int, error) {
	n, err := b.ReadCloser.Read(buf)
	if n > 0 && !b.begun {
		b.begun = true
		b.passage.meter.firstByte(time.Since(b.passage.arrived))
	}
	if err != nil && !errors.Is(err, io.EOF) && b.ctx.Err() == nil {
		b.passage.fail()
	}
	return n, err
}

// replaceModel sets the model field of a JSON body and leaves everything else of it alone. A body that is not a JSON
// object passes as it is: the upstream knows best how to refuse it.
func replaceModel(w http.ResponseWriter, r *http.Request, model string) error {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return err
	}
	body = withModel(body, model)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Del("Content-Length")
	return nil
}

func withModel(body []byte, model string) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields["model"] == nil {
		return body
	}
	name, err := json.Marshal(model)
	if err != nil {
		return body
	}
	fields["model"] = name
	replaced, err := json.Marshal(fields)
	if err != nil {
		return body
	}
	return replaced
}
