package activities

import (
	"context"
	"net/http"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/admin"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

// inPlaceServer is the one server of a swap in place: its admin side, and a client that asks it.
type inPlaceServer struct {
	*admin.Engine
	client *engine.Client
}

// close is for a server that may not be there too.
func (s *inPlaceServer) close() {
	if s != nil {
		s.client.Close()
	}
}

// openInPlace connects to the server of a swap in place. served is called when a new model is proven; nil calls nobody.
func (a *Activities) openInPlace(
	spec swap.Spec, facts swap.ArmFacts, served func(context.Context, swap.InPlaceModel),
) (*inPlaceServer, error) {
	if spec.InPlace == nil {
		return nil, invalidRequest("the request has no in_place section: there is nothing to swap in place")
	}
	t, err := target(spec.Baseline)
	if err != nil {
		return nil, err
	}
	url, token := spec.InPlace.AdminURL, t.Key
	if url == "" {
		url = t.URL
	}
	if spec.InPlace.AdminURL != "" || spec.InPlace.AdminToken != nil {
		own, err := secret.Resolve(spec.InPlace.AdminToken)
		if err != nil {
			return nil, err
		}
		token = own.Reveal()
	}
	client, err := engine.NewClient(t, engine.ClientOptions{Capabilities: protocol.CapabilitiesOf(facts)})
	if err != nil {
		return nil, invalidRequest("%w", err)
	}
	e, err := admin.Open(admin.Options{
		Method: spec.InPlace.Method, URL: url, Token: token, AllowUnsafe: spec.InPlace.AllowUnsafe,
		Timeout: spec.InPlace.Timeout.Std(), MayBeEqual: spec.InPlace.Golden.MayBeEqual,
		Ask: admin.Golden(client, spec.Workload.API, spec.InPlace.Golden), Served: served,
		HTTP: &http.Client{Transport: a.HTTP.Transport},
	})
	if err != nil {
		client.Close()
		return nil, err
	}
	return &inPlaceServer{Engine: e, client: client}, nil
}

// InspectModel returns what identifies the baseline. It changes nothing.
func (a *Activities) InspectModel(ctx context.Context, in swap.InspectModelInput) (swap.EngineState, error) {
	server, err := a.openInPlace(in.Spec, in.Facts, nil)
	if err != nil {
		return swap.EngineState{}, err
	}
	defer server.close()
	return server.State(ctx, in.Spec.InPlaceModelOf(swap.Baseline))
}

// RestoreModel makes the server serve the baseline as it was, and proves it. It does nothing where that is proven already, and it
// fails only with errors that are retried: going back has no other way.
func (a *Activities) RestoreModel(ctx context.Context, in swap.RestoreModelInput) (swap.ModelSwap, error) {
	stop := startProgress(ctx, func() swap.Progress { return swap.Progress{What: "restoring " + in.Snapshot.Model.Name} })
	defer stop()
	server, err := a.openInPlace(in.Spec, in.Facts, nil)
	if err != nil {
		return swap.ModelSwap{}, insist(err)
	}
	defer server.close()
	done, err := server.Back(ctx, in.Snapshot, in.Spec.InPlaceModelOf(swap.Candidate))
	if err != nil {
		return done, insist(err)
	}
	return done, nil
}

// restoreInput is what it takes to go back, without the rest of the specification.
func restoreInput(spec swap.Spec, facts swap.ArmFacts, state swap.EngineState) *swap.RestoreModelInput {
	needed := swap.Spec{
		Target: spec.Target, Baseline: spec.Baseline, Candidate: spec.Candidate,
		Workload: swap.Workload{API: spec.Workload.API}, InPlace: spec.InPlace,
	}
	return &swap.RestoreModelInput{Spec: needed, Facts: facts, Snapshot: state}
}

// stepServer is the server of a load step in place; nil where both arms are up.
func (a *Activities) stepServer(in swap.LoadStepInput) (*inPlaceServer, error) {
	if in.Spec.InPlace == nil {
		return nil, nil //nolint:nilnil // most steps swap nothing
	}
	if in.Known.Baseline == nil || in.Known.Candidate == nil {
		return nil, invalidRequest("step %d: what identifies both arms is not known, and no block can be told to be on the right one", in.Step)
	}
	return a.openInPlace(in.Spec, in.Facts.Baseline, nil)
}

// serve makes an arm served before its block is driven, and proves it also where nothing had to be changed.
func (s *step) serve(ctx context.Context, arm swap.Arm) error {
	if s.server == nil {
		return nil
	}
	_, err := s.server.Swap(ctx, admin.Goal{
		Model: s.in.Spec.InPlaceModelOf(arm), Before: *s.in.Known.Get(arm.Other()), Known: s.in.Known.Get(arm),
	})
	return err
}
