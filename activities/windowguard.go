package activities

import (
	"context"
	"errors"
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/rollout"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

const (
	// guardEvery is how often the guard is asked while a window runs.
	guardEvery = 100 * time.Millisecond
	// failureEvery is how often it is asked where requests have failed since.
	failureEvery = 10 * time.Millisecond
)

// countEvery is how often the gateway's own counters are read for the guard.
const countEvery = time.Second

// errGuardFired ends a window's probes early.
var errGuardFired = errors.New("the guard fired")

// guard asks until ctx ends. When it fires, the weights go back first and the probes end second.
func (o *observer) guard(ctx context.Context, stop context.CancelCauseFunc) {
	t := time.NewTicker(failureEvery)
	defer t.Stop()
	gateway, asked, looked := o.before, o.now(), o.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if !o.hasUnasked() && o.now().Sub(looked) < guardEvery {
			continue
		}
		looked = o.now()
		if o.counts && o.now().Sub(asked) >= countEvery {
			asked = o.now()
			// A gateway that does not answer now is asked again; the probes tell whether it serves.
			if after, _, err := o.route.Counters(ctx); err == nil {
				gateway = after
			}
		}
		records, _, _ := o.seen()
		arms := statsOf(records)
		if o.counts {
			countGateway(&arms, o.before, gateway)
		}
		if reason := rollout.GuardFired(o.plan.Guard, o.state.BaselineFor(arms.Baseline), arms.Candidate); reason != nil {
			o.pull(ctx, reason)
			stop(errGuardFired)
			return
		}
	}
}

// pull is the brake: all traffic to the baseline. If the gateway refuses, the workflow's restore follows all the same.
func (o *observer) pull(ctx context.Context, reason *swap.Reason) {
	// The window may end while the brake is pulled.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), controlTimeout)
	defer done()
	o.mu.Lock()
	evidence := o.latest
	o.mu.Unlock()
	started := o.now()
	state, err := o.route.Apply(ctx, swap.AllBaseline)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fired = reason
	if err == nil {
		now := o.now()
		o.brake = &swap.Restored{
			Weights: &state.Weights, Changed: true, At: now, TookMS: ms(now.Sub(started)), SinceEvidenceMS: swap.Of(ms(now.Sub(evidence))),
		}
	}
}

func statsOf(records []rawlog.Record) (arms swap.PerArm[swap.WindowStats]) {
	for _, arm := range swap.Arms {
		*arms.Ptr(arm) = rawlog.WindowOf(records, arm)
	}
	return arms
}

// countGateway adds what the gateway itself counted during the window.
func countGateway(arms *swap.PerArm[swap.WindowStats], before, after swap.PerArm[traffic.Counters]) {
	for _, arm := range swap.Arms {
		b, a := before.Get(arm), after.Get(arm)
		if a.Requests < b.Requests {
			// The gateway restarted: its counters say nothing about the window.
			continue
		}
		arms.Ptr(arm).GatewayRequests = swap.Of(float64(a.Requests - b.Requests))
		arms.Ptr(arm).GatewayErrors = swap.Of(float64(a.Errors - b.Errors))
	}
}
