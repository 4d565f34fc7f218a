package rollout

import (
	"fmt"
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// shareLevel is the p-value below which the realised share of traffic is not the one that was set.
	shareLevel = .001
	// minExpected is the smallest expected count for which χ² is accurate.
	minExpected = 8
	// strayShare is the share of requests tolerated on an arm of weight 0: what was under way when the weights changed.
	strayShare = .01
	// unattributedShare is the share of probes that may lack an arm.
	unattributedShare = .05
)

// wrongShare says why no metric of a window may be read, or nil: its requests are not known to be split as was set.
func wrongShare(w swap.Window) *swap.Reason {
	return firstOf(rewritten(w), unattributed(w), shareMismatch(w))
}

func rewritten(w swap.Window) *swap.Reason {
	if !w.Rewritten {
		return nil
	}
	return &swap.Reason{
		Code: swap.ReasonShareMismatch, Subject: "route", Message: "somebody wrote the gateway's weights while the window ran, and put them back",
	}
}

// notEnough says what a weight has still to see, or nil.
func notEnough(plan swap.Rollout, s State) *swap.Reason {
	weight := s.Weight(plan)
	step := stepAt(plan, weight)
	if time := swap.Duration(s.Windows) * plan.Window; time < step.MinTime {
		return &swap.Reason{Code: swap.ReasonLowN, Subject: "rollout", Message: fmt.Sprintf(
			"%s of %s at %d %%", time, step.MinTime, weight)}
	}
	if s.Seen.Candidate >= step.MinRequests {
		return nil
	}
	message := fmt.Sprintf("%d of %d requests of the candidate at %d %%", s.Seen.Candidate, step.MinRequests, weight)
	if s.Seen.Candidate > 0 {
		left := math.Ceil(float64(step.MinRequests-s.Seen.Candidate) / float64(s.Seen.Candidate) * float64(s.Windows))
		message += fmt.Sprintf(", about %.0f more windows", max(1, left))
	}
	return &swap.Reason{Code: swap.ReasonLowN, Subject: "rollout", Message: message}
}

func unattributed(w swap.Window) *swap.Reason {
	all := w.Arms.Baseline.Requests + w.Arms.Candidate.Requests + w.Unattributed
	if float64(w.Unattributed) <= unattributedShare*float64(all) {
		return nil
	}
	return &swap.Reason{Code: swap.ReasonWindowNotDecided, Subject: "route", Message: fmt.Sprintf(
		"the gateway did not name the arm of %d of %d probes", w.Unattributed, all)}
}

// shareMismatch holds the realised share against the weights, on the gateway's counters where it has them.
func shareMismatch(w swap.Window) *swap.Reason {
	base, cand, counter := w.Arms.Baseline.Requests, w.Arms.Candidate.Requests, "probes"
	gatewayBase, hasBase := w.Arms.Baseline.GatewayRequests.Get()
	gatewayCand, hasCand := w.Arms.Candidate.GatewayRequests.Get()
	if hasBase && hasCand {
		base, cand, counter = int(gatewayBase), int(gatewayCand), "requests"
	}
	if !differs([]int{base, cand}, []float64{float64(w.Weights.Baseline) / 100, float64(w.Weights.Candidate) / 100}) {
		return nil
	}
	return &swap.Reason{Code: swap.ReasonShareMismatch, Subject: "route", Message: fmt.Sprintf(
		"the candidate got %d of %d %s, %.1f %% where %d %% was set", cand, base+cand, counter,
		100*float64(cand)/float64(base+cand), w.Weights.Candidate)}
}

func differs(counts []int, shares []float64) bool {
	total := counts[0] + counts[1]
	for i, share := range shares {
		if share == 0 {
			return float64(counts[i]) > strayShare*float64(total)
		}
	}
	if float64(total)*min(shares[0], shares[1]) < minExpected {
		return stats.BinomialP(counts[0], total, shares[0]) < shareLevel
	}
	_, p := stats.SampleRatio(counts, shares)
	return p < shareLevel
}

// tooFew applies the rule of the package comment on how many requests a window needs.
func tooFew(plan swap.Rollout, w swap.Window) *swap.Reason {
	total := seen(w.Arms.Baseline) + seen(w.Arms.Candidate)
	if total < plan.MinRequests {
		return lowN("window", total, plan.MinRequests)
	}
	planned := max(float64(total), plan.ProbeRate*plan.Window.Seconds())
	for _, arm := range swap.Arms {
		share := float64(w.Weights.Candidate) / 100
		if arm == swap.Baseline {
			share = float64(w.Weights.Baseline) / 100
		}
		if n := seen(w.Arms.Get(arm)); n < plan.MinRequests && planned*share >= 2*float64(plan.MinRequests) {
			return lowN(string(arm), n, plan.MinRequests)
		}
	}
	return nil
}

// seen is how many requests an arm is known to have answered: the gateway counts live traffic and probes alike, where it
// counts at all.
func seen(w swap.WindowStats) int { return max(w.Requests, int(w.GatewayRequests.Or(0))) }

func lowN(subject string, got, want int) *swap.Reason {
	return &swap.Reason{Code: swap.ReasonLowN, Subject: subject, Message: fmt.Sprintf(
		"only %d requests were seen in the window (%s), fewer than the %d needed", got, subject, want)}
}
