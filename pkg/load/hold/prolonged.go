package hold

import (
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Prolonged says, after a pair of blocks, why the next one is driven although all planned ones are; empty where it is planned, or
// where there is no next one.
func (c *Course) Prolonged() string {
	arms := byArm(c.done)
	pairs := len(arms.Baseline)
	if c.end != nil || c.plan.Extend == nil || pairs < c.plan.Blocks || len(arms.Candidate) != pairs {
		return ""
	}
	return fmt.Sprintf("prolonged, block %d of at most %d on each arm, because %s",
		pairs+1, c.plan.mostBlocks(), strings.Join(lacking(c.plan.tails(arms)), "; "))
}

// lacking says of each arm that is not steady what it lacks.
func lacking(tails swap.PerArm[tail]) []string {
	var arms []string
	for _, arm := range swap.Arms {
		if t := tails.Get(arm); !t.steady {
			arms = append(arms, fmt.Sprintf("the %s's %s", arm, t.words))
		}
	}
	return arms
}
