package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Config describes a gateway.
type Config struct {
	// Upstreams are the servers behind it.
	Upstreams swap.PerArm[Upstream] `json:"upstreams"`
	// Weights at the first start. Default: everything on the baseline.
	Weights swap.Weights `json:"weights,omitzero"`
	// StateFile keeps the weights over a restart; empty keeps them in memory alone.
	StateFile string `json:"state_file,omitempty"`
	// AdminToken, if set, is the bearer token of the admin API.
	AdminToken string `json:"admin_token,omitempty"`
}

// Upstream is one arm's server.
type Upstream struct {
	// URL is the base URL, without /v1.
	URL string `json:"url"`
	// Model, if set, replaces the model that clients ask for, so that they can speak one public name.
	Model string `json:"model,omitempty"`
}

// ParseConfig reads a JSON configuration. Unknown fields are errors.
func ParseConfig(data []byte) (Config, error) {
	cfg := Config{Weights: swap.AllBaseline}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&cfg); err != nil {
		return Config{}, fmt.Errorf("gateway configuration: %w", err)
	}
	return cfg, cfg.Validate()
}

// Validate names every setting with which the gateway could not run.
func (c Config) Validate() error {
	var errs []error
	for _, arm := range swap.Arms {
		u, err := url.Parse(c.Upstreams.Get(arm).URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			errs = append(errs, fmt.Errorf("gateway configuration: the %s upstream needs an http or https URL", arm))
		}
	}
	if c.Weights != (swap.Weights{}) {
		errs = append(errs, checkWeights(c.Weights))
	}
	return errors.Join(errs...)
}

func checkWeights(w swap.Weights) error {
	if w.Baseline < 0 || w.Candidate < 0 || w.Baseline+w.Candidate != 100 {
		return fmt.Errorf("weights are percentages that sum to 100, but baseline %d and candidate %d sum to %d",
			w.Baseline, w.Candidate, w.Baseline+w.Candidate)
	}
	return nil
}
