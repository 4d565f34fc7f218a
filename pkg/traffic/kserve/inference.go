// Package kserve steers traffic between versions of a model that KServe serves: the revisions or canaries of an InferenceService
// (serving.kserve.io/v1beta1), or the members of a routing group of LLMInferenceServices (v1alpha2).
package kserve

import (
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
)

const group = "serving.kserve.io"

// propagation is how long the ingress behind KServe may take to follow a split that KServe reports.
const propagation = 10 * time.Second

func capabilities() traffic.Capabilities {
	return traffic.Capabilities{Propagation: propagation, DrainsStreams: true}
}

// NewInferenceService returns the kind for an InferenceService, of whichever mode it is deployed in.
func NewInferenceService(at swap.InferenceService) kube.Kind { return inference{at: at} }

// inference is a kube.Kind. In mode Knative it steers spec.predictor.canaryTrafficPercent, which is the share of the latest
// revision, whichever that is; in mode Standard the entry of the candidate in spec.canary.
type inference struct{ at swap.InferenceService }

func (k inference) Refs() []kube.Ref {
	return []kube.Ref{{Group: group, Version: "v1beta1", Resource: "inferenceservices", Namespace: k.at.Namespace, Name: k.at.Name}}
}

func (inference) Capabilities() traffic.Capabilities { return capabilities() }

// service is the part of an InferenceService that is looked at.
type service struct {
	Spec struct {
		Predictor struct {
			Name                 string `json:"name"`
			CanaryTrafficPercent *int64 `json:"canaryTrafficPercent"`
		} `json:"predictor"`
		Canary []struct {
			Predictor struct {
				Name string `json:"name"`
			} `json:"predictor"`
			TrafficPercent int64 `json:"trafficPercent"`
		} `json:"canary"`
	} `json:"spec"`
	Status struct {
		Components struct {
			Predictor revisions `json:"predictor"`
		} `json:"components"`
		CanaryStatuses []canaryStatus `json:"canaryStatuses"`
		Conditions     []condition    `json:"conditions"`
	} `json:"status"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (k inference) Read(objects []kube.Object) (traffic.State, error) {
	s, err := k.decode(objects[0])
	if err != nil {
		return traffic.State{}, err
	}
	if len(s.Spec.Canary) > 0 {
		return k.readCanary(objects[0], s)
	}
	if k.at.Baseline == "" {
		return traffic.State{}, refused(objects[0], "it has no canary; name the revision of the baseline, which it needs in mode Knative")
	}
	return k.readRevisions(s), nil
}

func (k inference) Plan(objects []kube.Object, want swap.Weights) ([]kube.Change, error) {
	s, err := k.decode(objects[0])
	if err != nil {
		return nil, err
	}
	change := kube.Change{Object: objects[0]}
	if len(s.Spec.Canary) > 0 {
		change.Field = []string{"spec", "canary"}
		change.Ops, err = k.planCanary(objects[0], s, want)
	} else {
		change.Field = []string{"spec", "predictor", "canaryTrafficPercent"}
		change.Ops, err = k.planRevisions(objects[0], s, want)
	}
	if err != nil || len(change.Ops) == 0 {
		return nil, err
	}
	return []kube.Change{change}, nil
}

func (inference) decode(o kube.Object) (s service, err error) { return s, o.Into(&s) }

// unready says which of the conditions is not True; empty when all are.
func unready(conditions []condition, needed ...string) string {
	for _, kind := range needed {
		found := condition{Type: kind, Status: "absent"}
		for _, c := range conditions {
			if c.Type == kind {
				found = c
			}
		}
		if found.Status != "True" {
			return fmt.Sprintf("%s is %s: %s %s", kind, found.Status, found.Reason, found.Message)
		}
	}
	return ""
}

func refused(o kube.Object, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", traffic.ErrRefused, o.Ref, fmt.Sprintf(format, args...))
}
