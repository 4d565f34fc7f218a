package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// vllmReload replaces the weights of a sleeping vLLM (VLLM_SERVER_DEV_MODE=1, --enable-sleep-mode). The name of the model does not
// tell which weights are in it, and weights that were not reloaded answer with garbage and no error: only golden answers prove it.
type vllmReload struct{ api }

// cacheTries bounds how often the prefix cache is asked to forget; it refuses while blocks are held.
const cacheTries = 20

func (vllmReload) capabilities() Capabilities { return Capabilities{Unsafe: true} }

func (e vllmReload) look(ctx context.Context, m swap.InPlaceModel) (sight, error) {
	asleep, err := e.asleep(ctx)
	if err != nil || asleep {
		return sight{loading: asleep}, err
	}
	var cards modelCards
	if err := e.get(ctx, "/v1/models", &cards); err != nil {
		return sight{}, err
	}
	_, listed := cards.served(m.Name)
	return sight{ready: listed}, nil
}

func (e vllmReload) asleep(ctx context.Context) (bool, error) {
	var reply struct {
		IsSleeping *bool `json:"is_sleeping"`
	}
	if err := e.get(ctx, "/is_sleeping", &reply); err != nil {
		return false, err
	}
	if reply.IsSleeping == nil {
		return false, fmt.Errorf("%w: /is_sleeping does not say; start vLLM with --enable-sleep-mode and VLLM_SERVER_DEV_MODE=1", ErrUnsupported)
	}
	return *reply.IsSleeping, nil
}

func (vllmReload) digest(context.Context, swap.InPlaceModel) (string, error) { return "", nil }

// change drains and sleeps, reloads, and wakes. Whatever fails after the sleep leaves the engine asleep: awake it would answer with
// weights that are not there.
func (e vllmReload) change(ctx context.Context, to swap.InPlaceModel) error {
	if err := e.post(ctx, "/sleep?level=2&mode=wait", nil, nil); err != nil {
		return err
	}
	if err := e.until(ctx, true); err != nil {
		return err
	}
	for _, call := range []struct {
		path string
		body any
	}{
		{"/wake_up?tags=weights", nil},
		{"/collective_rpc", map[string]any{"method": "reload_weights", "kwargs": map[string]string{"weights_path": to.Path}}},
		{"/wake_up?tags=kv_cache", nil},
	} {
		if err := e.post(ctx, call.path, call.body, nil); err != nil {
			return fmt.Errorf("%w: %w; the engine is left asleep, and requests wait until a model is restored", errUnfinished, err)
		}
	}
	if err := e.until(ctx, false); err != nil {
		return err
	}
	return e.forget(ctx)
}

// until waits until the engine sleeps, or is awake.
func (e vllmReload) until(ctx context.Context, asleep bool) error {
	for {
		if is, err := e.asleep(ctx); err != nil || is == asleep {
			return err
		}
		if err := pause(ctx, e.poll); err != nil {
			return fmt.Errorf("%w: vLLM did not fall asleep or wake up in time", ErrUnreachable)
		}
	}
}

// forget empties the prefix cache, whose blocks are of the weights before.
func (e vllmReload) forget(ctx context.Context) error {
	var err error
	for range cacheTries {
		if err = e.post(ctx, "/reset_prefix_cache", nil, nil); err == nil {
			return nil
		}
		if pause(ctx, e.poll) != nil {
			break
		}
	}
	return fmt.Errorf("%w: the prefix cache still holds blocks of the weights before", err)
}

func (vllmReload) release(context.Context, swap.InPlaceModel, swap.InPlaceModel) (bool, error) {
	return false, nil
}

// pause waits; it ends early with the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
