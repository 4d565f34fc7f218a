package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
)

// errOutOfTime ends the work of an activity shortly before Temporal ends the activity.
var errOutOfTime = errors.New("the activity's time is over")

// longestMargin is enough to seal what is buffered and to say why the work ended.
const longestMargin = sealTimeout + 5*time.Second

// margin is how long before the end of an activity its work must end.
func margin(allowed time.Duration) time.Duration { return min(allowed/10, longestMargin) }

// inTime is the context of an activity's work. It ends before the activity's own: when Temporal ends an activity, nobody
// hears what it was waiting for. Every time limit within the work is bounded by it.
func inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, deadline.Add(-margin(time.Until(deadline))), errOutOfTime)
}

// overdue says of work that was cut off which activity it belongs to and what can be done. Errors with a type of their own
// name what did not answer, and are left alone.
func overdue(work context.Context, activity string, took time.Duration, err error) error {
	if err == nil || !errors.Is(context.Cause(work), errOutOfTime) || as[*temporal.ApplicationError](err) {
		return err
	}
	if kind := ruleFor(err).name; kind != TypeInternal && kind != TypeOutOfTime {
		return err
	}
	return &overdueError{
		text: fmt.Sprintf("%s was given up after %s, shortly before its time was over: %v; look at what it was waiting for, "+
			"and at how busy its worker is", activity, took.Round(100*time.Millisecond), err),
		err: err,
	}
}

// overdueError is work that did not end in time.
type overdueError struct {
	text string
	err  error
}

func (e *overdueError) Error() string { return e.text }
func (e *overdueError) Unwrap() error { return e.err }
