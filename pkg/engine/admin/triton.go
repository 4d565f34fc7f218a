package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// triton loads from the repository (--model-control-mode=explicit). Another version of the same model is loaded in the background
// and takes over when it is ready, so both are in memory for a while; another model is loaded beside the first.
type triton struct{ api }

func (triton) capabilities() Capabilities { return Capabilities{SideBySide: true, Identity: true} }

// The states of a model in the repository's index that matter here.
const (
	tritonReady       = "READY"
	tritonLoading     = "LOADING"
	tritonUnavailable = "UNAVAILABLE"
)

func (e triton) look(ctx context.Context, m swap.InPlaceModel) (sight, error) {
	var index []struct{ Name, Version, State, Reason string }
	if err := e.ask(ctx, http.MethodPost, "/v2/repository/index", map[string]any{}, &index); err != nil {
		return sight{}, err
	}
	var s sight
	for _, entry := range index {
		if entry.Name != m.Name || (m.Version != "" && entry.Version != m.Version) {
			continue
		}
		s.ready = s.ready || entry.State == tritonReady
		s.loading = s.loading || entry.State == tritonLoading
		if entry.State == tritonUnavailable && !strings.Contains(entry.Reason, "unload") {
			s.failed = e.clean(entry.Reason)
		}
	}
	return s, nil
}

func (triton) digest(context.Context, swap.InPlaceModel) (string, error) { return "", nil }

func (e triton) change(ctx context.Context, to swap.InPlaceModel) error {
	body := map[string]any{}
	if to.Version != "" {
		config, err := e.onlyVersion(ctx, to)
		if err != nil {
			return err
		}
		body["parameters"] = map[string]string{"config": config}
	}
	return e.post(ctx, "/v2/repository/models/"+segment(to.Name)+"/load", body, nil)
}

// onlyVersion is the model's own configuration with a policy that serves one version. A load takes a configuration only as a whole.
func (e triton) onlyVersion(ctx context.Context, m swap.InPlaceModel) (string, error) {
	var config map[string]any
	if err := e.get(ctx, "/v2/models/"+segment(m.Name)+"/config", &config); err != nil {
		return "", fmt.Errorf("the configuration of %s is needed to load its version %s: %w", m.Name, m.Version, err)
	}
	config["version_policy"] = map[string]any{"specific": map[string]any{"versions": []json.Number{json.Number(m.Version)}}}
	data, err := json.Marshal(config)
	return string(data), err
}

// release unloads another model. Another version of the same one went when the new one took over.
func (e triton) release(ctx context.Context, from, to swap.InPlaceModel) (leaves bool, err error) {
	if from.Name == to.Name {
		return true, nil
	}
	return true, e.post(ctx, "/v2/repository/models/"+segment(from.Name)+"/unload", map[string]any{}, nil)
}
