package load

import (
	"fmt"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// BlockTally summarises a block while its records come by: some 20 bytes a request, so that nobody needs to keep or read back the
// records. It is not safe for concurrent use; Options.OnRecord is one call at a time.
type BlockTally struct {
	plan     swap.BlockPlan
	planned  int
	outcomes swap.OutcomeCounts
	// ttft and tpot are of the good measured requests that have one, tokens is what these gave.
	ttft, tpot series
	tokens     swap.Value
	e2e        series
	// failed counts measured requests that failed.
	failed int
	// flow is of all requests, since start.
	flow  hold.Flow
	start time.Time
	// late is of all requests that were sent, lateKept of those on a kept connection.
	late, lateKept series
	// unread is the first answer that could not be read; nil if all could.
	unread *rawlog.Unread
}

// NewBlockTally begins the tally of a block, or of a slice of it, that starts at a time on the clock of its records.
func NewBlockTally(b swap.BlockPlan, start time.Time) *BlockTally {
	return &BlockTally{plan: b, outcomes: swap.OutcomeCounts{}, start: start}
}

// Add counts a record; it keeps nothing that r points to.
func (t *BlockTally) Add(r *rawlog.Record) {
	t.planned++
	t.outcomes[swap.Outcome(r.Outcome)]++
	t.example(r.Unread)
	if late := r.ClientLate(); r.ConnReused {
		t.lateKept.add(late)
	} else {
		t.late.add(late)
	}
	at := time.Unix(0, r.PlannedUnixNS).Sub(t.start).Seconds()
	t.flow.Plan(at)
	if r.Good() && r.EndUS != nil {
		t.flow.Answer(at, time.Duration(r.SentUnixNS+*r.EndUS*1000-r.PlannedUnixNS).Seconds())
	}
	switch {
	case !r.Measured:
		return
	case !r.Good():
		if swap.Outcome(r.Outcome) != swap.Abandoned {
			t.failed++
		}
		return
	}
	t.ttft.add(r.TTFT())
	t.e2e.add(r.E2E())
	t.tpot.add(r.TPOT())
	if n, ok := r.Tokens().Get(); ok {
		t.tokens = swap.Of(t.tokens.Or(0) + n)
	}
}

// Result describes the driven block whose records were added; scheduleSHA256 is its plan's. The reference to its raw table is
// left to whoever stores it. The tally may go on and be asked again.
func (t *BlockTally) Result(scheduleSHA256 string, started time.Time, measured time.Duration) swap.BlockResult {
	late := t.lateKept
	if len(late) == 0 {
		// Requests that opened a connection waited for the network, not for the client; they count if there are no others.
		late = t.late
	}
	outcomes := swap.OutcomeCounts{}
	outcomes.Add(t.outcomes)
	return swap.BlockResult{
		BlockPlan: t.plan, Started: started, MeasuredMS: measured.Milliseconds(),
		Planned: t.planned, Outcomes: outcomes, ScheduleSHA256: scheduleSHA256,
		TTFTP95ms: t.ttft.quantile(0.95), TPOTP50ms: t.tpot.quantile(0.5), SendLatenessP99ms: late.quantile(0.99),
	}
}

// Hold is what decides whether the step goes on after this block.
func (t *BlockTally) Hold() hold.Block {
	return hold.Block{
		BlockPlan: t.plan, Planned: t.planned, Outcomes: t.outcomes, Flow: t.flow, Failed: t.failed,
		TTFT: t.ttft.ascending(), E2E: t.e2e.ascending(),
	}
}

// series are values in ms. Seven digits suffice for what is only watched; verdicts use the raw records.
type series []float32

func (s *series) add(v swap.Value) {
	if x, ok := v.Get(); ok {
		*s = append(*s, float32(x))
	}
}

func (s series) ascending() []float64 {
	values := make([]float64, len(s))
	for i, x := range s {
		values[i] = float64(x)
	}
	slices.Sort(values)
	return values
}

func (s series) quantile(p float64) swap.Value { return swap.Of(stats.Quantile(s.ascending(), p)) }

// StepTally gathers the blocks of a step for its summary.
type StepTally struct {
	blocks int
	arms   swap.PerArm[armTally]
}

type armTally struct {
	planned  int
	outcomes swap.OutcomeCounts
	// ttft and tpot are of good measured requests.
	ttft, tpot series
	tokens     swap.Value
	measured   time.Duration
	unread     *rawlog.Unread
}

// Add takes one sealed block and the tally of its records.
func (t *StepTally) Add(b swap.BlockResult, block *BlockTally) {
	t.blocks++
	a := t.arms.Ptr(b.Arm)
	if a.outcomes == nil {
		a.outcomes = swap.OutcomeCounts{}
	}
	a.planned += b.Planned
	a.outcomes.Add(b.Outcomes)
	if a.unread == nil {
		a.unread = block.unread
	}
	a.ttft = append(a.ttft, block.ttft...)
	a.tpot = append(a.tpot, block.tpot...)
	a.measured += time.Duration(b.MeasuredMS) * time.Millisecond
	if n, ok := block.tokens.Get(); ok {
		a.tokens = swap.Of(a.tokens.Or(0) + n)
	}
}

// Medians are those of an arm so far, in ms: time to first token, and time per output token after it.
func (t *StepTally) Medians(arm swap.Arm) (ttft, tpot swap.Value) {
	a := t.arms.Get(arm)
	return a.ttft.quantile(0.5), a.tpot.quantile(0.5)
}

// Result is the step so far, with a finding for each arm on which the planned load was not held, or whose answers could not all
// be read; the discarded attempts and the manifest are left to whoever stores them.
func (t *StepTally) Result(step int, s swap.Step) swap.StepResult {
	r := swap.StepResult{Step: step, Label: s.Label(), Blocks: t.blocks}
	for _, arm := range swap.Arms {
		a := t.arms.Get(arm)
		*r.Planned.Ptr(arm) = a.planned
		*r.Outcomes.Ptr(arm) = a.outcomes
		*r.TTFTP50ms.Ptr(arm) = a.ttft.quantile(0.5)
		*r.TTFTP95ms.Ptr(arm) = a.ttft.quantile(0.95)
		if tokens, ok := a.tokens.Get(); ok {
			*r.Throughput.Ptr(arm) = swap.Of(tokens / a.measured.Seconds())
		}
		if n := a.outcomes[swap.Abandoned]; n > 0 {
			r.Findings = append(r.Findings, notSentFinding(arm, r, n))
		}
		if n := a.outcomes[swap.ParseError]; n > 0 {
			r.Findings = append(r.Findings, unreadFinding(arm, r, n, a.unread))
		}
	}
	return r
}

// notSentFinding says that the load was not held. Of a block that counts, only the step's own limits abandon requests.
func notSentFinding(arm swap.Arm, r swap.StepResult, n int) swap.Finding {
	return swap.Finding{
		Severity: swap.Notable, Subject: fmt.Sprintf("%s, step %d", arm, r.Step),
		Message: fmt.Sprintf("the planned load of %s was not held: %d of %d requests were not sent, because max_in_flight or token_rate "+
			"held them back beyond the end of their block", r.Label, n, r.Planned.Get(arm)),
		Next: "lower the rate of the step, or raise its max_in_flight or token_rate",
	}
}
