package activities

import (
	"context"
	"fmt"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
	"github.com/swapgate/swapgate/pkg/workload/trace"
)

func (a *Activities) openStep(ctx context.Context, in swap.LoadStepInput) (s *step, err error) {
	if in.Step < 1 || in.Step > len(in.Spec.Load.Steps) {
		return nil, invalidRequest("step %d: the request has steps 1 to %d", in.Step, len(in.Spec.Load.Steps))
	}
	spec := in.Spec.Load.Steps[in.Step-1]
	s = &step{in: in, spec: spec, attempt: attemptID(ctx), now: a.Now, instrument: stepInstrument{calibrate: a.Calibrate}}
	s.plan = hold.Plan{
		Step: spec, Blocks: in.Spec.Load.BlocksPerArm(spec), Block: in.Spec.Load.Block.Std(),
		Extend: in.Spec.Load.Extend, Limits: in.Spec.Load.Limits, Level: in.Spec.Judge.Level,
	}
	if s.prompts, err = stepPrompts(in.Spec.Workload, spec); err != nil {
		return nil, err
	}
	if s.replay, err = openReplay(in.Spec.Workload.Seed, spec.Arrival); err != nil {
		return nil, err
	}
	if s.clients, err = openClients(in.Spec, in.Facts); err != nil {
		return nil, err
	}
	if s.store, err = a.OpenStore(in.Spec.Store); err != nil {
		return nil, err
	}
	// Uploads outlast the activity's context: a cancelled step still stores what it sealed.
	uploads := context.WithoutCancel(ctx)
	s.log, err = runstore.OpenStepLog(uploads, s.store, runKey(ctx, in.Spec.Target), in.Step, spec, s.attempt)
	if err != nil {
		s.store.Close()
		return nil, err
	}
	return s, nil
}

// stepPrompts is what one step asks.
func stepPrompts(w swap.Workload, spec swap.Step) (*workload.Generator, error) {
	g, err := workload.New(w)
	if err == nil {
		g, err = g.ForStep(spec)
	}
	if err != nil {
		return nil, invalidRequest("%w", err)
	}
	return g, nil
}

// openReplay reads the recording that a step repeats; nil if it repeats none.
func openReplay(seed uint64, a *swap.Arrival) (*load.Replay, error) {
	if a == nil || a.Trace == nil {
		return nil, nil //nolint:nilnil // most steps repeat nothing
	}
	recording, err := trace.Read(a.Trace.File, a.Trace.Format)
	if err != nil {
		return nil, invalidRequest("%w", err)
	}
	var jitter *uint64
	if a.Trace.Jitter {
		jitter = &seed
	}
	r := &load.Replay{SHA256: recording.SHA256(), Gaps: recording.Gaps(jitter)}
	if a.Trace.Lengths {
		r.Lengths = func(i int) (input, output int) {
			q := recording.Requests[i]
			return max(1, q.Input), max(1, q.Output)
		}
	}
	return r, nil
}

// openClients makes one load client for each arm. Both are asked for token counts in the same way, so that neither does more
// work than the other.
func openClients(spec swap.Spec, facts swap.PerArm[swap.ArmFacts]) (swap.PerArm[*engine.Client], error) {
	var clients swap.PerArm[*engine.Client]
	running := facts.Baseline.RunningUsage && facts.Candidate.RunningUsage
	for _, arm := range swap.Arms {
		t, err := target(endpoint(spec, arm))
		if err != nil {
			return clients, fmt.Errorf("%s: %w", arm, err)
		}
		caps := protocol.CapabilitiesOf(facts.Get(arm))
		caps.RunningUsage = running
		*clients.Ptr(arm), err = engine.NewClient(t, engine.ClientOptions{Capabilities: caps})
		if err != nil {
			return clients, invalidRequest("%s: %w", arm, err)
		}
	}
	return clients, nil
}
