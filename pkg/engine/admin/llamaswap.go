package admin

import (
	"context"
	"fmt"
	"net/http"

	"github.com/swapgate/swapgate/pkg/swap"
)

// llamaSwap starts and ends the processes behind llama-swap. Whether a load ends the model before is for its groups to say.
type llamaSwap struct{ api }

func (llamaSwap) capabilities() Capabilities {
	return Capabilities{SideBySide: true, Identity: true, RepliesEarly: true}
}

func (e llamaSwap) look(ctx context.Context, m swap.InPlaceModel) (sight, error) {
	var reply struct {
		Running []struct {
			Model string `json:"model"`
			State string `json:"state"`
		} `json:"running"`
	}
	if err := e.get(ctx, "/running", &reply); err != nil {
		return sight{}, err
	}
	for _, r := range reply.Running {
		if r.Model == m.Name {
			return sight{ready: r.State == "ready", loading: r.State == "starting"}, nil
		}
	}
	return sight{}, nil
}

func (llamaSwap) digest(context.Context, swap.InPlaceModel) (string, error) { return "", nil }

// change touches the model's own address, for which llama-swap starts its process. What the process itself answers there does not
// matter.
func (e llamaSwap) change(ctx context.Context, to swap.InPlaceModel) error {
	var cards modelCards
	if err := e.get(ctx, "/v1/models", &cards); err != nil {
		return err
	}
	if _, known := cards.served(to.Name); !known {
		return fmt.Errorf("%w: llama-swap knows no model %q; add it to its configuration", ErrRefused, to.Name)
	}
	status, _, err := e.send(ctx, http.MethodGet, "/upstream/"+segment(to.Name)+"/", nil)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s/upstream/%s/: %w; look at llama-swap's log", ErrUnreachable, e.base, segment(to.Name), cause(err))
	case status >= http.StatusInternalServerError || status == http.StatusUnauthorized || status == http.StatusForbidden:
		return newStatusError("GET "+e.base+"/upstream/"+segment(to.Name)+"/", status, "the model could not be started")
	}
	return nil
}

func (e llamaSwap) release(ctx context.Context, from, _ swap.InPlaceModel) (leaves bool, err error) {
	return true, e.post(ctx, "/api/models/unload/"+segment(from.Name), nil, nil)
}
