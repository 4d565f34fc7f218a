package control

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// pollerFresh bounds the age of a worker's last poll. A poll lasts up to a minute, and the server remembers dead
	// workers for five; the rest is room for clocks that differ.
	pollerFresh  = 2 * time.Minute
	pollerRecall = 250 * time.Millisecond
)

// Queue is a task queue that a validation needs a worker on.
type Queue struct {
	Name string
	// Work is what its workers do, in a few words.
	Work string
	kind enums.TaskQueueType
	// role of a worker that polls the queue.
	role string
}

// workflowQueue is that of the workers that answer queries and updates.
var workflowQueue = Queue{Name: swap.QueueControl, Work: "workflows", kind: enums.TASK_QUEUE_TYPE_WORKFLOW, role: "control"}

var neededQueues = []Queue{
	workflowQueue,
	{Name: swap.QueueControl, Work: "light activities", kind: enums.TASK_QUEUE_TYPE_ACTIVITY, role: "control"},
	{Name: swap.QueueLoad, Work: "load", kind: enums.TASK_QUEUE_TYPE_ACTIVITY, role: "load"},
}

// QueuesWithoutWorker lists the needed queues that no worker polls.
func (c *Client) QueuesWithoutWorker(ctx context.Context) ([]Queue, error) {
	var missing []Queue
	for _, q := range neededQueues {
		d, err := c.sdk.DescribeTaskQueue(ctx, q.Name, q.kind)
		if err != nil {
			return nil, c.unreachable(err)
		}
		if polled(d.GetPollers(), time.Now()) {
			continue
		}
		busy, err := c.busy(ctx, q)
		if err != nil {
			return nil, err
		}
		if !busy {
			missing = append(missing, q)
		}
	}
	return missing, nil
}

// mostDescribed bounds how many running validations and watches are looked at for a busy worker.
const mostDescribed = 50

// busy reports whether a worker of the queue is at work for some validation: a load worker has one slot and does not poll
// while it drives a step, which can take longer than any poll is remembered.
func (c *Client) busy(ctx context.Context, q Queue) (bool, error) {
	if q.Name != swap.QueueLoad {
		return false, nil
	}
	busy := false
	err := c.eachRunning(ctx, func(e Execution) (more bool) {
		busy = e.atWorkOn(q.Name)
		return !busy
	})
	return busy, err
}

// eachRunning describes the validations and watches that run, the newest of them where there are very many, until yield wants no more.
func (c *Client) eachRunning(ctx context.Context, yield func(Execution) (more bool)) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	list, err := c.sdk.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: c.Namespace, PageSize: mostDescribed,
		Query: fmt.Sprintf("WorkflowType IN (%q, %q) AND ExecutionStatus = 'Running'", swap.WorkflowValidateSwap, swap.WorkflowWatchBaseline),
	})
	if err != nil {
		return c.unreachable(err)
	}
	for _, e := range list.GetExecutions() {
		d, err := c.sdk.DescribeWorkflow(ctx, e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId())
		if err != nil {
			return c.unreachable(err)
		}
		if !yield(executionOf(d)) {
			return nil
		}
	}
	return nil
}

func polled(pollers []*taskqueue.PollerInfo, now time.Time) bool {
	for _, p := range pollers {
		if now.Sub(p.GetLastAccessTime().AsTime()) < pollerFresh {
			return true
		}
	}
	return false
}

// AwaitWorkers waits until every needed queue has a worker. After wait it gives up with an *UnreachableError that names
// the queues and how to start a worker.
func (c *Client) AwaitWorkers(ctx context.Context, wait time.Duration) error {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	recheck := time.NewTicker(pollerRecall)
	defer recheck.Stop()
	for {
		missing, err := c.QueuesWithoutWorker(ctx)
		if err != nil || len(missing) == 0 {
			return err
		}
		select {
		case <-recheck.C:
		case <-deadline.C:
			return noWorker(missing)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func noWorker(missing []Queue) error {
	return &UnreachableError{What: describeMissing(missing), Next: startWorker(missing)}
}

// startWorker says how to start what is missing.
func startWorker(missing []Queue) string {
	var roles []string
	for _, q := range missing {
		if !slices.Contains(roles, q.role) {
			roles = append(roles, q.role)
		}
	}
	return fmt.Sprintf("start one against the same Temporal address and namespace: swapgate-worker --role %s", strings.Join(roles, ","))
}

// describeMissing names each queue once, with all the work that waits on it.
func describeMissing(missing []Queue) string {
	work := map[string][]string{}
	var names []string
	for _, q := range missing {
		if work[q.Name] == nil {
			names = append(names, q.Name)
		}
		work[q.Name] = append(work[q.Name], q.Work)
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("no worker polls task queue %q (%s)", name, strings.Join(work[name], ", "))
	}
	return strings.Join(parts, "; ")
}
