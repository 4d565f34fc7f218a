package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// heartbeat is how long a long activity may be silent. It bounds how late a dead worker is noticed, and how late a
// cancel reaches an activity.
const heartbeat = 10 * time.Second

// unlimited attempts: the activity is retried until it succeeds or its timeouts end it.
const unlimited = 0

// retry doubles the interval from first to most, at most attempts times.
func retry(first, most time.Duration, attempts int32) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: first, BackoffCoefficient: 2, MaximumInterval: most, MaximumAttempts: attempts}
}

// probe is for looking at inference servers. One that loads its model with its first request may take two minutes for it and
// begins anew when it is given up; one that never answers is given up after two such requests.
func probe(summary string) workflow.ActivityOptions {
	o := quick(summary)
	o.StartToCloseTimeout, o.ScheduleToCloseTimeout = 150*time.Second, 5*time.Minute
	return o
}

// quick is for a small control-plane call.
func quick(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Second,
		RetryPolicy:         retry(500*time.Millisecond, 5*time.Second, 5),
		Summary:             summary,
	}
}

// compute is for reading a run's records and working on them.
func compute(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: 10 * time.Minute,
		RetryPolicy:         retry(time.Second, 15*time.Second, 8),
		Summary:             summary,
	}
}

// drive is for load on an inference server. planned is the time without drain and retries; traffic never outlives a
// cancel because the workflow waits for the activity to stop.
func drive(summary string, planned time.Duration) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           swap.QueueLoad,
		StartToCloseTimeout: planned + planned/2 + 15*time.Minute,
		HeartbeatTimeout:    heartbeat,
		WaitForCancellation: true,
		RetryPolicy:         retry(time.Second, 10*time.Second, 6),
		Summary:             summary,
	}
}

// watch is for sampling beside the load; it ends by a cancel and then returns what it has.
func watch(queue, summary string, planned time.Duration) workflow.ActivityOptions {
	o := drive(summary, planned)
	o.TaskQueue = queue
	if queue != swap.QueueControl {
		// Nobody may be polling a GPU host's queue; a shared queue must not have this timeout.
		o.ScheduleToStartTimeout = time.Minute
	}
	return o
}

// restore is for going back: it never gives up, and a gateway that is there again does not wait for it.
func restore(summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Second,
		WaitForCancellation: true,
		RetryPolicy:         retry(200*time.Millisecond, 5*time.Second, unlimited),
		Summary:             summary,
	}
}

const (
	// verdictPatience is short, because a pipeline that has its verdict waits for the message too.
	verdictPatience = 2 * time.Minute
	// newsPatience is shorter still: newer news wait for it.
	newsPatience = 30 * time.Second
	// alarmPatience is long, because somebody has to come.
	alarmPatience = 15 * time.Minute
)

// tell is for messages to people, which may wait a while for their service to recover.
func tell(summary string, patience time.Duration) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout:    20 * time.Second,
		ScheduleToCloseTimeout: patience,
		RetryPolicy:            retry(time.Second, 30*time.Second, unlimited),
		Summary:                summary,
	}
}

// brake is for setting traffic back without waiting for a task queue.
func brake() workflow.LocalActivityOptions {
	return workflow.LocalActivityOptions{
		StartToCloseTimeout: 2 * time.Second,
		RetryPolicy:         retry(50*time.Millisecond, 50*time.Millisecond, 2),
		Summary:             "brake: all traffic to the baseline",
	}
}
