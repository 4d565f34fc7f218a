package load

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// example keeps an answer that could not be read, if it is the first.
func (t *BlockTally) example(u *rawlog.Unread) {
	if t.unread == nil && u != nil {
		kept := *u
		t.unread = &kept
	}
}

// unreadFinding says that n answers could not be read. Of blocks that an earlier attempt drove there is no example.
func unreadFinding(arm swap.Arm, r swap.StepResult, n int, u *rawlog.Unread) swap.Finding {
	f := swap.Finding{
		Severity: swap.Notable, Subject: fmt.Sprintf("%s, step %d", arm, r.Step),
		Message: fmt.Sprintf("%d of %d answers could not be read", n, r.Planned.Get(arm)),
		Next:    "look at what the server, or a proxy in front of it, sends; the raw records have the outcome " + string(swap.ParseError),
	}
	if u != nil {
		f.Message, f.Next = f.Message+", such as this: "+u.What, u.Next
	}
	return f
}
