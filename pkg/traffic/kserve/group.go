package kserve

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
)

// NewLLMInferenceService returns the kind for two LLMInferenceServices of one routing group.
func NewLLMInferenceService(at swap.LLMInferenceService) kube.Kind { return members{at: at} }

// members is a kube.Kind of two objects, the baseline's and the candidate's, each of which holds its own relative weight.
type members struct{ at swap.LLMInferenceService }

func (k members) Refs() []kube.Ref {
	ref := kube.Ref{Group: group, Version: "v1alpha2", Resource: "llminferenceservices", Namespace: k.at.Namespace}
	baseline, candidate := ref, ref
	baseline.Name, candidate.Name = k.at.Baseline, k.at.Candidate
	return []kube.Ref{baseline, candidate}
}

func (members) Capabilities() traffic.Capabilities { return capabilities() }

// member is the part of an LLMInferenceService that is looked at.
type member struct {
	Spec struct {
		Router struct {
			Route struct {
				Group  string `json:"group"`
				Weight int64  `json:"weight"`
			} `json:"route"`
		} `json:"router"`
	} `json:"spec"`
	Status struct {
		Router struct {
			Group *groupStatus `json:"group"`
		} `json:"router"`
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

type groupStatus struct {
	Members []struct {
		Name    string `json:"name"`
		Weight  int64  `json:"weight"`
		Stopped bool   `json:"stopped"`
	} `json:"members"`
}

func (k members) decode(objects []kube.Object) (arms swap.PerArm[member], err error) {
	for i, arm := range swap.Arms {
		if err := objects[i].Into(arms.Ptr(arm)); err != nil {
			return arms, err
		}
		if arms.Get(arm).Spec.Router.Route.Group == "" {
			return arms, refused(objects[i], "it is in no routing group; set spec.router.route.group and weight")
		}
	}
	if b, c := arms.Baseline.Spec.Router.Route.Group, arms.Candidate.Spec.Router.Route.Group; b != c {
		return arms, refused(objects[1], "it is in routing group %s, and the baseline in %s", c, b)
	}
	return arms, nil
}

func shares(arms swap.PerArm[member]) swap.PerArm[int64] {
	return swap.PerArm[int64]{Baseline: arms.Baseline.Spec.Router.Route.Weight, Candidate: arms.Candidate.Spec.Router.Route.Weight}
}

// Read gives the weights in the specifications. They are pending until the route of each member says the same: a member that is
// not ready, or whose models differ from the group's, is left out of it without a word in the specification.
func (k members) Read(objects []kube.Object) (traffic.State, error) {
	arms, err := k.decode(objects)
	if err != nil {
		return traffic.State{}, err
	}
	relative := shares(arms)
	weights, _ := traffic.SharesOf(relative)
	state := traffic.State{Weights: weights}
	if weights == (swap.Weights{}) {
		state.Pending = "neither member has any weight"
	}
	for i, arm := range swap.Arms {
		m := arms.Get(arm)
		missing := k.missing(m, relative)
		if missing == "" && relative.Get(arm) > 0 {
			missing = unready(m.Status.Conditions, "RouterReady")
		}
		if state.Pending == "" && missing != "" {
			state.Pending = fmt.Sprintf("%s: %s", objects[i].Ref.Name, missing)
		}
	}
	return state, nil
}

// missing says why the route of a member does not follow the weights of both; empty when it does. KServe leaves a member out that
// is not ready, which is as good as a weight of 0 and no worse.
func (k members) missing(m member, want swap.PerArm[int64]) string {
	if m.Status.Router.Group == nil {
		return "the status names no routing group"
	}
	var seen swap.PerArm[bool]
	for _, in := range m.Status.Router.Group.Members {
		arm, known := k.armOf(in.Name)
		switch {
		case !known && in.Weight > 0 && !in.Stopped:
			return fmt.Sprintf("the group also sends traffic to %s, which is neither arm", in.Name)
		case known && (in.Weight != want.Get(arm) || (in.Stopped && in.Weight > 0)):
			return fmt.Sprintf("member %s has weight %d in the route (stopped: %t), and %d is set", in.Name, in.Weight, in.Stopped, want.Get(arm))
		case known:
			*seen.Ptr(arm) = true
		}
	}
	for _, arm := range swap.Arms {
		if want.Get(arm) > 0 && !seen.Get(arm) {
			return fmt.Sprintf("the %s is not in the group; is it ready, and does it serve the same model names?", arm)
		}
	}
	return ""
}

func (k members) armOf(name string) (swap.Arm, bool) {
	switch name {
	case k.at.Baseline:
		return swap.Baseline, true
	case k.at.Candidate:
		return swap.Candidate, true
	}
	return "", false
}

// Plan first raises what goes up and then lowers what goes down, so that the share moves one way only and never passes through
// two weights of 0, for which a gateway answers 500.
func (k members) Plan(objects []kube.Object, want swap.Weights) ([]kube.Change, error) {
	arms, err := k.decode(objects)
	if err != nil {
		return nil, err
	}
	relative := shares(arms)
	now, exact := traffic.SharesOf(relative)
	if exact && now == want {
		return nil, nil
	}
	if why := unready(arms.Candidate.Status.Conditions, "Ready"); why != "" && want.Candidate > now.Candidate {
		return nil, fmt.Errorf("%w: %s: %s", traffic.ErrNotApplied, objects[1].Ref, why)
	}
	var raised, lowered []kube.Change
	for i, arm := range swap.Arms {
		change := kube.Change{Object: objects[i], Field: []string{"spec", "router", "route", "weight"}, Ops: []kube.Op{
			kube.Test("/spec/router/route/group", arms.Get(arm).Spec.Router.Route.Group),
			kube.Set("/spec/router/route/weight", want.Of(arm)),
		}}
		switch old, next := relative.Get(arm), int64(want.Of(arm)); {
		case next > old:
			raised = append(raised, change)
		case next < old:
			lowered = append(lowered, change)
		}
	}
	return append(raised, lowered...), nil
}
