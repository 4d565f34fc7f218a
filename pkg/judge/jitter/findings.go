package jitter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// material is the share of the candidate's outliers from which a kind explains them, and leastRate the share of its requests from
	// which that matters: a tenth of the slowest 1 %.
	material, leastRate = .25, .001
	// timesBaseline is how many times the baseline's rate the candidate's must be.
	timesBaseline = 2
)

// Findings names the kind of slow first tokens that the candidate has and the baseline has not: one that explains a material share of
// the candidate's outliers, and whose rate is certainly above the baseline's (the 95 % intervals are apart) and at least twice as
// high. Of several it is the most frequent. It decides nothing: whether the tail is too slow is for the gates.
func Findings(j *swap.Jitter) []swap.Finding {
	if j == nil || j.Arms.Baseline.Requests == 0 {
		return nil
	}
	var most *swap.JitterLabel
	for i := range j.Arms.Candidate.Labels {
		l := &j.Arms.Candidate.Labels[i]
		if isNew(l, j.Arms.Baseline) && (most == nil || l.Count > most.Count) {
			most = l
		}
	}
	if most == nil {
		return nil
	}
	return []swap.Finding{say(most, j.Arms.Baseline)}
}

func isNew(l *swap.JitterLabel, baseline swap.ArmJitter) bool {
	base, high := rateIn(baseline, l.Kind)
	rate := l.Rate.Or(0)
	return l.Share.Or(0) >= material && rate >= max(leastRate, timesBaseline*base) && l.RateLow.Or(0) > high
}

func say(l *swap.JitterLabel, baseline swap.ArmJitter) swap.Finding {
	words := spoken[l.Kind]
	kind, next := words.kind, words.next
	if period, ok := l.PeriodSeconds.Get(); ok {
		every := "every " + strconv.FormatFloat(period, 'g', 3, 64) + " s"
		kind, next = kind+", "+every, strings.ReplaceAll(next, "again and again", every)
	}
	base, _ := rateIn(baseline, l.Kind)
	return swap.Finding{
		Severity: swap.Notable, Subject: "jitter",
		Message: fmt.Sprintf("%.0f %% of the candidate's unusually slow first tokens are %s: %s of its requests, and %s of the baseline's",
			100*l.Share.Or(0), kind, percent(l.Rate.Or(0)), percent(base)),
		Next: next,
	}
}

// rateIn is the share of an arm's requests that are outliers of a kind, with the upper bound.
func rateIn(arm swap.ArmJitter, kind swap.JitterKind) (rate, high float64) {
	for _, l := range arm.Labels {
		if l.Kind == kind {
			return l.Rate.Or(0), l.RateHigh.Or(1)
		}
	}
	_, high = stats.Proportion{Trials: float64(arm.Requests)}.Wilson(normal95)
	return 0, high
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 2, 64) + " %" }

// spoken is how a kind is spoken of, and what a person can do about it.
var spoken = map[swap.JitterKind]struct{ kind, next string }{
	swap.JitterColdStart: {
		"cold starts, among the first of a block or before it is steady",
		"see whether the candidate needs a longer warm-up or settle time, as for caches, connections and compiled kernels",
	},
	swap.JitterPeriodic: {
		"periodic", "look for what runs again and again on the candidate's host: garbage collection, checkpoints, health checks, telemetry",
	},
	swap.JitterGlitch: {
		"single glitches among neighbours that are not slow",
		"look at the network to the candidate, and at the raw records of the examples in the verdict",
	},
	swap.JitterUnexplained: {
		"of no known kind", "look at the clusters in the verdict, and at the candidate's own log at the times of the examples",
	},
}
