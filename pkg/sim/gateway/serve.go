package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// shutdownGrace is how long open requests may take to end once the gateway stops.
const shutdownGrace = 3 * time.Second

// Serve runs a gateway on ln and its admin API on adminLn until ctx ends.
func Serve(ctx context.Context, cfg Config, ln, adminLn net.Listener) error {
	g, err := New(cfg)
	if err != nil {
		return errors.Join(err, ln.Close(), adminLn.Close())
	}
	defer g.Close()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serve(ctx, g.Handler(), ln) })
	group.Go(func() error { return serve(ctx, g.AdminHandler(), adminLn) })
	return group.Wait()
}

func serve(ctx context.Context, h http.Handler, ln net.Listener) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
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
