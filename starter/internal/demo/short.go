package demo

import (
	"time"

	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Short is a specification of the demo, cut to a few seconds of load and a rollout in two steps. It is for what happens to a run,
// not for statistics: margins are wide, and a poor load client is tolerated, because several sites may share this machine.
func Short(spec swap.Spec) swap.Spec {
	seconds := func(s float64) swap.Duration { return swap.Duration(s * float64(time.Second)) }
	spec.Load = swap.Load{
		Block: seconds(0.25), Settle: seconds(0.05),
		Steps:       []swap.Step{{Rate: 80, Hold: seconds(1.25)}, {Rate: 80, Hold: seconds(1.25)}},
		Calibration: swap.Calibration{Duration: seconds(1), TokenError: seconds(0.25), SendLateness: seconds(0.5)},
	}
	spec.Gates = []swap.Gate{
		{Metric: swap.MetricTTFT, Stat: swap.StatP50, Margin: 0.5, Unit: swap.Relative, Better: swap.LowerIsBetter},
		{Metric: swap.MetricTPOT, Stat: swap.StatP50, Margin: 0.25, Unit: swap.Relative, Better: swap.LowerIsBetter},
		{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: 0.05, Unit: swap.Absolute, Better: swap.LowerIsBetter},
	}
	rollout := *spec.Rollout
	rollout.Weights, rollout.Window, rollout.MinRequests = []int{20, 100}, seconds(1), 10
	spec.Rollout = &rollout
	spec.WarmUp.Concurrency = 16
	spec.Notify = swap.Notify{}
	return spec
}

// Slower makes a first token and the tokens after it take a tenth of a second and more, so that a busy machine's delays stay
// small beside them: an answer whose tokens are all read at once has no time per token.
func Slower(c *engine.Config) {
	c.Prefill.Base = swap.Duration(150 * time.Millisecond)
	c.Decode.Base = swap.Duration(12 * time.Millisecond)
}
