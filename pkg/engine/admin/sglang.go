package admin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/swapgate/swapgate/pkg/swap"
)

// sglang updates the weights of SGLang from disk. Running requests finish first and new ones wait. The path that it names
// is switched before the weights are loaded, and its own rollback reads the new path again: neither proves anything, and going
// back is another update with the old path.
type sglang struct{ api }

func (sglang) capabilities() Capabilities { return Capabilities{Digest: true} }

func (e sglang) look(ctx context.Context, m swap.InPlaceModel) (sight, error) {
	var info struct {
		ModelPath string `json:"model_path"`
	}
	err := e.get(ctx, "/model_info", &info)
	if errors.Is(err, ErrUnsupported) {
		err = e.get(ctx, "/get_model_info", &info)
	}
	return sight{ready: info.ModelPath == m.Path}, err
}

// digest hashes what the engine says of all its ranks together. Versions without the route have none.
func (e sglang) digest(ctx context.Context, _ swap.InPlaceModel) (string, error) {
	var reply struct {
		PerEngine json.RawMessage `json:"per_engine_checksum"`
		Ranks     json.RawMessage `json:"ranks"`
	}
	err := e.call(ctx, http.MethodPost, "/weights_checker", map[string]string{"action": "checksum"}, &reply)
	if err != nil {
		if errors.Is(err, ErrUnsupported) {
			err = nil
		}
		return "", err
	}
	sum := reply.PerEngine
	if len(sum) == 0 || string(sum) == "null" {
		sum = reply.Ranks
	}
	if len(sum) == 0 || string(sum) == "null" {
		return "", nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, sum); err != nil {
		return "", err
	}
	hash := sha256.Sum256(compact.Bytes())
	return "sha256:" + hex.EncodeToString(hash[:]), nil
}

// change also empties the prefix cache, whose blocks are of the weights before.
func (e sglang) change(ctx context.Context, to swap.InPlaceModel) error {
	return e.post(ctx, "/update_weights_from_disk", map[string]any{
		"model_path": to.Path, "abort_all_requests": false, "flush_cache": true,
	}, nil)
}

func (sglang) release(context.Context, swap.InPlaceModel, swap.InPlaceModel) (bool, error) {
	return false, nil
}
