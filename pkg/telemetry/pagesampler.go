package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/swapgate/swapgate/pkg/secret"
)

// PageSampler reads one Prometheus text page.
type PageSampler struct {
	name     string
	url      string
	key      secret.Value
	client   *http.Client
	dialects []dialect
	// seen holds the metrics that the page has shown, to notice one that vanishes.
	seen map[string]bool
}

// NewEnginePage samples the metrics page of an inference server, with the server's key if there is one: some engines guard
// the page too. The engine is recognised by the page itself.
func NewEnginePage(name, url string, key secret.Value, client *http.Client) *PageSampler {
	return &PageSampler{name: name, url: url, key: key, client: client, dialects: engineDialects(), seen: map[string]bool{}}
}

// NewDCGMPage samples the page of NVIDIA's dcgm-exporter. Its default collect interval is 30 s: set
// DCGM_EXPORTER_INTERVAL to 1000 (ms) or less, or most samples repeat an old reading.
func NewDCGMPage(name, url string, client *http.Client) *PageSampler {
	return &PageSampler{name: name, url: url, client: client, dialects: []dialect{dcgmExporter()}, seen: map[string]bool{}}
}

// Name implements Sampler.
func (s *PageSampler) Name() string { return s.name }

// Sample implements Sampler. A metric that an earlier page held and this one lacks is an error beside the samples: the
// server was restarted or reconfigured.
func (s *PageSampler) Sample(ctx context.Context) ([]Sample, error) {
	body, err := Fetch(ctx, s.client, s.url, s.key.Reveal())
	if err != nil {
		return nil, err
	}
	p, err := parsePage(body)
	if err != nil {
		return nil, fmt.Errorf("metrics page of %s: %w", s.name, err)
	}
	samples, err := recognise(p, s.dialects)
	if err = errors.Join(err, s.vanished(samples)); err != nil {
		return samples, fmt.Errorf("metrics page of %s: %w", s.name, err)
	}
	return samples, nil
}

func (s *PageSampler) vanished(samples []Sample) error {
	held := map[string]bool{}
	for _, sample := range samples {
		held[sample.Metric] = true
		s.seen[sample.Metric] = true
	}
	var faults []error
	for _, m := range sortedKeys(s.seen) {
		if !held[m] {
			faults = append(faults, fmt.Errorf("%s has vanished; was the server restarted?", m))
		}
	}
	return errors.Join(faults...)
}
