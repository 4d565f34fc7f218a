package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/swap"
)

// listedSnapshot is one line of `swapgate rollback --list`.
type listedSnapshot struct {
	ID    string    `json:"id"`
	Taken time.Time `json:"taken,omitzero"`
	// Healthy says that the run which took it passed; Verdict is the run's id, whatever became of it.
	Healthy     bool          `json:"healthy"`
	Verdict     string        `json:"verdict_id,omitempty"`
	RequestedBy string        `json:"requested_by,omitempty"`
	Baseline    string        `json:"baseline_model,omitempty"`
	Candidate   string        `json:"candidate_model,omitempty"`
	Weights     *swap.Weights `json:"weights,omitempty"`
	Ref         string        `json:"uri"`
	Problem     string        `json:"problem,omitempty"`
}

// listSnapshots reads the run store from this machine, with its keys; neither Temporal nor a worker is needed.
func (a *app) listSnapshots(ctx context.Context, target string, f *rollbackFlags) error {
	if err := checkTextOrJSON(f.format); err != nil {
		return err
	}
	cfg, err := a.rollbackStore(target, f)
	if err != nil {
		return err
	}
	store, err := runstore.Open(cfg)
	if err != nil {
		return &usageError{err: err}
	}
	defer store.Close()
	entries, err := snapshot.List(ctx, store, target)
	switch {
	case errors.Is(err, snapshot.ErrInvalid):
		return &usageError{err: err}
	case errors.Is(err, runstore.ErrUnavailable):
		return &exitError{code: exitUnavailable, message: err.Error()}
	case err != nil:
		return err
	}
	list := make([]listedSnapshot, len(entries))
	for i, e := range entries {
		list[i] = listed(e)
	}
	return a.print(f.format, list, snapshotTable(target, list))
}

func listed(e snapshot.Entry) listedSnapshot {
	return listedSnapshot{
		ID: e.ID, Taken: e.Snapshot.Taken, Healthy: e.Health != nil, Verdict: e.Snapshot.RunID, RequestedBy: e.Snapshot.RequestedBy,
		Baseline: e.Snapshot.Arms.Baseline.Model, Candidate: e.Snapshot.Arms.Candidate.Model, Weights: e.Snapshot.Weights,
		Ref: e.Ref.URI, Problem: e.Problem,
	}
}

func snapshotTable(target string, list []listedSnapshot) string {
	if len(list) == 0 {
		return target + " has no snapshot: no run of it has come so far\n"
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "id\ttaken (UTC)\thealthy\tbaseline\tcandidate\tweights\tverdict\tby")
	for _, s := range list {
		if s.Problem != "" && s.Taken.IsZero() {
			fmt.Fprintf(w, "%s\tcannot be restored: %s\n", s.ID, s.Problem)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, s.Taken.UTC().Format(time.DateTime), healthWord(s), s.Baseline, s.Candidate,
			weightsWord(s.Weights), s.Verdict, orDash(s.RequestedBy))
	}
	_ = w.Flush() // into a buffer
	return out.String()
}

func healthWord(s listedSnapshot) string {
	switch {
	case s.Problem != "":
		return "unknown"
	case s.Healthy:
		return "yes"
	}
	return "no"
}

func weightsWord(w *swap.Weights) string {
	if w == nil {
		return "no route"
	}
	return fmt.Sprintf("%d/%d", w.Baseline, w.Candidate)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
