package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// minLatencyRequests is the fewest requests per arm before a P95 is worth comparing.
const minLatencyRequests = 30

// GuardFired says why the guard fires on what a window has shown so far, or nil. It may be asked at any time while the
// window is still running. A limit of 0 is not checked. Without baseline requests the baseline's error rate counts as 0.
func GuardFired(g swap.Guard, base, cand swap.WindowStats) *swap.Reason {
	for _, guard := range []func(swap.Guard, swap.WindowStats, swap.WindowStats) *swap.Reason{
		failuresInARow, probeErrors, gatewayErrors, slowFirstToken,
	} {
		if fired := guard(g, base, cand); fired != nil {
			return fired
		}
	}
	return nil
}

func fired(code, message string) *swap.Reason {
	return &swap.Reason{Code: code, Subject: string(swap.Candidate), Message: message}
}

func failuresInARow(g swap.Guard, _, cand swap.WindowStats) *swap.Reason {
	if g.ConsecutiveFailures == 0 || cand.LongestFailureRun < g.ConsecutiveFailures {
		return nil
	}
	message := fmt.Sprintf("%d requests to the candidate failed in a row (limit %d), mostly with %s",
		cand.LongestFailureRun, g.ConsecutiveFailures, dominant(cand.Outcomes))
	if unreachable := cand.Outcomes[swap.ConnectFailed]; 2*unreachable > cand.Outcomes.Failed() {
		return fired(swap.ReasonGuardUnreachable, "the candidate cannot be reached: "+message)
	}
	return fired(swap.ReasonGuardErrors, message)
}

func probeErrors(g swap.Guard, base, cand swap.WindowStats) *swap.Reason {
	return risenErrors(g, countsOf(base), countsOf(cand), "mostly with "+dominant(cand.Outcomes))
}

func gatewayErrors(g swap.Guard, base, cand swap.WindowStats) *swap.Reason {
	return risenErrors(g, gatewayCounts(base), gatewayCounts(cand), "by the gateway's own count")
}

func gatewayCounts(w swap.WindowStats) Counts {
	return Counts{Requests: int(w.GatewayRequests.Or(0)), Failed: int(w.GatewayErrors.Or(0))}
}

func risenErrors(g swap.Guard, base, cand Counts, detail string) *swap.Reason {
	if g.ErrorRateRise == 0 || cand.Requests < max(1, g.ErrorMinRequests) || cand.rate()-base.rate() <= g.ErrorRateRise {
		return nil
	}
	return fired(swap.ReasonGuardErrors, fmt.Sprintf(
		"the candidate failed %.1f %% of %d requests, the baseline %.1f %% of %d: more than the tolerated rise of %.4g percentage points, %s",
		100*cand.rate(), cand.Requests, 100*base.rate(), base.Requests, 100*g.ErrorRateRise, detail))
}

func slowFirstToken(g swap.Guard, base, cand swap.WindowStats) *swap.Reason {
	before, hasBase := base.TTFTP95ms.Get()
	after, hasCand := cand.TTFTP95ms.Get()
	enough := base.Requests >= minLatencyRequests && cand.Requests >= minLatencyRequests
	if g.LatencyRatio == 0 || !enough || !hasBase || !hasCand || after <= before*g.LatencyRatio {
		return nil
	}
	return fired(swap.ReasonGuardLatency, fmt.Sprintf(
		"the candidate's time to first token P95 is %.4g ms, over %.3g times the baseline's %.4g ms", after, g.LatencyRatio, before))
}

// dominant names the most frequent failure.
func dominant(outcomes swap.OutcomeCounts) string {
	bad := slices.DeleteFunc(slices.Clone(swap.Outcomes), func(o swap.Outcome) bool {
		return o.Good() || o == swap.Abandoned || outcomes[o] == 0
	})
	if len(bad) == 0 {
		return "no known failure"
	}
	worst := slices.MaxFunc(bad, func(a, b swap.Outcome) int {
		return cmp.Or(cmp.Compare(outcomes[a], outcomes[b]), strings.Compare(string(b), string(a)))
	})
	return fmt.Sprintf("%s (%d)", worst, outcomes[worst])
}
