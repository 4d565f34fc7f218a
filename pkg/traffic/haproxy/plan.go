package haproxy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// change sets the weight of one server.
type change struct {
	server   string
	from, to int
}

// plan lists the changes that make the shares those of want; none when they are. Weights are raised before others are lowered,
// so that between two changes the share of each arm lies between before and after, and never are all weights 0. A server that
// does not serve gets no weight while both arms have traffic: coming back it would change the shares.
//
// An arm that shall have traffic needs a server that serves. Without one nothing is planned: all requests would fail, or go to
// the other arm. Nor does the candidate get traffic while a server of neither arm takes some: no share would be what it says.
func plan(o observation, want swap.Weights) ([]change, error) {
	if state := o.state(); state.Weights == want && state.Pending == "" {
		return nil, nil
	}
	if taking := o.taking(); want.Candidate > 0 && len(taking) > 0 {
		return nil, fmt.Errorf("%w: %s; put it into an arm, or out of service", traffic.ErrRefused, strings.Join(taking, "; "))
	}
	shares := swap.PerArm[int](want)
	var chosen swap.PerArm[[]server]
	for _, arm := range swap.Arms {
		serving := slices.DeleteFunc(slices.Clone(o.arms.Get(arm)), func(s server) bool { return !s.serves() })
		if shares.Get(arm) > 0 && len(serving) == 0 {
			return nil, fmt.Errorf("%w: nothing is changed, because no server of the %s serves (%s) and it shall have %d %% of traffic",
				traffic.ErrNotApplied, arm, statusOf(o.arms.Get(arm)), shares.Get(arm))
		}
		if shares.Get(arm) == 100 {
			serving = o.arms.Get(arm)
		}
		*chosen.Ptr(arm) = serving
	}
	weights := traffic.Spread(want, swap.PerArm[int]{Baseline: len(chosen.Baseline), Candidate: len(chosen.Candidate)}, maxWeight)
	var changes []change
	for _, arm := range swap.Arms {
		to := map[string]int{}
		for i, srv := range chosen.Get(arm) {
			to[srv.name] = weights.Get(arm)[i]
		}
		for _, srv := range o.arms.Get(arm) {
			if srv.weight != to[srv.name] {
				changes = append(changes, change{srv.name, srv.weight, to[srv.name]})
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.rank(), b.rank()) })
	return changes, nil
}

func (c change) rank() int {
	if c.to > c.from {
		return 0
	}
	return 1
}

func statusOf(servers []server) string {
	texts := make([]string, len(servers))
	for i, srv := range servers {
		texts[i] = srv.name + " is " + srv.status
	}
	return strings.Join(texts, ", ")
}
