package activities

import (
	"context"
	"fmt"
	"net/http"

	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/load/pace"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry/pressure"
)

// stepPressure is how full the engines of both arms get during one step. Of a step that needs to know nothing of it, it reads
// nothing.
type stepPressure struct {
	in swap.LoadStepInput
	// asked is the workload with the step's own lengths.
	asked    swap.Workload
	http     *http.Client
	watchers swap.PerArm[*pressure.Watcher]
	engines  swap.PerArm[*pressure.Source]
	before   swap.PerArm[pressure.CacheState]
	// peak is the largest use of the KV cache in any block.
	peak swap.PerArm[swap.Value]
}

// watchPressure begins to watch the pages of both arms, if a limit or the length of the requests asks for it.
func watchPressure(ctx context.Context, hc *http.Client, in swap.LoadStepInput, asked swap.Workload) (*stepPressure, error) {
	p := &stepPressure{in: in, asked: asked, http: hc}
	for _, arm := range swap.Arms {
		if !p.limited() && !p.saturates(arm) {
			continue
		}
		src, ok, err := enginePage(in.Spec, arm, in.Facts.Get(arm))
		if err != nil {
			p.close()
			return nil, err
		}
		if ok {
			*p.engines.Ptr(arm) = &src
			*p.before.Ptr(arm) = p.cache(ctx, arm)
		}
		sources := pressure.Sources(in.Spec.Telemetry, arm, in.Facts.Get(arm), src.Key)
		*p.watchers.Ptr(arm) = pressure.Start(ctx, hc, sources, in.Spec.Telemetry.Interval.Std())
	}
	return p, nil
}

// limited says whether a limit depends on the pages.
func (p *stepPressure) limited() bool {
	l := p.in.Spec.Load.Limits
	return l.KVUsage > 0 || l.GPUUtilization > 0
}

// saturates says whether the step's requests fill an arm's context so far that its KV cache is to be looked at.
func (p *stepPressure) saturates(arm swap.Arm) bool {
	length, known := p.in.Facts.Get(arm).MaxModelLen.Get()
	w := p.asked
	longest := pressure.LongestContext(w.InputTokens, w.OutputTokens, w.Topology)
	return known && w.API.Unit() == swap.UnitTokens && longest >= pressure.Saturation*length
}

func (p *stepPressure) close() {
	for _, arm := range swap.Arms {
		if w := p.watchers.Get(arm); w != nil {
			w.Close()
		}
	}
}

// cache reads the state of an engine's KV cache; what cannot be read is absent.
func (p *stepPressure) cache(ctx context.Context, arm swap.Arm) pressure.CacheState {
	src := p.engines.Get(arm)
	if src == nil {
		return pressure.CacheState{}
	}
	state, _ := pressure.FetchCache(ctx, p.http, *src)
	return state
}

// watching begins anew with every round of a block: what was read before it, or in a round that was void, is not the block's.
func (p *stepPressure) watching(part ensemble.Part) ensemble.Part {
	drive := part.Drive
	part.Drive = func(ctx context.Context, turn ensemble.Turn) (ensemble.SliceResult, error) {
		if w := p.watchers.Get(turn.Block.Arm); w != nil {
			w.Take()
		}
		return drive(ctx, turn)
	}
	return part
}

// taken returns the largest readings of an arm in the block that was just driven.
func (p *stepPressure) taken(arm swap.Arm) (kv, gpu swap.Value) {
	w := p.watchers.Get(arm)
	if w == nil {
		return swap.Absent(), swap.Absent()
	}
	kv, gpu = w.Take()
	peak := p.peak.Ptr(arm)
	if v, ok := kv.Get(); ok && v > peak.Or(-1) {
		*peak = kv
	}
	return kv, gpu
}

// findings say how the KV caches took requests that fill the context, and why a limit could not be watched.
func (p *stepPressure) findings(ctx context.Context) []swap.Finding {
	var out []swap.Finding
	for _, arm := range swap.Arms {
		w := p.watchers.Get(arm)
		if w == nil {
			continue
		}
		if p.saturates(arm) {
			out = append(out, pressure.CheckContext(pressure.StepCache{
				Arm: arm, Step: p.in.Step,
				Input: p.asked.InputTokens, Output: p.asked.OutputTokens, Topology: p.asked.Topology,
				MaxModelLen: p.in.Facts.Get(arm).MaxModelLen, Before: p.before.Get(arm), After: p.cache(ctx, arm), PeakUsage: p.peak.Get(arm),
			})...)
		}
		if problem := w.Problem(); problem != "" && p.limited() {
			out = append(out, swap.Finding{
				Severity: swap.Notable, Subject: fmt.Sprintf("%s, step %d", arm, p.in.Step),
				Message: "load.limits.kv_usage and gpu_utilization could not be watched throughout: " + problem,
				Next:    "make the page readable from the load worker",
			})
		}
	}
	return out
}

// enginePage is the metrics page of an arm with the arm's key; false where it has none or it is not to be read.
func enginePage(spec swap.Spec, arm swap.Arm, facts swap.ArmFacts) (src pressure.Source, ok bool, err error) {
	if src, ok = pressure.EngineSource(spec.Telemetry, facts, secret.Value{}); !ok {
		return src, false, nil
	}
	if src.Key, err = secret.Resolve(endpoint(spec, arm).APIKey); err != nil {
		return src, false, fmt.Errorf("%s: %w", arm, err)
	}
	return src, true, nil
}

// settleConcurrency turns a share of the KV cache into requests in flight: as many as fit the smaller cache, so that both arms
// get the same load. It rests on the whole capacity, which does not change, so that every attempt and every load worker finds
// the same number.
func (a *Activities) settleConcurrency(
	ctx context.Context, in swap.LoadStepInput, spec swap.Step, asked swap.Workload,
) (swap.Step, error) {
	if spec.KVShare == 0 {
		return spec, nil
	}
	var capacity swap.Value
	for _, arm := range swap.Arms {
		src, ok, err := enginePage(in.Spec, arm, in.Facts.Get(arm))
		if err != nil {
			return spec, err
		}
		if !ok {
			return spec, invalidRequest("step %d: kv_share needs the metrics page of the %s, and it has none", in.Step, arm)
		}
		state, err := pressure.FetchCache(ctx, a.HTTP, src)
		if err != nil && !state.CapacityTokens.Valid() {
			return spec, fmt.Errorf("step %d: the KV cache of the %s: %w", in.Step, arm, err)
		}
		if tokens, known := state.CapacityTokens.Get(); arm == swap.Baseline || !known || tokens < capacity.Or(0) {
			capacity = state.CapacityTokens
		}
	}
	n, err := pace.ConcurrencyFromKV(capacity, spec.KVShare, asked.InputTokens, asked.OutputTokens, asked.Topology)
	if err != nil {
		return spec, invalidRequest("step %d: kv_share: %w", in.Step, err)
	}
	spec.Concurrency = n
	return spec, nil
}
