package pressure

import (
	"errors"
	"maps"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// CacheState is what an engine says of its KV cache at one moment. Counters count from the start of the engine.
type CacheState struct {
	// CapacityTokens is the room of the whole cache, over all data-parallel ranks.
	CapacityTokens swap.Value
	// Usage is the share in use, of the fullest rank. Cached prefixes that no request holds count as free with most engines.
	Usage swap.Value
	// Preemptions counts requests that were thrown out of the batch for lack of cache.
	Preemptions swap.Value
	// PrefixHits and PrefixQueries count prompt tokens found and looked up in the prefix cache.
	PrefixHits, PrefixQueries swap.Value
	// PrefixHitShare is the engine's own hit rate, over a window it chooses.
	PrefixHitShare swap.Value
	// Started is the start of the engine's process in Unix seconds.
	Started swap.Value
}

// ReadCache reads the metrics page of an engine. It fails with telemetry.ErrNotMetrics if it is no such page; an error beside a
// state names what could not be told.
func ReadCache(page []byte) (CacheState, error) {
	families, err := telemetry.ReadFamilies(page, cacheFamilies())
	if err != nil {
		return CacheState{}, err
	}
	return cacheState(families)
}

func cacheState(families telemetry.Families) (CacheState, error) {
	samples, err := families.Engine()
	if errors.Is(err, telemetry.ErrNoKnownMetric) {
		err = nil
	}
	state := CacheState{CapacityTokens: capacity(families)}
	for _, s := range samples {
		switch s.Metric {
		case telemetry.KVCacheUsageShare:
			state.Usage = share(s.Value)
		case telemetry.PreemptionsTotal:
			state.Preemptions = swap.Of(s.Value)
		case telemetry.PrefixHitsTotal:
			state.PrefixHits = swap.Of(s.Value)
		case telemetry.PrefixQueriesTotal:
			state.PrefixQueries = swap.Of(s.Value)
		case telemetry.PrefixHitShare:
			state.PrefixHitShare = share(s.Value)
		case telemetry.ProcessStartSeconds:
			state.Started = swap.Of(s.Value)
		}
	}
	return state, err
}

func cacheFamilies() map[string]bool {
	names := telemetry.EngineFamilies(
		telemetry.KVCacheUsageShare, telemetry.PreemptionsTotal, telemetry.PrefixHitsTotal, telemetry.PrefixQueriesTotal,
		telemetry.PrefixHitShare, telemetry.ProcessStartSeconds,
	)
	maps.Copy(names, capacityFamilies())
	return names
}

// share is a number from 0 to 1; anything else is not believed.
func share(v float64) swap.Value {
	if v < 0 || v > 1 {
		return swap.Absent()
	}
	return swap.Of(v)
}
