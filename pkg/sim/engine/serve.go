package engine

import (
	"context"
	"errors"
	"net"

	"github.com/swapgate/swapgate/pkg/sim/internal/serve"
)

// Serve runs a simulated server on the listener until ctx ends.
func Serve(ctx context.Context, cfg Config, ln net.Listener) error {
	e, err := New(cfg)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer e.Close()
	return serve.Until(ctx, e, ln)
}
