// Package istio steers the weights of an HTTP route of an Istio VirtualService (networking.istio.io/v1).
package istio

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
)

// propagation is how long Istio may gather changes before it sends them to the proxies (PILOT_DEBOUNCE_MAX).
const propagation = 10 * time.Second

// Kind is a kube.Kind.
type Kind struct{ at swap.VirtualService }

// New returns the kind for one HTTP route.
func New(at swap.VirtualService) Kind { return Kind{at: at} }

// Refs is the VirtualService.
func (k Kind) Refs() []kube.Ref {
	return []kube.Ref{{
		Group: "networking.istio.io", Version: "v1", Resource: "virtualservices", Namespace: k.at.Namespace, Name: k.at.Name,
	}}
}

// Capabilities says that answers under way stay where they began.
func (Kind) Capabilities() traffic.Capabilities {
	return traffic.Capabilities{Propagation: propagation, DrainsStreams: true}
}

// service is the part of a VirtualService that is looked at.
type service struct {
	Spec struct {
		HTTP []struct {
			Name  string        `json:"name"`
			Route []destination `json:"route"`
		} `json:"http"`
	} `json:"spec"`
	Status status `json:"status"`
}

type destination struct {
	Destination swap.Destination `json:"destination"`
	Weight      int64            `json:"weight"`
}

// status is what Istio says of the object, where it was told to say anything.
type status struct {
	// ObservedGeneration is written as a number or as text.
	ObservedGeneration json.Number `json:"observedGeneration"`
	ValidationMessages []struct {
		Level         string `json:"level"`
		Documentation string `json:"documentationUrl"`
	} `json:"validationMessages"`
}

// idOf tells destinations apart.
func idOf(d swap.Destination) string {
	if d.Subset == "" {
		return d.Host
	}
	return d.Host + " subset " + d.Subset
}

// Read gives the weights in the specification.
func (k Kind) Read(objects []kube.Object) (traffic.State, error) {
	s, split, err := k.find(objects[0])
	if err != nil {
		return traffic.State{}, err
	}
	state := split.State()
	if state.Pending == "" {
		state.Pending = s.Status.pending(objects[0].Meta.Generation, state.Candidate > 0)
	}
	return state, nil
}

// pending says whether Istio has not seen the object yet, or what it has against one that must be valid; empty also where it says
// nothing at all, as it does unless its status writer is on. Where the candidate has no share, its host may be gone.
func (s status) pending(generation int64, valid bool) string {
	if seen, err := s.ObservedGeneration.Int64(); err == nil && seen < generation {
		return fmt.Sprintf("Istio has seen generation %d, and it is at %d", seen, generation)
	}
	if !valid {
		return ""
	}
	for _, m := range s.ValidationMessages {
		if strings.EqualFold(m.Level, "ERROR") {
			return "Istio finds an error in it: " + m.Documentation
		}
	}
	return ""
}

// Plan sets both weights of the route, on the condition that they are still those of the arms.
func (k Kind) Plan(objects []kube.Object, want swap.Weights) ([]kube.Change, error) {
	s, split, err := k.find(objects[0])
	if err != nil || split.Is(want) {
		return nil, err
	}
	if err := split.MayTake(want); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", traffic.ErrRefused, objects[0].Ref, err)
	}
	if why := s.Status.pending(objects[0].Meta.Generation, true); why != "" && want.Candidate > split.State().Candidate {
		return nil, fmt.Errorf("%w: %s: %s", traffic.ErrNotApplied, objects[0].Ref, why)
	}
	change := kube.Change{Object: objects[0], Field: []string{"spec", "http"}}
	for _, arm := range swap.Arms {
		at := fmt.Sprintf("/spec/http/%d/route/%d/", split.Rule, split.Arms.Get(arm))
		change.Ops = append(change.Ops, k.test(at, arm)...)
		change.Ops = append(change.Ops, kube.Set(at+"weight", want.Of(arm)))
	}
	return []kube.Change{change}, nil
}

func (k Kind) test(at string, arm swap.Arm) []kube.Op {
	d := k.destination(arm)
	ops := []kube.Op{kube.Test(at+"destination/host", d.Host)}
	if d.Subset != "" {
		ops = append(ops, kube.Test(at+"destination/subset", d.Subset))
	}
	return ops
}

func (k Kind) destination(arm swap.Arm) swap.Destination {
	if arm == swap.Candidate {
		return k.at.Candidate
	}
	return k.at.Baseline
}

func (k Kind) find(o kube.Object) (s service, split kube.Split, err error) {
	if err := o.Into(&s); err != nil {
		return s, split, err
	}
	rules := make([]kube.Rule, len(s.Spec.HTTP))
	for i, from := range s.Spec.HTTP {
		rules[i].Name = from.Name
		for _, d := range from.Route {
			rules[i].Backends = append(rules[i].Backends, kube.Backend{ID: idOf(d.Destination), Weight: d.Weight})
		}
	}
	arms := swap.PerArm[string]{Baseline: idOf(k.at.Baseline), Candidate: idOf(k.at.Candidate)}
	if split, err = kube.FindSplit(rules, k.at.Rule, arms); err != nil {
		return s, split, fmt.Errorf("%w: %s: %w", traffic.ErrRefused, o.Ref, err)
	}
	return s, split, nil
}
