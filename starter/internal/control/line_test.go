package control

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// validation is a running validation with one activity on the load queue.
func validation(id string, started bool, minute int) Execution {
	at := time.Date(2026, 5, 1, 12, minute, 0, 0, time.UTC)
	p := PendingActivity{ID: "load-step-1", Type: "LoadStep", Queue: swap.QueueLoad, Started: started, Attempt: 1, Scheduled: &at}
	if started {
		p.Progress = &swap.Progress{What: "blocks", Done: 3, Total: 12, ETA: "4m30s"}
	}
	return Execution{WorkflowID: id, State: Running, Pending: []PendingActivity{p}}
}

func TestTheLineForALoadWorker(t *testing.T) {
	own, holder := validation("swap-chat", false, 5), validation("swap-code", true, 0)
	retried := validation("swap-mail", false, 1)
	next := time.Date(2026, 5, 1, 12, 6, 0, 0, time.UTC)
	retried.Pending[0].NextAttempt = &next
	for name, c := range map[string]struct {
		own     Execution
		running []Execution
		want    string
	}{
		"it has one":            {holder, []Execution{holder}, ""},
		"it rests before a try": {retried, []Execution{holder, retried}, ""},
		"alone": {
			own, []Execution{own}, "place 1 of 1 in the line for a load worker, since 12:05:00 UTC; no other validation is at work on one",
		},
		"another has it": {
			own,
			[]Execution{holder, own},
			"place 1 of 1 in the line for a load worker, since 12:05:00 UTC; " +
				"at work on one: swap-code (LoadStep, 3/12 blocks, 4m30s left)",
		},
		"others wait too": {
			own,
			[]Execution{holder, validation("swap-a", false, 9), own, validation("swap-b", false, 2), retried},
			"place 2 of 3 in the line for a load worker, since 12:05:00 UTC; " +
				"at work on one: swap-code (LoadStep, 3/12 blocks, 4m30s left)",
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, lineText(c.own, c.running)) })
	}
}
