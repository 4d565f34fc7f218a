// Package litellm steers the weights of two deployments that a LiteLLM proxy serves under one model name.
package litellm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

// propagation is how often the other replicas of a proxy read its database.
const propagation = 30 * time.Second

// Proxy steers the deployments of one model.
type Proxy struct {
	api *httpapi.Client
	at  swap.LiteLLM
}

// New returns the controller of the deployments behind a proxy's API.
func New(api *httpapi.Client, at swap.LiteLLM) *Proxy { return &Proxy{api: api, at: at} }

// Capabilities says that a change reaches other replicas of the proxy late.
func (*Proxy) Capabilities() traffic.Capabilities {
	return traffic.Capabilities{Propagation: propagation, DrainsStreams: true}
}

// Counters says that what the proxy counts is not read.
func (*Proxy) Counters(context.Context) (swap.PerArm[traffic.Counters], bool, error) {
	return swap.PerArm[traffic.Counters]{}, false, nil
}

// Read returns the split that the proxy makes of the weights.
func (p *Proxy) Read(ctx context.Context) (traffic.State, error) {
	m, err := p.model(ctx)
	if err != nil {
		return traffic.State{}, err
	}
	return m.state(), nil
}

// Apply sets both weights. The API has no condition for a write, so the proxy is asked again before each; a writer in the moment
// between is only found by the read after it.
func (p *Proxy) Apply(ctx context.Context, want swap.Weights) (traffic.State, error) {
	return traffic.Apply(ctx, p.api.Base, want, p.Read, func(ctx context.Context, before traffic.State) error {
		m, err := p.model(ctx)
		if err != nil {
			return err
		}
		if m.state().Weights != before.Weights {
			return fmt.Errorf("%w: they are baseline %d / candidate %d now", traffic.ErrConflict, m.state().Baseline, m.state().Candidate)
		}
		if m.other != "" && want.Candidate > before.Candidate {
			return p.refuseOther(m)
		}
		return p.write(ctx, m, want)
	})
}

// Rehearse says whether another deployment would forbid a rollout.
func (p *Proxy) Rehearse(ctx context.Context) error {
	m, err := p.model(ctx)
	if err == nil && m.other != "" {
		err = p.refuseOther(m)
	}
	return err
}

func (*Proxy) refuseOther(m model) error {
	return fmt.Errorf("%w: %s; give it weight 0 before a rollout", traffic.ErrRefused, m.state().Pending)
}

// write first raises the weight that goes up, so that the sum is 0 at no time: the proxy would have nothing to choose from.
func (p *Proxy) write(ctx context.Context, m model, want swap.Weights) error {
	order := []swap.Arm{swap.Baseline, swap.Candidate}
	if scaled(want.Candidate) > m.weights.Candidate {
		order = []swap.Arm{swap.Candidate, swap.Baseline}
	}
	for i, arm := range order {
		if i > 0 {
			now, err := p.model(ctx)
			if err != nil {
				return err
			}
			if now.weights.Get(arm) != m.weights.Get(arm) {
				return fmt.Errorf("%w: that of the %s, between two writes", traffic.ErrConflict, arm)
			}
		}
		body, err := json.Marshal(map[string]any{"litellm_params": map[string]int{"weight": want.Of(arm)}})
		if err != nil {
			return err
		}
		_, err = p.api.Do(ctx, httpapi.Request{
			Method: http.MethodPatch, Path: "/model/" + url.PathEscape(p.idOf(arm)) + "/update", Body: body,
		})
		if err != nil {
			return fmt.Errorf("deployment %s: %w", p.idOf(arm), err)
		}
	}
	return nil
}

func (p *Proxy) idOf(arm swap.Arm) string {
	if arm == swap.Candidate {
		return p.at.Candidate
	}
	return p.at.Baseline
}

func (p *Proxy) model(ctx context.Context) (model, error) {
	data, err := p.api.Do(ctx, httpapi.Request{Method: http.MethodGet, Path: "/model/info"})
	if err != nil {
		return model{}, fmt.Errorf("read weights: %w", err)
	}
	m, err := decode(data, p.at)
	if err != nil {
		return model{}, fmt.Errorf("read weights: %w: %s: %w", traffic.ErrRefused, p.api.Base, err)
	}
	return m, nil
}

// scale makes whole numbers of weights that need not be whole.
const scale = 1e6

func scaled(weight int) int64 { return int64(weight) * scale }

func scaledFloat(weight float64) int64 { return int64(math.Round(min(max(weight, 0), scale) * scale)) }
