package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/rollout/readout"
	"github.com/swapgate/swapgate/pkg/swap"
)

// States of a stage.
const (
	statePending = "pending"
	stateRunning = "running"
	stateDone    = "done"
	stateFailed  = "failed"
	stateSkipped = "skipped"
)

// stageStuck is the value of the stage's search attribute while a rollback does not get through.
const stageStuck = "rollback-stuck"

// board is what people see of a run: the status query, the current details in the Temporal UI, and the search
// attributes. It changes at stage boundaries, and with what load workers tell.
type board struct {
	status swap.Status
	in     swap.Request
	// work is what load workers do now, or are wanted for; prolonged says that it takes longer than planned.
	work      []loadWork
	prolonged bool
	// rollbackStuck says that a rollback does not get through.
	rollbackStuck bool
}

func newBoard(ctx workflow.Context, in swap.Request) *board {
	now := workflow.Now(ctx)
	b := &board{in: in, status: swap.Status{
		Target: in.Spec.Target, Stage: swap.StagePreflight, Started: now,
		PlannedEnd: now.Add(in.Spec.Duration()), Steps: len(in.Spec.Load.Steps),
	}}
	for _, s := range swap.Stages {
		b.status.Stages = append(b.status.Stages, swap.StageState{Stage: s, State: statePending})
	}
	b.upsert(ctx,
		keyword(swap.AttrTarget).ValueSet(in.Spec.Target),
		keyword(swap.AttrBaseline).ValueSet(in.Spec.Baseline.Model),
		keyword(swap.AttrCandidate).ValueSet(in.Spec.Candidate.Model),
		keyword(swap.AttrRequestedBy).ValueSet(in.RequestedBy),
	)
	return b
}

// only shows the stages that the run has, where those are not all.
func (b *board) only(ctx workflow.Context, stages []swap.Stage) {
	b.status.Stages = nil
	for _, s := range stages {
		b.state(s).State = statePending
	}
	b.show(ctx)
}

func (b *board) begin(ctx workflow.Context, s swap.Stage) {
	now := workflow.Now(ctx)
	b.status.Stage = s
	st := b.state(s)
	st.State, st.Started = stateRunning, &now
	b.upsert(ctx, keyword(swap.AttrStage).ValueSet(string(s)))
	b.show(ctx)
}

func (b *board) end(ctx workflow.Context, s swap.Stage, state, note string) {
	now := workflow.Now(ctx)
	st := b.state(s)
	st.State, st.Ended, st.Note = state, &now, note
	b.rollbackStuck = false
	b.show(ctx)
}

func (b *board) skip(ctx workflow.Context, s swap.Stage, why string) {
	st := b.state(s)
	st.State, st.Note = stateSkipped, why
	b.show(ctx)
}

// state finds the stage's line; rollback has one only when it happens.
func (b *board) state(s swap.Stage) *swap.StageState {
	for i := range b.status.Stages {
		if b.status.Stages[i].Stage == s {
			return &b.status.Stages[i]
		}
	}
	b.status.Stages = append(b.status.Stages, swap.StageState{Stage: s})
	return &b.status.Stages[len(b.status.Stages)-1]
}

func (b *board) stepDone(ctx workflow.Context, n int) {
	b.status.StepsDone = n
	b.show(ctx)
}

// window shows what the last window of the rollout said.
func (b *board) window(ctx workflow.Context, w swap.Window) {
	if !w.Waiting {
		b.status.Windows++
	}
	b.status.LastWindow = readout.Line(w)
	b.show(ctx)
}

// wait shows what a person is asked to do; empty ends it.
func (b *board) wait(ctx workflow.Context, what string) {
	b.status.Waiting = what
	b.show(ctx)
}

func (b *board) stuck(ctx workflow.Context) {
	b.rollbackStuck = true
	b.status.Waiting = "The rollback does not get through. It is being retried; look at the gateway."
	b.upsert(ctx, keyword(swap.AttrStage).ValueSet(stageStuck))
	b.show(ctx)
}

// finish is the last state of the board.
func (b *board) finish(ctx workflow.Context, v swap.Verdict) {
	b.status.Stage = swap.StageDone
	b.status.Waiting = ""
	b.upsert(ctx,
		keyword(swap.AttrStage).ValueSet(string(swap.StageDone)),
		keyword(swap.AttrVerdict).ValueSet(string(v.Verdict)),
	)
	b.show(ctx)
}

func (b *board) upsert(ctx workflow.Context, updates ...temporal.SearchAttributeUpdate) {
	if !b.in.SearchAttributes {
		return
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, updates...); err != nil {
		workflow.GetLogger(ctx).Warn("search attributes not updated", "error", err)
	}
}

func keyword(name string) temporal.SearchAttributeKeyKeyword {
	return temporal.NewSearchAttributeKeyKeyword(name)
}

// show rewrites the run's current details in the Temporal UI.
func (b *board) show(ctx workflow.Context) { workflow.SetCurrentDetails(ctx, b.markdown()) }

func (b *board) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "**%s**", b.status.Target)
	if b.status.Verdict != "" {
		fmt.Fprintf(&s, " · verdict **%s**", b.status.Verdict)
	}
	if w := b.status.Weights; w != nil {
		fmt.Fprintf(&s, " · traffic %d %% baseline, %d %% candidate", w.Baseline, w.Candidate)
	}
	s.WriteString("\n\n| stage | state | took | note |\n|---|---|---|---|\n")
	for _, st := range b.status.Stages {
		fmt.Fprintf(&s, "| %s | %s | %s | %s |\n", st.Stage, st.State, took(st), cell(st.Note))
	}
	fmt.Fprintf(&s, "\nload steps %d/%d, rollout windows %d, planned end %s\n",
		b.status.StepsDone, b.status.Steps, b.status.Windows, b.status.PlannedEnd.UTC().Format(time.RFC3339))
	if b.status.LastWindow != "" {
		fmt.Fprintf(&s, "\n**Last window:** %s\n", cell(b.status.LastWindow))
	}
	if b.status.Now != "" {
		fmt.Fprintf(&s, "\n**Now:** %s\n", cell(b.status.Now))
	}
	for _, r := range b.status.Reasons {
		fmt.Fprintf(&s, "\n- %s: %s", r.Code, cell(r.Message))
	}
	switch {
	case b.status.Waiting != "":
		fmt.Fprintf(&s, "\n**Next:** %s\n", b.status.Waiting)
	case b.status.Stage != swap.StageDone:
		s.WriteString("\n**Next:** nothing is awaited. `abort` under Updates stops the run and puts traffic back.\n")
	}
	return s.String()
}

func took(st swap.StageState) string {
	if st.Started == nil || st.Ended == nil {
		return ""
	}
	return st.Ended.Sub(*st.Started).Round(100 * time.Millisecond).String()
}

// cell makes text from outside safe inside a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "`", "'").Replace(s)
}
