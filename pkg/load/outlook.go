package load

import (
	"time"

	"github.com/swapgate/swapgate/pkg/load/arrival"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// Unit is the n-th unit of work that the plan takes, from 0.
func (p Plan) Unit(n int) workload.Unit {
	return p.prompts.Unit(p.Stream, uint64(n)) //nolint:gosec // not negative
}

// UnitSize is the number of requests in a unit of work.
func (p Plan) UnitSize() int { return p.prompts.Size() }

// Topology is how requests belong together; nil where each stands alone.
func (p Plan) Topology() *swap.Topology { return p.prompts.Spec().Topology }

// StartsOf are the planned starts of the units that a shard of an open loop begins, ascending; nil for a closed loop.
func (p Plan) StartsOf(shard Shard) []time.Duration {
	if !p.Open() {
		return nil
	}
	units := arrival.Slice(len(p.Arrivals), shard.Of, shard.Index, p.seed, p.Stream)
	starts := make([]time.Duration, len(units))
	for i, u := range units {
		starts[i] = p.Arrivals[u]
	}
	return starts
}
