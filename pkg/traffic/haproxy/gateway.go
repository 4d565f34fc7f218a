// Package haproxy steers HAProxy, through its runtime socket or the Data Plane API.
package haproxy

import (
	"context"
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// api is a way to steer HAProxy.
type api interface {
	// where names the gateway in errors.
	where() string
	// observe asks how the backend is.
	observe(ctx context.Context) (observation, error)
	// change makes changes that were planned on what was seen before. It fails with traffic.ErrConflict when somebody else
	// changed the weights since.
	change(ctx context.Context, before observation, changes []change) error
}

// Gateway steers one backend of HAProxy.
type Gateway struct{ api api }

// Capabilities says what HAProxy can do: weights are those of the whole process, in force with the next request, and a server
// without weight finishes what it has.
func (*Gateway) Capabilities() traffic.Capabilities {
	return traffic.Capabilities{Counters: true, DrainsStreams: true}
}

// Read returns the shares that the servers' weights say.
func (g *Gateway) Read(ctx context.Context) (traffic.State, error) {
	seen, err := g.api.observe(ctx)
	if err != nil {
		return traffic.State{}, fmt.Errorf("read weights: %w", err)
	}
	return seen.state(), nil
}

// Apply sets the weights of the servers. HAProxy has no condition on which to write, so another writer is found by comparing
// what was read with what is there just when the weights are set, and by reading back.
func (g *Gateway) Apply(ctx context.Context, want swap.Weights) (traffic.State, error) {
	if err := traffic.CheckWeights(want); err != nil {
		return traffic.State{}, err
	}
	var seen observation
	read := func(ctx context.Context) (traffic.State, error) {
		var err error
		if seen, err = g.api.observe(ctx); err != nil {
			return traffic.State{}, fmt.Errorf("read weights: %w", err)
		}
		return seen.state(), nil
	}
	write := func(ctx context.Context, _ traffic.State) error {
		changes, err := plan(seen, want)
		if err != nil {
			return err
		}
		return g.api.change(ctx, seen, changes)
	}
	return traffic.Apply(ctx, g.api.where(), want, read, write)
}

// Counters returns what HAProxy counted since its process started: a reload starts anew.
func (g *Gateway) Counters(ctx context.Context) (swap.PerArm[traffic.Counters], bool, error) {
	seen, err := g.api.observe(ctx)
	if err != nil {
		return swap.PerArm[traffic.Counters]{}, false, fmt.Errorf("read counters: %w", err)
	}
	var sums swap.PerArm[traffic.Counters]
	for _, arm := range swap.Arms {
		sum := sums.Ptr(arm)
		for _, srv := range seen.arms.Get(arm) {
			sum.Requests += srv.counters.Requests
			sum.Errors += srv.counters.Errors
			sum.InFlight += srv.counters.InFlight
		}
	}
	return sums, true, nil
}
