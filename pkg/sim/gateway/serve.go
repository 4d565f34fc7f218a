package gateway

import (
	"context"
	"errors"
	"net"

	"golang.org/x/sync/errgroup"

	"github.com/swapgate/swapgate/pkg/sim/internal/serve"
)

// Serve runs a gateway on ln and its admin API on adminLn until ctx ends.
func Serve(ctx context.Context, cfg Config, ln, adminLn net.Listener) error {
	g, err := New(cfg)
	if err != nil {
		return errors.Join(err, ln.Close(), adminLn.Close())
	}
	defer g.Close()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serve.Until(ctx, g.Handler(), ln) })
	group.Go(func() error { return serve.Until(ctx, g.AdminHandler(), adminLn) })
	return group.Wait()
}
