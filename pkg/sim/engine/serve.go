package engine

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// shutdownGrace is how long open requests may take to end once the server stops.
const shutdownGrace = 3 * time.Second

// Serve runs a simulated server on the listener until ctx ends.
func Serve(ctx context.Context, cfg Config, ln net.Listener) error {
	e, err := New(cfg)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer e.Close()
	srv := &http.Server{Handler: e, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if srv.Shutdown(grace) != nil {
		_ = srv.Close()
	}
	<-served
	return nil
}
