// Package httproute steers the weights of a rule of a Kubernetes Gateway API HTTPRoute (gateway.networking.k8s.io/v1).
package httproute

import (
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
)

// propagation is how long a gateway may take from reporting a route as accepted until its proxies follow it.
const propagation = 5 * time.Second

// Kind is a kube.Kind.
type Kind struct{ at swap.HTTPRoute }

// New returns the kind for one rule.
func New(at swap.HTTPRoute) Kind { return Kind{at: at} }

// Refs is the route.
func (k Kind) Refs() []kube.Ref {
	return []kube.Ref{{
		Group: "gateway.networking.k8s.io", Version: "v1", Resource: "httproutes", Namespace: k.at.Namespace, Name: k.at.Name,
	}}
}

// Capabilities says that answers under way stay where they began.
func (Kind) Capabilities() traffic.Capabilities {
	return traffic.Capabilities{Propagation: propagation, DrainsStreams: true}
}

// route is the part of an HTTPRoute that is looked at.
type route struct {
	Spec struct {
		Rules []struct {
			Name        string       `json:"name"`
			BackendRefs []backendRef `json:"backendRefs"`
		} `json:"rules"`
	} `json:"spec"`
	Status struct {
		Parents []parent `json:"parents"`
	} `json:"status"`
}

type backendRef struct {
	Name   string `json:"name"`
	Weight *int64 `json:"weight"`
}

// weight of a reference that names none is 1.
func (b backendRef) weight() int64 {
	if b.Weight == nil {
		return 1
	}
	return *b.Weight
}

// Read gives the weights in the specification. They are pending until every gateway says that it follows them.
func (k Kind) Read(objects []kube.Object) (traffic.State, error) {
	r, split, err := k.find(objects[0])
	if err != nil {
		return traffic.State{}, err
	}
	state := split.State()
	if state.Pending == "" {
		state.Pending = pending(r.Status.Parents, objects[0].Meta.Generation, state.Candidate > 0)
	}
	return state, nil
}

// Plan sets both weights of the rule, on the condition that they are still those of the arms.
func (k Kind) Plan(objects []kube.Object, want swap.Weights) ([]kube.Change, error) {
	r, split, err := k.find(objects[0])
	if err != nil || split.Is(want) {
		return nil, err
	}
	if err := split.MayTake(want); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", traffic.ErrRefused, objects[0].Ref, err)
	}
	if unready := pending(r.Status.Parents, objects[0].Meta.Generation, true); unready != "" && want.Candidate > split.State().Candidate {
		return nil, fmt.Errorf("%w: %s: %s", traffic.ErrNotApplied, objects[0].Ref, unready)
	}
	path := func(arm swap.Arm, field string) string {
		return fmt.Sprintf("/spec/rules/%d/backendRefs/%d/%s", split.Rule, split.Arms.Get(arm), field)
	}
	// The list of rules is replaced as one, and belongs to one writer.
	return []kube.Change{{Object: objects[0], Field: []string{"spec", "rules"}, Ops: []kube.Op{
		kube.Test(path(swap.Baseline, "name"), k.at.Baseline),
		kube.Test(path(swap.Candidate, "name"), k.at.Candidate),
		kube.Set(path(swap.Baseline, "weight"), want.Baseline),
		kube.Set(path(swap.Candidate, "weight"), want.Candidate),
	}}}, nil
}

func (k Kind) find(o kube.Object) (r route, split kube.Split, err error) {
	if err := o.Into(&r); err != nil {
		return r, split, err
	}
	rules := make([]kube.Rule, len(r.Spec.Rules))
	for i, from := range r.Spec.Rules {
		rules[i].Name = from.Name
		for _, b := range from.BackendRefs {
			rules[i].Backends = append(rules[i].Backends, kube.Backend{ID: b.Name, Weight: b.weight()})
		}
	}
	split, err = kube.FindSplit(rules, k.at.Rule, swap.PerArm[string]{Baseline: k.at.Baseline, Candidate: k.at.Candidate})
	if err != nil {
		return r, split, fmt.Errorf("%w: %s: %w", traffic.ErrRefused, o.Ref, err)
	}
	return r, split, nil
}
