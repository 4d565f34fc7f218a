package admin

import (
	"context"
	"fmt"
	"net/url"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Capabilities is what a method can do.
type Capabilities struct {
	// SideBySide says that the new model is loaded beside the old one, which goes once the new one is proven. The name that clients
	// ask for changes then.
	SideBySide bool
	// Identity says that what the engine lists tells the models apart by itself. Where it does not, weights are proven by a digest
	// or by golden answers alone.
	Identity bool
	// Digest says that the engine can name its weights by a checksum.
	Digest bool
	// RepliesEarly says that the engine replies before it is done.
	RepliesEarly bool
	// Unsafe says that a swap which fails half-way may leave the engine answering with garbage.
	Unsafe bool
}

// sight is what an engine says of one model.
type sight struct {
	// ready says that it is served, loading that it is on its way.
	ready, loading bool
	// failed is why it will not come, by the engine's own word.
	failed string
}

// adapter is the admin interface of one engine. Calls of change and release may be repeated.
type adapter interface {
	capabilities() Capabilities
	// look asks after one model. It is cheap and changes nothing.
	look(ctx context.Context, m swap.InPlaceModel) (sight, error)
	// digest is the checksum of the weights of a model that is served; empty where the engine gives none.
	digest(ctx context.Context, m swap.InPlaceModel) (string, error)
	// change tells the engine to serve to. The reply may come before it does.
	change(ctx context.Context, to swap.InPlaceModel) error
	// release tells the engine that from, which it has, is not wanted any more now that to is served. It reports whether from leaves.
	release(ctx context.Context, from, to swap.InPlaceModel) (leaves bool, err error)
}

func newAdapter(method swap.InPlaceMethod, a api) (adapter, error) {
	switch method {
	case swap.InPlaceVLLMLoRA:
		return vllmLoRA{a}, nil
	case swap.InPlaceVLLMReload:
		return vllmReload{a}, nil
	case swap.InPlaceSGLang:
		return sglang{a}, nil
	case swap.InPlaceTriton:
		return triton{a}, nil
	case swap.InPlaceLlamaCPP:
		return llamaCPP{a}, nil
	case swap.InPlaceOllama:
		return ollama{a}, nil
	case swap.InPlaceLlamaSwap:
		return llamaSwap{a}, nil
	}
	return nil, fmt.Errorf("%w: there is no method %q", ErrUnsupported, method)
}

// segment is a name as part of a path.
func segment(name string) string { return url.PathEscape(name) }

// modelCards is the answer of /v1/models.
type modelCards struct {
	Data []struct {
		ID     string `json:"id"`
		Root   string `json:"root"`
		Parent string `json:"parent"`
	} `json:"data"`
}

// served is the source of the model of that name; false if it is not listed.
func (c modelCards) served(name string) (root string, listed bool) {
	for _, card := range c.Data {
		if card.ID == name {
			return card.Root, true
		}
	}
	return "", false
}
