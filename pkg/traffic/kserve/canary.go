package kserve

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
)

// canaryStatus is what KServe says of a canary in mode Standard. One that is not ready gets no traffic, whatever its share.
type canaryStatus struct {
	Name           string `json:"name"`
	Ready          bool   `json:"ready"`
	TrafficPercent int64  `json:"trafficPercent"`
}

// findCanary returns the position of the candidate among the canaries and the share of the others.
func (k inference) findCanary(o kube.Object, s service) (at int, others int64, err error) {
	at = -1
	for i, c := range s.Spec.Canary {
		if c.Predictor.Name == k.at.Candidate {
			at = i
		} else {
			others += c.TrafficPercent
		}
	}
	switch {
	case at < 0:
		return at, others, refused(o, "it has no canary %s", k.at.Candidate)
	case s.Spec.Predictor.Name != k.at.Baseline:
		return at, others, refused(o, "its predictor is %q, not the baseline %q", s.Spec.Predictor.Name, k.at.Baseline)
	}
	return at, others, nil
}

func (k inference) readCanary(o kube.Object, s service) (traffic.State, error) {
	at, others, err := k.findCanary(o, s)
	if err != nil {
		return traffic.State{}, err
	}
	share := s.Spec.Canary[at].TrafficPercent
	state := traffic.State{Weights: swap.Weights{Baseline: int(100 - share), Candidate: int(share)}}
	if others > 0 {
		state.Pending = fmt.Sprintf("%d %% of traffic goes to other canaries", others)
		return state, nil
	}
	if c := k.statusOf(s); c.TrafficPercent != share {
		state.Pending = fmt.Sprintf("canary %s has %d %% in the status and %d %% in the specification", c.Name, c.TrafficPercent, share)
	} else if share > 0 {
		state.Pending = k.unservable(s)
	}
	return state, nil
}

func (k inference) statusOf(s service) canaryStatus {
	for _, c := range s.Status.CanaryStatuses {
		if c.Name == k.at.Candidate {
			return c
		}
	}
	return canaryStatus{Name: k.at.Candidate}
}

// unservable says why the canary would not get its share; empty when it would.
func (k inference) unservable(s service) string {
	if !k.statusOf(s).Ready {
		return fmt.Sprintf("canary %s is not ready and gets no traffic", k.at.Candidate)
	}
	return unready(s.Status.Conditions, "PredictorReady", "IngressReady")
}

func (k inference) planCanary(o kube.Object, s service, want swap.Weights) ([]kube.Op, error) {
	at, others, err := k.findCanary(o, s)
	if err != nil || s.Spec.Canary[at].TrafficPercent == int64(want.Candidate) {
		return nil, err
	}
	if int64(want.Candidate) > s.Spec.Canary[at].TrafficPercent {
		if others > 0 {
			return nil, refused(o, "%d %% of traffic goes to other canaries; take it from them before a rollout", others)
		}
		if why := k.unservable(s); why != "" {
			return nil, fmt.Errorf("%w: %s: %s", traffic.ErrNotApplied, o.Ref, why)
		}
	}
	return []kube.Op{
		kube.Test(fmt.Sprintf("/spec/canary/%d/predictor/name", at), k.at.Candidate),
		kube.Set(fmt.Sprintf("/spec/canary/%d/trafficPercent", at), want.Candidate),
	}, nil
}
