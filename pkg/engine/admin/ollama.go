package admin

import (
	"context"
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// ollama loads and unloads models of Ollama by requests without a prompt. It replies to both before they are done. The digest of a
// model names its weights.
type ollama struct{ api }

func (ollama) capabilities() Capabilities {
	return Capabilities{SideBySide: true, Identity: true, Digest: true, RepliesEarly: true}
}

type ollamaModels struct {
	Models []struct {
		Name   string `json:"name"`
		Digest string `json:"digest"`
	} `json:"models"`
}

// find accepts that Ollama lists "name" as "name:latest".
func (l ollamaModels) find(name string) (digest string, found bool) {
	for _, m := range l.Models {
		if m.Name == name || m.Name == name+":latest" {
			return m.Digest, true
		}
	}
	return "", false
}

func (e ollama) look(ctx context.Context, m swap.InPlaceModel) (sight, error) {
	var running ollamaModels
	if err := e.get(ctx, "/api/ps", &running); err != nil {
		return sight{}, err
	}
	_, ready := running.find(m.Name)
	return sight{ready: ready}, nil
}

func (e ollama) digest(ctx context.Context, m swap.InPlaceModel) (string, error) {
	var running ollamaModels
	if err := e.get(ctx, "/api/ps", &running); err != nil {
		return "", err
	}
	digest, _ := running.find(m.Name)
	return digest, nil
}

// change pulls the model first where Ollama does not have it.
func (e ollama) change(ctx context.Context, to swap.InPlaceModel) error {
	var stored ollamaModels
	if err := e.get(ctx, "/api/tags", &stored); err != nil {
		return err
	}
	if _, found := stored.find(to.Name); !found {
		var reply struct {
			Status string `json:"status"`
		}
		if err := e.post(ctx, "/api/pull", map[string]any{"model": to.Name, "stream": false}, &reply); err != nil {
			return err
		}
		if reply.Status != "success" {
			return fmt.Errorf("%w: pulling %s ended with status %q", ErrRefused, to.Name, e.clean(reply.Status))
		}
	}
	return e.keepAlive(ctx, to, -1)
}

func (e ollama) release(ctx context.Context, from, _ swap.InPlaceModel) (leaves bool, err error) {
	return true, e.keepAlive(ctx, from, 0)
}

// keepAlive loads a model for good (-1) or unloads it (0), once the requests on it have ended.
func (e ollama) keepAlive(ctx context.Context, m swap.InPlaceModel, seconds int) error {
	return e.post(ctx, "/api/generate", map[string]any{"model": m.Name, "keep_alive": seconds, "stream": false}, nil)
}
