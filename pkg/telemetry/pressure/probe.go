package pressure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// probe reads one share from one source again and again.
type probe struct {
	source Source
	client *http.Client
	names  map[string]bool
}

func newProbe(source Source, client *http.Client) probe {
	p := probe{source: source, client: client, names: telemetry.EngineFamilies(telemetry.KVCacheUsageShare)}
	if source.Kind == swap.SourceDCGM {
		p.names = telemetry.DCGMFamilies(telemetry.GPUUtilizationPercent)
	}
	return p
}

// read gives the largest share that the page shows; an error says that it shows none.
func (p probe) read(ctx context.Context) (swap.Value, error) {
	families, err := p.source.families(ctx, p.client, p.names)
	if err != nil {
		return swap.Absent(), err
	}
	var v swap.Value
	if p.source.Kind == swap.SourceDCGM {
		samples, unread := families.DCGM()
		v, err = largest(samples, telemetry.GPUUtilizationPercent, 100, unread)
	} else {
		samples, unread := families.Engine()
		v, err = largest(samples, telemetry.KVCacheUsageShare, 1, unread)
	}
	return v, p.source.about(err)
}

// largest is the largest value of a metric as a share of full. unread is why samples may be missing.
func largest(samples []telemetry.Sample, metric string, full float64, unread error) (swap.Value, error) {
	most := swap.Absent()
	for _, s := range samples {
		if s.Metric != metric {
			continue
		}
		v := share(s.Value / full)
		if !v.Valid() {
			return swap.Absent(), fmt.Errorf("%s is %g, which is not from 0 to %g", s.Origin, s.Value, full)
		}
		most = more(most, v)
	}
	switch {
	case most.Valid():
		return most, nil
	case unread == nil || errors.Is(unread, telemetry.ErrNoKnownMetric):
		return most, fmt.Errorf("it does not report %s", metric)
	}
	return most, unread
}

// more is the larger of two values; an absent one is less than any.
func more(a, b swap.Value) swap.Value {
	if v, ok := b.Get(); ok && v > a.Or(math.Inf(-1)) {
		return b
	}
	return a
}
