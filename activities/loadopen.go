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

// openStep opens a step for its conductor.
func (a *Activities) openStep(ctx context.Context, in swap.LoadStepInput) (*step, error) {
	w, err := a.openShard(ctx, in)
	if err != nil {
		return nil, err
	}
	s := &step{shardWork: w, course: hold.Begin(hold.Plan{
		Step: w.spec, Blocks: in.Spec.Load.BlocksPerArm(w.spec), Block: in.Spec.Load.Block.Std(),
		Extend: in.Spec.Load.Extend, Limits: in.Spec.Load.Limits, Level: in.Spec.Judge.Level,
	})}
	// Uploads outlast the activity's context: a cancelled step still stores what it sealed.
	s.steps, err = runstore.OpenStepLog(context.WithoutCancel(ctx), w.store, w.run, in.Step, w.spec, w.attempt)
	if err != nil {
		w.close(ctx)
		return nil, err
	}
	w.log = s.steps
	if s.server, err = a.stepServer(in); err != nil {
		w.close(ctx)
		return nil, err
	}
	if s.pressure, err = watchPressure(ctx, a.HTTP, in, w.prompts.Spec()); err != nil {
		s.server.close()
		w.close(ctx)
		return nil, err
	}
	return s, nil
}

// openShard opens what every load worker of a step needs, but for its log.
func (a *Activities) openShard(ctx context.Context, in swap.LoadStepInput) (w *shardWork, err error) {
	shard := load.Shard{Index: in.Shard, Of: max(1, in.Spec.Load.Shards)}
	switch {
	case in.Step < 1 || in.Step > len(in.Spec.Load.Steps):
		return nil, invalidRequest("step %d: the request has steps 1 to %d", in.Step, len(in.Spec.Load.Steps))
	case shard.Index < 0 || shard.Index >= shard.Of:
		return nil, invalidRequest("shard %d: the request has shards 0 to %d", shard.Index, shard.Of-1)
	}
	w = &shardWork{
		in: in, spec: in.Spec.Load.Steps[in.Step-1], shard: shard, run: runKey(ctx, in.Spec.Target), attempt: shardAttemptID(ctx, shard),
		now: a.Now, shift: newShift(ctx), calibrate: a.Calibrate,
	}
	if w.prompts, err = stepPrompts(in.Spec.Workload, w.spec); err != nil {
		return nil, err
	}
	if w.spec, err = a.settleConcurrency(ctx, in, w.spec, w.prompts.Spec()); err != nil {
		return nil, err
	}
	if w.replay, err = openReplay(in.Spec.Workload.Seed, w.spec.Arrival); err != nil {
		return nil, err
	}
	if w.clients, err = openClients(in.Spec, in.Facts); err != nil {
		return nil, err
	}
	w.store, err = a.OpenStore(in.Spec.Store)
	return w, err
}

// shardAttemptID names this execution among all at the step, of all its load workers.
func shardAttemptID(ctx context.Context, shard load.Shard) string {
	if shard.Whole() {
		return attemptID(ctx)
	}
	return fmt.Sprintf("%s-s%d", attemptID(ctx), shard.Index)
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
	r := &load.Replay{SHA256: recording.SHA256(), Gaps: recording.Circle(jitter)}
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
