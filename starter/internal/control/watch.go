package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/swap"
)

// catchUp bounds how late a watch is still worth its load: one that Temporal missed for longer waits for its next turn.
const catchUp = time.Hour

// Cadence is when a target is watched: every so often, or by a cron expression in UTC. One of them is set.
type Cadence struct {
	Every time.Duration
	Cron  string
}

func (t Cadence) spec() client.ScheduleSpec {
	if t.Cron != "" {
		// The server keeps calendar fields and the comment, not the expression.
		return client.ScheduleSpec{CronExpressions: []string{t.Cron + " # " + t.Cron}}
	}
	return client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: t.Every}}}
}

// StartWatch starts one watch now. While one that was started by hand runs, it is returned instead with joined set; while one runs
// that the schedule started, the error is a *RefusedError, because the two would measure each other.
func (c *Client) StartWatch(ctx context.Context, req swap.Request) (run *Run, joined bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	id := swap.WatchWorkflowID(req.Spec.Target)
	d, err := c.sdk.ScheduleClient().GetHandle(ctx, id).Describe(ctx)
	if err == nil && len(d.Info.RunningWorkflows) > 0 {
		return nil, false, &RefusedError{
			Message: fmt.Sprintf("the schedule has started %s, which runs", d.Info.RunningWorkflows[0].WorkflowID),
			Next:    "wait for its end: swapgate watch status " + req.Spec.Target,
		}
	}
	a := watchAction(req)
	o := lockedOptions(id)
	o.StaticSummary, o.StaticDetails, o.Memo, o.TypedSearchAttributes = a.StaticSummary, a.StaticDetails, a.Memo, a.TypedSearchAttributes
	started, err := c.sdk.ExecuteWorkflow(ctx, o, swap.WorkflowWatchBaseline, req)
	var running *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &running) {
		return c.run(id, running.RunId, true), true, nil
	}
	if err != nil {
		return nil, false, c.refused(err)
	}
	return c.run(started.GetID(), started.GetRunID(), true), false, nil
}

// watchAction starts a watch; its options are those of a start by hand.
func watchAction(req swap.Request) *client.ScheduleWorkflowAction {
	spec := req.Spec
	a := &client.ScheduleWorkflowAction{
		ID: swap.WatchWorkflowID(spec.Target), Workflow: swap.WorkflowWatchBaseline, Args: []any{req}, TaskQueue: swap.QueueControl,
		StaticSummary: cut(fmt.Sprintf("watch %s on %s", spec.Baseline.Model, spec.Target), summaryLimit),
		StaticDetails: requestDetails(req),
		Memo: map[string]any{
			memoTarget: spec.Target, memoBaseline: spec.Baseline.Model, memoSpec: req.SpecSHA256, memoRequestedBy: req.RequestedBy,
		},
	}
	if req.SearchAttributes {
		a.TypedSearchAttributes = temporal.NewSearchAttributes(
			keyword(swap.AttrTarget, spec.Target),
			keyword(swap.AttrBaseline, spec.Baseline.Model),
			keyword(swap.AttrStage, string(swap.StagePreflight)),
			keyword(swap.AttrRequestedBy, req.RequestedBy),
		)
	}
	return a
}

// ScheduleWatch creates the schedule of a target's watch, or changes the one that there is. A watch that comes due while the one
// before it runs is skipped. A paused schedule stays paused.
func (c *Client) ScheduleWatch(ctx context.Context, req swap.Request, when Cadence) (created bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	id := swap.WatchWorkflowID(req.Spec.Target)
	_, err = c.sdk.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: id, Spec: when.spec(), Action: watchAction(req), Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp,
		Memo: map[string]any{memoTarget: req.Spec.Target, memoSpec: req.SpecSHA256, memoRequestedBy: req.RequestedBy},
	})
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		if err != nil {
			return false, c.refused(err)
		}
		return true, nil
	}
	err = c.sdk.ScheduleClient().GetHandle(ctx, id).Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			s := in.Description.Schedule
			spec := when.spec()
			s.Spec, s.Action = &spec, watchAction(req)
			s.Policy = &client.SchedulePolicies{Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp}
			return &client.ScheduleUpdate{Schedule: &s}, nil
		},
	})
	if err != nil {
		return false, c.refused(err)
	}
	return false, nil
}

