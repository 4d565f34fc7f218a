package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
)

// checkTimeout bounds one question to Temporal's health service.
const checkTimeout = 3 * time.Second

// health answers the probes of a supervisor.
type health struct {
	mu      sync.Mutex
	client  client.Client
	polling bool
}

func (h *health) connected(c client.Client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.client = c
}

func (h *health) ready() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.polling = true
}

// check reports why the worker cannot work, or nil.
func (h *health) check(ctx context.Context) error {
	h.mu.Lock()
	c, polling := h.client, h.polling
	h.mu.Unlock()
	if c == nil || !polling {
		return errors.New("not polling yet")
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	_, err := c.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

// serve answers /healthz (the process lives), /readyz (it polls and Temporal answers) and /metrics until stop is called.
func (h *health) serve(ctx context.Context, address string, metrics http.Handler) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--health %s: %w; choose a free address", address, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := h.check(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
	mux.Handle("GET /metrics", metrics)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(ln) })
	return func() { _ = srv.Close(); wg.Wait() }, nil
}
