package rawlog

import (
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Outcomes counts records by outcome.
func Outcomes(records []Record) swap.OutcomeCounts {
	c := swap.OutcomeCounts{}
	for i := range records {
		c[swap.Outcome(records[i].Outcome)]++
	}
	return c
}

// Values returns a metric of the good measured requests that have it, in ascending order.
func Values(records []Record, m swap.Metric) []float64 {
	var out []float64
	for i := range records {
		if r := &records[i]; r.Measured && r.Good() {
			if v, ok := r.PerRequest(m).Get(); ok {
				out = append(out, v)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Quantile is the p-quantile (type 7) of Values; absent without any.
func Quantile(records []Record, m swap.Metric, p float64) swap.Value {
	return swap.Of(stats.Quantile(Values(records, m), p))
}

// MeasuredTokens is the number of tokens that the server counted for good requests planned in the measured time; absent if
// it counted none of them.
func MeasuredTokens(records []Record) swap.Value {
	counted := Values(records, swap.MetricOutputTokens)
	if len(counted) == 0 {
		return swap.Absent()
	}
	return swap.Of(stats.Sum(counted))
}

// Throughput is MeasuredTokens per second of measured time. A request counts as a whole in the time in which it was
// planned: what settle time leaves unfinished and what the end leaves unfinished balance.
func Throughput(records []Record, measured time.Duration) swap.Value {
	tokens, ok := MeasuredTokens(records).Get()
	if !ok || measured <= 0 {
		return swap.Absent()
	}
	return swap.Of(tokens / measured.Seconds())
}

// WindowOf summarises the records that one arm answered in a rollout window. Quantiles are over all its good requests.
func WindowOf(records []Record, arm swap.Arm) swap.WindowStats {
	var own []Record
	for i := range records {
		if records[i].Arm == string(arm) {
			own = append(own, records[i])
		}
	}
	return swap.WindowStats{
		Requests: len(own), Outcomes: Outcomes(own),
		TTFTP50ms: Quantile(own, swap.MetricTTFT, 0.5), TTFTP95ms: Quantile(own, swap.MetricTTFT, 0.95),
		TPOTP50ms: Quantile(own, swap.MetricTPOT, 0.5), LongestFailureRun: LongestFailureRun(own),
	}
}

// Unattributed counts requests that were carried out and whose arm is unknown.
func Unattributed(records []Record) int {
	n := 0
	for i := range records {
		if records[i].Arm == "" && swap.Outcome(records[i].Outcome) != swap.Abandoned {
			n++
		}
	}
	return n
}

// LongestFailureRun is the longest run of consecutive failures in the order of planning. An abandoned request neither
// continues nor ends a run.
func LongestFailureRun(records []Record) int {
	longest, run := 0, 0
	for i := range records {
		switch {
		case records[i].Good():
			run = 0
		case swap.Outcome(records[i].Outcome) != swap.Abandoned:
			run++
			longest = max(longest, run)
		}
	}
	return longest
}
