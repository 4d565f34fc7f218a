package activities

import (
	"context"
	"slices"
	"sync"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// WarmUp brings one arm to steady state and measures its first request apart.
func (a *Activities) WarmUp(ctx context.Context, in swap.WarmUpInput) (swap.WarmUpResult, error) {
	prompts, err := allPrompts(in.Spec)
	if err != nil {
		return swap.WarmUpResult{}, err
	}
	var facts swap.PerArm[swap.ArmFacts]
	*facts.Ptr(in.Arm) = in.Facts
	clients, err := openClients(in.Spec, facts)
	if err != nil {
		return swap.WarmUpResult{}, err
	}
	defer clients.Baseline.Close()
	defer clients.Candidate.Close()
	meter := &load.Meter{}
	stop := startProgress(ctx, func() swap.Progress {
		p := meter.Snapshot(a.Now())
		p.What, p.Done, p.Total = "requests", p.Requests, in.Spec.WarmUp.MaxRequests
		return p
	})
	defer stop()
	var tpot tpotSample
	result, err := load.WarmUp(ctx, clients.Get(in.Arm), prompts, in.Spec.WarmUp, load.Options{
		Block: swap.BlockPlan{Arm: in.Arm}, Model: endpoint(in.Spec, in.Arm).Model, RunSalt: attemptID(ctx),
		Timeout: in.Spec.Workload.RequestTimeout.Std(), Meter: meter, OnRecord: tpot.add,
	})
	result.HotTPOTms = tpot.median()
	return result, err
}

// tpotSample gathers the time per token of good requests, the first aside.
type tpotSample struct {
	mu  sync.Mutex
	all []float64
}

func (s *tpotSample) add(r *rawlog.Record) {
	v, ok := r.TPOT().Get()
	if !ok || !r.Good() || r.Seq == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, v)
}

func (s *tpotSample) median() swap.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.all)
	return swap.Of(stats.Quantile(s.all, 0.5))
}

// allPrompts are the kinds of prompt that the load will send: one for each length that steps set, or the workload's own.
func allPrompts(spec swap.Spec) ([]*workload.Generator, error) {
	var kinds []*workload.Generator
	seen := map[[32]byte]bool{}
	for _, step := range spec.Load.Steps {
		g, err := stepPrompts(spec.Workload, step)
		if err != nil {
			return nil, err
		}
		if digest := g.Digest(); !seen[digest] {
			seen[digest] = true
			kinds = append(kinds, g)
		}
	}
	return kinds, nil
}
