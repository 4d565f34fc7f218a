// Package swapgate steers swapgate's own weighted gateway.
package swapgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/httpapi"
)

// Gateway steers swapgate's own gateway through its admin API.
type Gateway struct{ api *httpapi.Client }

// New returns the controller of the gateway with this admin API.
func New(api *httpapi.Client) *Gateway { return &Gateway{api: api} }

// Capabilities says what the gateway can do: a change is live once it is read back.
func (*Gateway) Capabilities() traffic.Capabilities {
	return traffic.Capabilities{Counters: true, DrainsStreams: true}
}

// Read returns the weights.
func (g *Gateway) Read(ctx context.Context) (traffic.State, error) {
	data, err := g.api.Do(ctx, httpapi.Request{Method: http.MethodGet, Path: "/admin/weights"})
	if err != nil {
		return traffic.State{}, fmt.Errorf("read weights: %w", err)
	}
	state, err := decodeState(data)
	if err != nil {
		return traffic.State{}, fmt.Errorf("read weights: %w: %s: %w", traffic.ErrRefused, g.api.Base, err)
	}
	return state, nil
}

// decodeState reads the weights and insists that every field is there, so that the reply of another service cannot pass
// for weights.
func decodeState(data []byte) (traffic.State, error) {
	var reply struct {
		Baseline, Candidate *int
		Version             *int64
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return traffic.State{}, fmt.Errorf("the reply is not the JSON of an admin API: %w", err)
	}
	if reply.Baseline == nil || reply.Candidate == nil || reply.Version == nil {
		return traffic.State{}, errors.New("the reply lacks baseline, candidate or version")
	}
	weights := swap.Weights{Baseline: *reply.Baseline, Candidate: *reply.Candidate}
	if weights.Baseline < 0 || weights.Candidate < 0 || weights.Baseline+weights.Candidate != 100 {
		return traffic.State{}, fmt.Errorf("the reply's weights %d and %d are not percentages that sum to 100",
			weights.Baseline, weights.Candidate)
	}
	return traffic.State{Weights: weights, Version: strconv.FormatInt(*reply.Version, 10)}, nil
}

// Apply sets the weights on the condition that they are still those of the version it read.
func (g *Gateway) Apply(ctx context.Context, want swap.Weights) (traffic.State, error) {
	return traffic.Apply(ctx, g.api.Base, want, g.Read, func(ctx context.Context, before traffic.State) error {
		body, err := json.Marshal(want)
		if err != nil {
			return err
		}
		_, err = g.api.Do(ctx, httpapi.Request{
			Method: http.MethodPut, Path: "/admin/weights", Body: body, Header: http.Header{"If-Match": {strconv.Quote(before.Version)}},
		})
		return err
	})
}

// Counters returns what the gateway counted for each arm since it started.
func (g *Gateway) Counters(ctx context.Context) (swap.PerArm[traffic.Counters], bool, error) {
	data, err := g.api.Do(ctx, httpapi.Request{Method: http.MethodGet, Path: "/admin/counters"})
	if err != nil {
		return swap.PerArm[traffic.Counters]{}, false, fmt.Errorf("read counters: %w", err)
	}
	counters, err := decodeCounters(data)
	if err != nil {
		return swap.PerArm[traffic.Counters]{}, false, fmt.Errorf("read counters: %w: %s: %w", traffic.ErrRefused, g.api.Base, err)
	}
	return counters, true, nil
}

func decodeCounters(data []byte) (swap.PerArm[traffic.Counters], error) {
	type arm struct {
		Requests int64
		Errors   int64
		InFlight int64                         `json:"in_flight"`
		TTFB     struct{ P50, P95 swap.Value } `json:"ttfb_ms"`
	}
	var reply swap.PerArm[*arm]
	var out swap.PerArm[traffic.Counters]
	if err := json.Unmarshal(data, &reply); err != nil {
		return out, fmt.Errorf("the reply is not the JSON of an admin API: %w", err)
	}
	for _, a := range swap.Arms {
		c := reply.Get(a)
		if c == nil {
			return out, fmt.Errorf("the reply lacks the %s arm", a)
		}
		*out.Ptr(a) = traffic.Counters{
			Requests: c.Requests, Errors: c.Errors, InFlight: c.InFlight, TTFBP50ms: c.TTFB.P50, TTFBP95ms: c.TTFB.P95,
		}
	}
	return out, nil
}
