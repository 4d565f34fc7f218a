package workflows

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// stageProlonged is the value of the stage's search attribute while a load step is prolonged.
const stageProlonged = "load-prolonged"

// loadWork is one activity on a load worker, from its scheduling to its end.
type loadWork struct {
	// key is its id, or its type where only one of the type is there at a time.
	key, what string
	scheduled time.Time
	begun     bool
	note      string
}

// about reports whether news are of this activity.
func (w loadWork) about(n swap.LoadNews) bool {
	return w.key == n.ActivityID || w.key == n.ActivityType
}

// hearLoadNews keeps the board up to date with what load workers tell. News change nothing else.
func (v *validation) hearLoadNews(ctx workflow.Context) {
	workflow.Go(ctx, func(ctx workflow.Context) {
		news := workflow.GetSignalChannel(ctx, swap.SignalLoadNews)
		for {
			var n swap.LoadNews
			if !news.Receive(ctx, &n) {
				return
			}
			v.board.news(ctx, n)
		}
	})
}

// scheduled shows that an activity waits for a load worker.
func (b *board) scheduled(ctx workflow.Context, key, what string) {
	b.work = append(b.work, loadWork{key: key, what: what, scheduled: workflow.Now(ctx)})
	b.showNow(ctx)
}

// news shows what an activity tells of itself.
func (b *board) news(ctx workflow.Context, n swap.LoadNews) {
	at := slices.IndexFunc(b.work, func(w loadWork) bool { return w.about(n) })
	if at < 0 {
		return // it ended in the meantime
	}
	b.work[at].begun, b.work[at].note = true, n.Note
	b.showNow(ctx)
	b.markProlonged(ctx, n.Note != "")
}

// released takes the activities of a stage off the board.
func (b *board) released(ctx workflow.Context) {
	b.work = nil
	b.showNow(ctx)
	b.markProlonged(ctx, false)
}

// markProlonged makes runs with a prolonged step findable. It does nothing without news, so that runs without any are
// replayed as they were.
func (b *board) markProlonged(ctx workflow.Context, prolonged bool) {
	if prolonged == b.prolonged {
		return
	}
	b.prolonged = prolonged
	stage := string(b.status.Stage)
	if prolonged {
		stage = stageProlonged
	}
	b.upsert(ctx, keyword(swap.AttrStage).ValueSet(stage))
}

func (b *board) showNow(ctx workflow.Context) {
	b.status.Now = nowText(b.work)
	b.show(ctx)
}

// nowText is a sentence on the activities that need load workers; empty where all go as planned.
func nowText(work []loadWork) string {
	waiting, begun := slices.IndexFunc(work, func(w loadWork) bool { return !w.begun }), 0
	var notes []string
	for _, w := range work {
		if w.begun {
			begun++
		}
		if w.note != "" {
			notes = append(notes, w.what+": "+w.note)
		}
	}
	if waiting < 0 {
		return strings.Join(notes, "; ")
	}
	who, more := "a load worker", ""
	if len(work) > 1 { // they share a step
		who = fmt.Sprintf("load workers (%d of %d have begun)", begun, len(work))
		more = "; it needs all of them at the same time: start more load workers (swapgate-worker --role load), or lower load.shards"
	}
	w := work[waiting]
	return fmt.Sprintf("%s has waited for %s since %s UTC; a load worker does one thing at a time, and may be at another run: "+
		"swapgate status tells which%s", w.what, who, w.scheduled.UTC().Format(time.TimeOnly), more)
}