// DeleteWatch removes the schedule of a target's watch. Watches that run go on. Where there is none, the error is a *RefusedError.
func (c *Client) DeleteWatch(ctx context.Context, target string) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.noSchedule(target, c.sdk.ScheduleClient().GetHandle(ctx, swap.WatchWorkflowID(target)).Delete(ctx))
}

// WatchState is what the server knows of a target's watch.
type WatchState struct {
	Target string `json:"target"`
	// Schedule is the id of the schedule; empty where there is none. When says how often it starts a watch.
	Schedule string `json:"schedule,omitempty"`
	When     string `json:"when,omitempty"`
	Paused   bool   `json:"paused,omitempty"`
	Note     string `json:"note,omitempty"`
	// Running are the workflow ids of watches that run.
	Running []string    `json:"running,omitempty"`
	Next    []time.Time `json:"next,omitempty"`
	// Last is the last watch that ended, by schedule or by hand; absent where none is known any more.
	Last *Execution `json:"last,omitempty"`
	// Result is that of Last; absent where it was not measured.
	Result *swap.WatchResult `json:"result,omitempty"`
}

// Watch says where the watch of a target stands. Where there is neither a schedule nor a watch, the error is a *RefusedError.
func (c *Client) Watch(ctx context.Context, target string) (WatchState, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	state := WatchState{Target: target}
	runs := []*Run{c.run(swap.WatchWorkflowID(target), "", true)}
	d, err := c.sdk.ScheduleClient().GetHandle(ctx, swap.WatchWorkflowID(target)).Describe(ctx)
	missing := c.noSchedule(target, err)
	var none *RefusedError
	if missing != nil && !errors.As(missing, &none) {
		return state, missing
	}
	if missing == nil {
		state.fromSchedule(d)
		for _, a := range d.Info.RecentActions {
			if a.StartWorkflowResult != nil {
				runs = append(runs, c.run(a.StartWorkflowResult.WorkflowID, a.StartWorkflowResult.FirstExecutionRunID, true))
			}
		}
	}
	if err := state.addLast(ctx, runs); err != nil {
		return state, err
	}
	if missing != nil && state.Last == nil && len(state.Running) == 0 {
		return state, missing
	}
	return state, nil
}

func (s *WatchState) fromSchedule(d *client.ScheduleDescription) {
	s.Schedule = swap.WatchWorkflowID(s.Target)
	s.When = whenText(d.Schedule.Spec)
	if st := d.Schedule.State; st != nil {
		s.Paused, s.Note = st.Paused, st.Note
	}
	s.Next = d.Info.NextActionTimes[:min(3, len(d.Info.NextActionTimes))]
}

// addLast looks for the watches that run, and for the one that ended last.
func (s *WatchState) addLast(ctx context.Context, runs []*Run) error {
	var last *Run
	for _, r := range runs {
		e, err := r.Describe(ctx)
		var none *RefusedError
		switch {
		case errors.As(err, &none): // none yet, or older than the namespace's retention
			continue
		case err != nil:
			return err
		case e.State == Running:
			s.Running = append(s.Running, r.WorkflowID)
		case s.Last == nil || e.Started.After(s.Last.Started):
			r.setRunID(e.RunID)
			last, s.Last = r, &e
		}
	}
	if last == nil || s.Last.State != Completed {
		return nil
	}
	var result swap.WatchResult
	if err := last.Wait(ctx, &result); err != nil {
		return err
	}
	s.Result = &result
	return nil
}

// whenText is a schedule's times as a person writes them. The server keeps a cron expression as calendar fields.
func whenText(s *client.ScheduleSpec) string {
	switch {
	case s == nil:
		return ""
	case len(s.Intervals) > 0:
		return "every " + s.Intervals[0].Every.String()
	case len(s.Calendars) > 0 && s.Calendars[0].Comment != "":
		return "cron " + s.Calendars[0].Comment
	}
	return "by calendar"
}

func (c *Client) noSchedule(target string, err error) error {
	var missing *serviceerror.NotFound
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		return &RefusedError{
			Message: fmt.Sprintf("namespace %q has no watch of %s", c.Namespace, target), Next: "create one: swapgate watch create -f swap.yaml",
		}
	}
	return c.unreachable(err)
}
