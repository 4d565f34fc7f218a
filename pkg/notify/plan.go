package notify

import (
	"github.com/swapgate/swapgate/pkg/notify/button"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Plan is what the news of a run make of its thread. The run's message is always brought up to date.
type Plan struct {
	// Buttons stand below the run's message, in this order. Each asks for something that the run would accept now.
	Buttons []button.Action
	// Posts go into the thread, in this order, each once in a run.
	Posts []Post
	// Chart says that a picture of the verdict follows.
	Chart bool
}

// Post is a kind of message in a thread.
type Post string

// The posts: what somebody asked of the run, that an approval is awaited, that traffic goes back, and the verdict.
const (
	PostDeeds    Post = "deeds"
	PostApproval Post = "approval"
	PostRollback Post = "rollback"
	PostVerdict  Post = "verdict"
)

// Broadcast reports whether a post is shown in the channel too: an update of a message wakes nobody.
func (p Post) Broadcast() bool { return p != PostDeeds }

// PlanFor decides what a thread shows. buttons says whether there may be any: somebody is listed who may press them, and they can
// be signed.
func PlanFor(news swap.RunNews, v swap.Verdict, buttons bool) Plan {
	var p Plan
	if len(news.Deeds) > 0 {
		p.Posts = append(p.Posts, PostDeeds)
	}
	switch {
	case news.Over:
		p.Posts, p.Chart = append(p.Posts, PostVerdict), v.Artifacts.Chart != nil
		return p
	case news.RolledBack:
		p.Posts = append(p.Posts, PostRollback)
	case news.Can.Approve:
		p.Posts = append(p.Posts, PostApproval)
	}
	if buttons {
		p.Buttons = buttonsFor(news)
	}
	return p
}

// buttonsFor are the buttons that can act. Going back is offered once traffic may have moved: before that there is nothing to go
// back from, and stopping a measurement is done where it was started.
func buttonsFor(news swap.RunNews) []button.Action {
	var actions []button.Action
	if news.Can.Approve {
		actions = append(actions, button.Approve)
	}
	if news.Can.Extend {
		actions = append(actions, button.Extend)
	}
	if news.Can.Rollback && news.Stage == swap.StageRollout {
		actions = append(actions, button.Rollback)
	}
	return actions
}
