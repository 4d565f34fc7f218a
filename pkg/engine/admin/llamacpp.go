package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// llamaCPP loads models in the router mode of llama-server. A load is answered before it has ended. Each model is a process of its
// own; at the limit (--models-max) a load ends the one that was used least recently, which may be the model in service.
type llamaCPP struct{ api }

func (llamaCPP) capabilities() Capabilities {
	return Capabilities{SideBySide: true, Identity: true, RepliesEarly: true}
}

type llamaModels struct {
	Data []struct {
		ID      string   `json:"id"`
		Aliases []string `json:"aliases"`
		Status  *struct {
			Value    string `json:"value"`
			Failed   bool   `json:"failed"`
			ExitCode int    `json:"exit_code"`
		} `json:"status"`
	} `json:"data"`
}

func (e llamaCPP) look(ctx context.Context, m swap.InPlaceModel) (sight, error) {
	var models llamaModels
	if err := e.get(ctx, "/models", &models); err != nil {
		return sight{}, err
	}
	for _, known := range models.Data {
		switch {
		case known.Status == nil:
			return sight{}, fmt.Errorf("%w: llama-server is not in router mode; start it without a model", ErrUnsupported)
		case known.ID != m.Name && !slices.Contains(known.Aliases, m.Name):
			continue
		case known.Status.Failed:
			return sight{failed: fmt.Sprintf("its process ended with exit code %d", known.Status.ExitCode)}, nil
		}
		value := known.Status.Value
		return sight{ready: value == "loaded", loading: value == "loading" || value == "downloading"}, nil
	}
	return sight{}, fmt.Errorf("%w: llama-server knows no model %q; add it to --models-dir or --models-preset", ErrRefused, m.Name)
}

func (llamaCPP) digest(context.Context, swap.InPlaceModel) (string, error) { return "", nil }

func (e llamaCPP) change(ctx context.Context, to swap.InPlaceModel) error {
	err := e.post(ctx, "/models/load", map[string]string{"model": to.Name}, nil)
	if strings.Contains(messageOf(err), "already") {
		return nil
	}
	return routed(err)
}

func (e llamaCPP) release(ctx context.Context, from, _ swap.InPlaceModel) (leaves bool, err error) {
	return true, routed(e.post(ctx, "/models/unload", map[string]string{"model": from.Name}, nil))
}

// routed tells a route that llama-server does not have from a model that it does not have: both are 404 with a message.
func routed(err error) error {
	if messageOf(err) == "File Not Found" {
		return fmt.Errorf("%w: this llama-server has no router mode; start a version that has, without a model", ErrUnsupported)
	}
	return err
}
