package litellm

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// model is what the proxy knows of one model name.
type model struct {
	// weights of the arms, times scale; -1 for a deployment without one.
	weights swap.PerArm[int64]
	// other is a third deployment that may get requests.
	other string
}

// deployment is an entry of the reply to GET /model/info.
type deployment struct {
	ModelName string `json:"model_name"`
	Params    struct {
		Weight *float64 `json:"weight"`
	} `json:"litellm_params"`
	Info struct {
		ID string `json:"id"`
		// InDatabase is false for a deployment of the proxy's configuration file, which its API does not change.
		InDatabase bool `json:"db_model"`
	} `json:"model_info"`
}

func decode(data []byte, at swap.LiteLLM) (model, error) {
	var reply struct {
		Data []deployment `json:"data"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return model{}, errors.New("the reply is not that of a LiteLLM proxy")
	}
	var m model
	var found swap.PerArm[bool]
	for _, d := range reply.Data {
		if d.ModelName != at.Model {
			continue
		}
		arm, known := armOf(d.Info.ID, at)
		switch {
		case !known:
			if d.Params.Weight == nil || *d.Params.Weight > 0 {
				m.other = d.Info.ID
			}
			continue
		case !d.Info.InDatabase:
			return m, fmt.Errorf("deployment %s comes from the proxy's configuration file; only one in its database "+
				"(store_model_in_db, POST /model/new) can be changed", d.Info.ID)
		}
		*found.Ptr(arm), *m.weights.Ptr(arm) = true, -1
		if d.Params.Weight != nil {
			*m.weights.Ptr(arm) = scaledFloat(*d.Params.Weight)
		}
	}
	if !found.Baseline || !found.Candidate {
		return m, fmt.Errorf("model %s has not both deployments: baseline %s: %t, candidate %s: %t",
			at.Model, at.Baseline, found.Baseline, at.Candidate, found.Candidate)
	}
	return m, nil
}

func armOf(id string, at swap.LiteLLM) (swap.Arm, bool) {
	switch id {
	case at.Baseline:
		return swap.Baseline, true
	case at.Candidate:
		return swap.Candidate, true
	}
	return "", false
}

// state is the split that the strategy simple-shuffle makes. It looks at the first healthy deployment: where that has no weight,
// all are chosen alike, whatever the others have. So all must have one.
func (m model) state() traffic.State {
	if m.weights.Baseline < 0 || m.weights.Candidate < 0 {
		return traffic.State{
			Weights: swap.Weights{Baseline: 50, Candidate: 50},
			Pending: "a deployment has no weight, so that the proxy may choose both alike; give each one",
		}
	}
	weights, exact := traffic.SharesOf(m.weights)
	state := traffic.State{Weights: weights}
	switch {
	case weights == swap.Weights{}:
		state.Pending = "both deployments have the weight 0"
	case m.other != "":
		state.Pending = fmt.Sprintf("deployment %s, which is neither arm, gets requests too", m.other)
	case !exact:
		state.Pending = "the weights are no whole percentages"
	}
	return state
}
