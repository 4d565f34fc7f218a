package kube

import (
	"fmt"
	"strconv"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// Rule is one rule of a route: where matching requests go, by relative weights.
type Rule struct {
	Name     string
	Backends []Backend
}

// Backend is one place to which a rule sends requests.
type Backend struct {
	// ID tells it from the others of its rule.
	ID     string
	Weight int64
}

// Split is the rule that splits traffic between the arms.
type Split struct {
	// Rule and the values of Arms are positions in the lists of the route.
	Rule   int
	Arms   swap.PerArm[int]
	Shares swap.PerArm[int64]
	// Other is a third backend that gets traffic; empty when there is none.
	Other string
}

// FindSplit returns the rule that is chosen by its name or its position, or without a choice the only one that names both arms.
func FindSplit(rules []Rule, choice string, arms swap.PerArm[string]) (Split, error) {
	var found []Split
	for i, r := range rules {
		if choice != "" && choice != r.Name && choice != strconv.Itoa(i) {
			continue
		}
		s, complete, err := splitOf(i, r, arms)
		if err != nil {
			return Split{}, err
		}
		if complete {
			found = append(found, s)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return Split{}, notOne(len(found), choice, arms)
}

func notOne(found int, choice string, arms swap.PerArm[string]) error {
	switch {
	case found > 1:
		return fmt.Errorf("%d rules name both %s and %s; choose one by rule", found, arms.Baseline, arms.Candidate)
	case choice != "":
		return fmt.Errorf("it has no rule %q that names both %s and %s; add the candidate with weight 0", choice, arms.Baseline, arms.Candidate)
	}
	return fmt.Errorf("no rule names both %s and %s; add the candidate with weight 0", arms.Baseline, arms.Candidate)
}

// splitOf finds the arms in a rule and says whether it names both.
func splitOf(i int, r Rule, arms swap.PerArm[string]) (s Split, complete bool, err error) {
	s = Split{Rule: i, Arms: swap.PerArm[int]{Baseline: -1, Candidate: -1}}
	for j, b := range r.Backends {
		arm, known := armOf(b.ID, arms)
		switch {
		case b.Weight < 0:
			return s, false, fmt.Errorf("rule %d gives %s the weight %d", i, b.ID, b.Weight)
		case known && s.Arms.Get(arm) >= 0:
			return s, false, fmt.Errorf("rule %d names %s twice", i, b.ID)
		case known:
			*s.Arms.Ptr(arm), *s.Shares.Ptr(arm) = j, b.Weight
		case b.Weight > 0:
			s.Other = b.ID
		}
	}
	return s, s.Arms.Baseline >= 0 && s.Arms.Candidate >= 0, nil
}

func armOf(id string, arms swap.PerArm[string]) (swap.Arm, bool) {
	switch id {
	case arms.Baseline:
		return swap.Baseline, true
	case arms.Candidate:
		return swap.Candidate, true
	}
	return "", false
}

// State is what the weights of the rule make of the traffic, pending while anything but the two arms takes part.
func (s Split) State() traffic.State {
	weights, _ := traffic.SharesOf(s.Shares)
	state := traffic.State{Weights: weights}
	switch {
	case weights == swap.Weights{}:
		state.Pending = fmt.Sprintf("rule %d gives neither arm any traffic", s.Rule)
	case s.Other != "":
		state.Pending = fmt.Sprintf("rule %d also sends traffic to %s, which is neither arm", s.Rule, s.Other)
	}
	return state
}

// Is reports whether the weights are exactly the wanted ones.
func (s Split) Is(want swap.Weights) bool {
	now, exact := traffic.SharesOf(s.Shares)
	return exact && now == want
}

// MayTake refuses weights that give the candidate more while the split is not between the two arms alone.
func (s Split) MayTake(want swap.Weights) error {
	now, _ := traffic.SharesOf(s.Shares)
	if s.Other == "" || want.Candidate <= now.Candidate {
		return nil
	}
	return fmt.Errorf("%s; take it out of the rule, or give it weight 0, before a rollout", s.State().Pending)
}
