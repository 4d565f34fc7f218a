package nginx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// state is the shares that a file says, and why NGINX would not follow it.
func (f fragment) state(route swap.NGINX) traffic.State {
	var sums swap.PerArm[int64]
	var problems []string
	for _, s := range f.servers {
		switch {
		case s.backup && s.weight > 0:
			problems = append(problems, fmt.Sprintf("server %s is a backup, which has no share", s.address))
		case slices.Contains(route.Baseline, s.address):
			sums.Baseline += int64(s.weight)
		case slices.Contains(route.Candidate, s.address):
			sums.Candidate += int64(s.weight)
		case s.weight > 0:
			problems = append(problems, fmt.Sprintf("server %s is in neither arm and takes requests", s.address))
		}
	}
	percent, exact := traffic.SharesOf(sums)
	if !exact {
		problems = append(problems, fmt.Sprintf("weights %d:%d are no whole percentages", sums.Baseline, sums.Candidate))
	}
	version := fmt.Sprintf("%d-%.12s", f.version, f.digest)
	return traffic.State{Weights: percent, Version: version, Pending: strings.Join(problems, "; ")}
}

// adoptable says whether swapgate may write over a file that it did not write: only when nothing in it would be lost.
func (f fragment) adoptable(route swap.NGINX) error {
	for _, d := range f.others {
		if !slices.Contains(route.Directives, d) {
			return fmt.Errorf("directive %q would be lost; list it under nginx.directives of the route", d)
		}
	}
	for _, s := range f.servers {
		switch {
		case len(s.others) > 0 || s.backup:
			return fmt.Errorf("server %s has parameters that would be lost: only weight, down and max_fails=0 are written", s.address)
		case !slices.Contains(route.Baseline, s.address) && !slices.Contains(route.Candidate, s.address):
			return fmt.Errorf("server %s is in neither arm and would be lost", s.address)
		}
	}
	return nil
}
