package control

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// queuedSince is when the run's oldest activity that waits for a load worker was given to the queue; false where none waits.
func (e Execution) queuedSince() (since time.Time, waits bool) {
	for _, p := range e.Pending {
		if p.Queue != swap.QueueLoad || p.Started || p.Paused || p.NextAttempt != nil || p.Scheduled == nil {
			continue
		}
		if !waits || p.Scheduled.Before(since) {
			since, waits = *p.Scheduled, true
		}
	}
	return since, waits
}

// queued says where a run stands in the line for a load worker, and which runs have one; empty where it waits for none.
func (c *Client) queued(ctx context.Context, e Execution) (string, error) {
	if _, waits := e.queuedSince(); !waits {
		return "", nil
	}
	var running []Execution
	err := c.eachRunning(ctx, func(other Execution) (more bool) {
		running = append(running, other)
		return true
	})
	return lineText(e, running), err
}

func lineText(own Execution, running []Execution) string {
	since, waits := own.queuedSince()
	if !waits {
		return ""
	}
	place, length := 1, 1
	var holders []string
	for _, other := range running {
		if other.WorkflowID == own.WorkflowID {
			continue
		}
		if at, waiting := other.queuedSince(); waiting {
			length++
			if at.Before(since) {
				place++
			}
		}
		if other.atWorkOn(swap.QueueLoad) {
			holders = append(holders, holderText(other))
		}
	}
	who := "no other validation is at work on one"
	if len(holders) > 0 {
		who = "at work on one: " + strings.Join(holders, ", ")
	}
	return fmt.Sprintf("place %d of %d in the line for a load worker, since %s UTC; %s",
		place, length, since.UTC().Format(time.TimeOnly), who)
}

// holderText names a run that has a load worker, with how far it is.
func holderText(e Execution) string {
	for _, p := range e.Pending {
		if !p.Started || p.Queue != swap.QueueLoad {
			continue
		}
		text := fmt.Sprintf("%s (%s", e.WorkflowID, p.Type)
		if h := p.Progress; h != nil && h.Total > 0 {
			text += fmt.Sprintf(", %d/%d %s", h.Done, h.Total, h.What)
			if h.ETA != "" {
				text += ", " + h.ETA + " left"
			}
		}
		return text + ")"
	}
	return e.WorkflowID
}
