package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/swapgate/swapgate/pkg/swap"
)

// vllmLoRA swaps LoRA adapters of vLLM (--enable-lora, VLLM_ALLOW_RUNTIME_LORA_UPDATING). A name stands for one adapter for ever:
// loading another one under it may answer from prefix-cache blocks of the one before. A model without a path is the base model,
// which is always there.
type vllmLoRA struct{ api }

func (vllmLoRA) capabilities() Capabilities { return Capabilities{SideBySide: true, Identity: true} }

func (e vllmLoRA) look(ctx context.Context, m swap.InPlaceModel) (sight, error) {
	var cards modelCards
	if err := e.get(ctx, "/v1/models", &cards); err != nil {
		return sight{}, err
	}
	root, listed := cards.served(m.Name)
	if listed && m.Path != "" && root != "" && root != m.Path {
		return sight{}, fmt.Errorf("%w: the name %q is in use for the adapter %q; give every version of an adapter a name of its own, "+
			"because the prefix cache may still hold blocks of the one before", ErrRefused, m.Name, root)
	}
	return sight{ready: listed}, nil
}

func (vllmLoRA) digest(context.Context, swap.InPlaceModel) (string, error) { return "", nil }

func (e vllmLoRA) change(ctx context.Context, to swap.InPlaceModel) error {
	if to.Path == "" {
		return nil
	}
	if s, err := e.look(ctx, to); err != nil || s.ready {
		return err
	}
	return e.post(ctx, "/v1/load_lora_adapter", map[string]any{"lora_name": to.Name, "lora_path": to.Path}, nil)
}

func (e vllmLoRA) release(ctx context.Context, from, _ swap.InPlaceModel) (leaves bool, err error) {
	if from.Path == "" {
		return false, nil
	}
	err = e.post(ctx, "/v1/unload_lora_adapter", map[string]any{"lora_name": from.Name}, nil)
	if statusOf(err) == http.StatusNotFound && errors.Is(err, ErrRefused) {
		return true, nil // it is not loaded
	}
	return true, err
}
