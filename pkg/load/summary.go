package load

import (
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Summarise describes a driven block. The reference to its raw table is left to whoever stores it.
func Summarise(b swap.BlockPlan, p Plan, r Result) swap.BlockResult {
	return swap.BlockResult{
		BlockPlan: b, Started: r.Started, MeasuredMS: r.Measured.Milliseconds(),
		Planned: len(r.Records), Outcomes: rawlog.Outcomes(r.Records), ScheduleSHA256: p.SHA256,
		TTFTP95ms:         rawlog.Quantile(r.Records, swap.MetricTTFT, 0.95),
		TPOTP50ms:         rawlog.Quantile(r.Records, swap.MetricTPOT, 0.5),
		SendLatenessP99ms: rawlog.LatenessP99(r.Records),
	}
}

// StepTally gathers the blocks of a step for its summary.
type StepTally struct {
	blocks int
	arms   swap.PerArm[armTally]
}

type armTally struct {
	planned  int
	outcomes swap.OutcomeCounts
	ttft     []float64
	tokens   swap.Value
	measured time.Duration
}

// Add takes one sealed block and its records.
func (t *StepTally) Add(b swap.BlockResult, records []rawlog.Record) {
	t.blocks++
	a := t.arms.Ptr(b.Arm)
	if a.outcomes == nil {
		a.outcomes = swap.OutcomeCounts{}
	}
	a.planned += b.Planned
	a.outcomes.Add(b.Outcomes)
	a.ttft = append(a.ttft, rawlog.Values(records, swap.MetricTTFT)...)
	a.measured += time.Duration(b.MeasuredMS) * time.Millisecond
	if n, ok := rawlog.MeasuredTokens(records).Get(); ok {
		a.tokens = swap.Of(a.tokens.Or(0) + n)
	}
}

// Result is the step so far; the discarded attempts and the manifest are left to whoever stores them.
func (t *StepTally) Result(step int, s swap.Step) swap.StepResult {
	r := swap.StepResult{Step: step, Label: s.Label(), Blocks: t.blocks}
	for _, arm := range swap.Arms {
		a := t.arms.Get(arm)
		*r.Planned.Ptr(arm) = a.planned
		*r.Outcomes.Ptr(arm) = a.outcomes
		*r.TTFTP95ms.Ptr(arm) = swap.Of(stats.Quantiles(a.ttft, 0.95)[0])
		if tokens, ok := a.tokens.Get(); ok {
			*r.Throughput.Ptr(arm) = swap.Of(tokens / a.measured.Seconds())
		}
	}
	return r
}
