// Package desk hears the buttons of swapgate's messages in Slack, over Socket Mode or over signed HTTP requests, and asks the run
// for what they say: an update with who pressed. It trusts neither what a button carries nor who presses it: the value is signed,
// and only users that the run's own specification lists may press.
package desk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Runs is how a desk asks runs.
type Runs interface {
	// Run finds a run; it fails with ErrNoRun where there is none.
	Run(ctx context.Context, workflowID, runID string) (Run, error)
	// Update asks a run for something. The same id is asked once, however often it is called, and has the same answer. It fails with a
	// *RefusedError where the run refuses, and with ErrNoRun where it has ended.
	Update(ctx context.Context, u Update) (swap.Answer, error)
}

// Run is what a desk needs to know of a run.
type Run struct {
	Spec swap.Spec
	// Running is false for one that has ended.
	Running bool
}

// Update is an update to ask for.
type Update struct {
	WorkflowID, RunID string
	// ID tells the same wish from another.
	ID   string
	Name string
	By   swap.ByRequest
}

// ErrNoRun says that a run is not there any more, or has ended.
var ErrNoRun = errors.New("the run has ended")

// RefusedError is the sentence with which a run refuses an update.
type RefusedError struct{ Sentence string }

func (e *RefusedError) Error() string { return e.Sentence }

// Desk answers presses.
type Desk struct {
	Runs Runs
	// Poster looks up who is in a user group.
	Poster notify.Poster
	// Reply tells only the one who pressed.
	Reply Replier
	Log   *slog.Logger

	slots  chan struct{}
	life   context.Context //nolint:containedctx // of what is under way, ended by Close
	cancel context.CancelFunc
	busy   sync.WaitGroup
}

// Limits of a desk.
const (
	// atOnce is how many presses are under way at a time; people press a few an hour.
	atOnce = 32
	// patience bounds one press, its answer included.
	patience = 30 * time.Second
)

// Open makes a desk ready to accept presses until Close.
func Open(ctx context.Context, runs Runs, poster notify.Poster, reply Replier, log *slog.Logger) *Desk {
	d := &Desk{Runs: runs, Poster: poster, Reply: reply, Log: log, slots: make(chan struct{}, atOnce)}
	d.life, d.cancel = context.WithCancel(ctx)
	return d
}

// Accept begins to answer a press; Slack wants to know within 3 s that it has arrived. It reports false where too many are under way.
// The answer outlives ctx, which is that of the delivery.
func (d *Desk) Accept(ctx context.Context, p Press) bool {
	select {
	case d.slots <- struct{}{}:
	default:
		return false
	}
	d.busy.Go(func() {
		defer func() { <-d.slots }()
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer done()
		defer context.AfterFunc(d.life, done)() //nolint:contextcheck // Close ends what is under way
		said := d.Answer(ctx, p)
		if err := d.Reply.Tell(ctx, p.ResponseURL, said); err != nil {
			d.Log.WarnContext(ctx, "the answer to a press in Slack did not get through", "user", p.UserID, "error", err)
		}
	})
	return true
}

// Close ends what is under way and waits for it.
func (d *Desk) Close() {
	d.cancel()
	d.busy.Wait()
}

// Answer does what a press asks for and says what came of it, in a sentence for the one who pressed.
func (d *Desk) Answer(ctx context.Context, p Press) string {
	log := d.Log.With("user", p.UserID)
	v, err := button.Unverified(p.Value)
	if err != nil {
		log.WarnContext(ctx, "refused a press in Slack", "error", err)
		return sentence(err)
	}
	log = log.With("action", v.Action, "workflow_id", v.WorkflowID, "run_id", v.RunID)
	answer, err := d.press(ctx, p, v)
	if err != nil {
		log.WarnContext(ctx, "refused a press in Slack", "error", err)
		return refusal(err, v)
	}
	log.InfoContext(ctx, "a press in Slack was heard", "answer", answer.Message)
	return answer.Message
}

// errNotListed refuses somebody who may not press.
var errNotListed = errors.New(
	"you are not listed as an approver of this target (notify.slack.approvers of its swap.yaml), so nothing was done")

// press asks the run, if the button is sound and whoever pressed it may.
func (d *Desk) press(ctx context.Context, p Press, v button.Value) (swap.Answer, error) {
	run, err := d.Runs.Run(ctx, v.WorkflowID, v.RunID)
	if err != nil {
		return swap.Answer{}, err
	}
	to := run.Spec.Notify.Slack
	if to == nil || to.Token == nil || v.WorkflowID != swap.ValidateWorkflowID(run.Spec.Target) {
		return swap.Answer{}, button.ErrForged // such a run posts no buttons
	}
	token, err := secret.Resolve(to.Token)
	if err != nil {
		return swap.Answer{}, err
	}
	if _, err := button.NewKey(token.Reveal()).Verify(p.Value); err != nil {
		return swap.Answer{}, err
	}
	if err := d.mayPress(ctx, p.UserID, *to, token.Reveal()); err != nil {
		return swap.Answer{}, err
	}
	if !run.Running {
		return swap.Answer{}, ErrNoRun
	}
	by := swap.ByRequest{By: p.By(), Reason: "pressed in Slack", Weight: v.Weight}
	return d.Runs.Update(ctx, Update{WorkflowID: v.WorkflowID, RunID: v.RunID, ID: v.UpdateID(), Name: string(v.Action), By: by})
}

// groupError says that a user group could not be looked up.
type groupError struct {
	group string
	err   error
}

func (e *groupError) Error() string {
	return "cannot look up the user group " + e.group + ": " + e.err.Error()
}
func (e *groupError) Unwrap() error { return e.err }

// mayPress fails with errNotListed for who is listed neither by their own id nor by that of a group that they are in.
func (d *Desk) mayPress(ctx context.Context, user string, to swap.Slack, token string) error {
	if slices.Contains(to.Approvers, user) {
		return nil
	}
	for _, group := range to.Approvers {
		if !strings.HasPrefix(group, "S") {
			continue
		}
		members, err := d.Poster.Members(ctx, to, token, group)
		if err != nil {
			return &groupError{group: group, err: err}
		}
		if slices.Contains(members, user) {
			return nil
		}
	}
	return errNotListed
}

// refusal says why nothing was done, and what to do instead. What only concerns operators is in the log.
func refusal(err error, v button.Value) string {
	target := strings.TrimPrefix(v.WorkflowID, swap.ValidateWorkflowID(""))
	var refused *RefusedError
	var group *groupError
	switch {
	case errors.Is(err, ErrNoRun):
		return fmt.Sprintf("The run has ended. To put the traffic of %s back, use: swapgate rollback %s -f swap.yaml", target, target)
	case errors.As(err, &refused), errors.Is(err, button.ErrForged), errors.Is(err, errNotListed):
		return sentence(err)
	case errors.As(err, &group):
		return "It cannot be told whether you are in the user group " + group.group + ", so nothing was done. Press again in a while."
	case errors.Is(err, secret.ErrInvalid):
		return "The worker that hears Slack's buttons lacks the bot's token, so nothing was done. Its log says which."
	}
	return "The run did not answer in time. Its message shows whether it heard you; press again if not, which does nothing twice."
}

// sentence makes an error one.
func sentence(err error) string {
	s := err.Error()
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
