package kserve

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/kube"
)

// revisions is what Knative says of a component: its revisions and how traffic is split between them.
type revisions struct {
	LatestReadyRevision     string `json:"latestReadyRevision"`
	LatestCreatedRevision   string `json:"latestCreatedRevision"`
	LatestRolledoutRevision string `json:"latestRolledoutRevision"`
	Traffic                 []struct {
		RevisionName string `json:"revisionName"`
		Percent      *int64 `json:"percent"`
	} `json:"traffic"`
}

// shareOf is the percentage of traffic of a revision, which may be listed several times under different tags.
func (r revisions) shareOf(name string) (percent int) {
	for _, t := range r.Traffic {
		if t.RevisionName == name && t.Percent != nil {
			percent += int(min(max(*t.Percent, 0), 100))
		}
	}
	return min(percent, 100)
}

// readRevisions trusts the status alone, which is what Knative routes: canaryTrafficPercent says neither which revision it means
// nor whether that revision serves. Whatever is not the baseline's counts as the candidate's.
func (k inference) readRevisions(s service) traffic.State {
	r := s.Status.Components.Predictor
	baseline := r.shareOf(k.at.Baseline)
	state := traffic.State{Weights: swap.Weights{Baseline: baseline, Candidate: 100 - baseline}}
	percent := s.Spec.Predictor.CanaryTrafficPercent
	switch {
	case len(r.Traffic) == 0:
		state.Pending = "the status names no revision with traffic; is it deployed in mode Knative?"
	case baseline+r.shareOf(k.at.Candidate) != 100:
		state.Pending = fmt.Sprintf("%d %% of traffic goes to revisions that are neither %s nor %s",
			100-baseline-r.shareOf(k.at.Candidate), k.at.Baseline, k.at.Candidate)
	case percent != nil && int(*percent) != state.Candidate:
		state.Pending = fmt.Sprintf("canaryTrafficPercent is %d, and KServe gives revision %s %d %% (last rolled out: %s)",
			*percent, k.at.Candidate, state.Candidate, r.LatestRolledoutRevision)
	case state.Candidate > 0:
		state.Pending = unready(s.Status.Conditions, "PredictorReady")
	}
	return state
}

// planRevisions sets the share of the latest revision. More than it has it gets only while it is the candidate: a revision that
// somebody deploys during a rollout would otherwise take over its share unseen.
func (k inference) planRevisions(o kube.Object, s service, want swap.Weights) ([]kube.Op, error) {
	r, percent := s.Status.Components.Predictor, s.Spec.Predictor.CanaryTrafficPercent
	if percent != nil && int(*percent) == want.Candidate {
		return nil, nil
	}
	if raised := want.Candidate > k.readRevisions(s).Candidate; raised {
		switch {
		case r.LatestCreatedRevision != k.at.Candidate:
			return nil, refused(o, "canaryTrafficPercent is the share of the latest revision, and that is %s, not %s",
				r.LatestCreatedRevision, k.at.Candidate)
		case r.LatestReadyRevision != k.at.Candidate:
			return nil, refused(o, "revision %s is not ready; %s is", k.at.Candidate, r.LatestReadyRevision)
		case r.LatestRolledoutRevision != k.at.Baseline:
			return nil, refused(o, "traffic that the candidate does not get goes to the revision last rolled out, and that is %s, not %s",
				r.LatestRolledoutRevision, k.at.Baseline)
		}
	}
	return []kube.Op{kube.Set("/spec/predictor/canaryTrafficPercent", want.Candidate)}, nil
}
