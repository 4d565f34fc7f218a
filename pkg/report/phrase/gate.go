package phrase

import (
	"fmt"
	"math"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Metric is the usual name of a metric.
func Metric(m swap.Metric) string {
	switch m {
	case swap.MetricTTFT:
		return "TTFT"
	case swap.MetricTTFTScheduled:
		return "TTFT from plan"
	case swap.MetricTPOT:
		return "TPOT"
	case swap.MetricE2E:
		return "E2E"
	case swap.MetricOutputTokens:
		return "Output tokens"
	case swap.MetricThroughput:
		return "Throughput"
	case swap.MetricErrorRate:
		return "Error rate"
	case swap.MetricQuality:
		return "Quality"
	}
	return Clean(string(m))
}

// Gate is the title of a gate, such as "TTFT P99".
func Gate(g swap.Gate) string {
	title := Metric(g.Metric)
	switch g.Stat {
	case "", swap.StatRate:
	case swap.StatMean:
		title += " mean"
	default:
		title += " " + strings.ToUpper(Clean(string(g.Stat)))
	}
	if g.HasLimit() {
		title += " SLO"
	}
	return title
}

// Change is the candidate's change against the baseline, in the terms of the gate's margin, or against the limit of an SLO.
func Change(g swap.GateResult) string {
	if g.Gate.HasLimit() && g.Change.Valid() {
		return inMarginTerms(g, g.Change) + " to limit"
	}
	return inMarginTerms(g, g.Change)
}

// Bounds is the interval of the change, "n/a" if it has no bound at all.
func Bounds(g swap.GateResult) string {
	if !g.Low.Valid() && !g.High.Valid() {
		return NA
	}
	return fmt.Sprintf("%s to %s", inMarginTerms(g, g.Low), inMarginTerms(g, g.High))
}

// Interval is the interval of the change without its unit, for narrow columns, such as "[−1.0, +9.4]".
func Interval(g swap.GateResult) string {
	bare := func(v swap.Value) string {
		number, _, _ := strings.Cut(inMarginTerms(g, v), " ")
		return number
	}
	if !g.Low.Valid() && !g.High.Valid() {
		return NA
	}
	return "[" + bare(g.Low) + ", " + bare(g.High) + "]"
}

// FromTo is the baseline's and the candidate's value with their unit once, such as "486 → 501 ms".
func FromTo(g swap.GateResult) string {
	from, to := Quantity(g.Baseline, g.Unit), Quantity(g.Candidate, g.Unit)
	if number, unit, found := strings.Cut(from, " "); found && strings.HasSuffix(to, " "+unit) {
		from = number
	}
	return from + " → " + to
}

// Margin is the tolerance of a gate with the direction in which it counts, such as "+10 %" or "±5 %", or the limit of an SLO, such
// as "< 500 ms".
func Margin(g swap.GateResult) string {
	if g.Gate.HasLimit() {
		return limit(g)
	}
	var limit string
	switch {
	case g.Gate.Unit != swap.Absolute:
		limit = Quantity(swap.Of(g.Gate.Margin), "fraction")
	case g.Unit == "fraction":
		limit = Quantity(swap.Of(g.Gate.Margin*100), "pp")
	default:
		limit = Quantity(swap.Of(g.Gate.Margin), g.Unit)
	}
	switch g.Gate.Better {
	case swap.HigherIsBetter:
		return minus + limit
	case swap.Either:
		return "±" + limit
	}
	return "+" + limit
}

// Tolerance is what a gate holds the candidate to, such as "margin +10 %" or "limit < 500 ms".
func Tolerance(g swap.GateResult) string {
	if g.Gate.HasLimit() {
		return "limit " + Margin(g)
	}
	return "margin " + Margin(g)
}

func limit(g swap.GateResult) string {
	sign := "< "
	if g.Gate.Better == swap.HigherIsBetter {
		sign = "> "
	}
	return sign + Quantity(swap.Of(g.Gate.Limit), g.Unit)
}

// Sentence explains the decision of one gate to a person.
func Sentence(g swap.GateResult) string {
	if m := Clean(g.Reason.Message); m != "" {
		return m
	}
	subject := Gate(g.Gate)
	if g.Gate.HasLimit() {
		return fmt.Sprintf("%s is %s, to be %s.", subject, Quantity(g.Candidate, g.Unit), Margin(g))
	}
	switch g.Decision {
	case swap.Pass:
		return fmt.Sprintf("%s changed by %s (%s), inside the margin of %s.", subject, Change(g), Bounds(g), Margin(g))
	case swap.Fail:
		return fmt.Sprintf("%s changed by %s (%s), beyond the margin of %s.", subject, Change(g), Bounds(g), Margin(g))
	}
	return fmt.Sprintf("%s is not decided: the change lies in %s, the margin is %s.", subject, Bounds(g), Margin(g))
}

// Evidence says what a gate rests on: samples of each arm and blocks per arm.
func Evidence(g swap.GateResult) string {
	n := Count(g.N.Baseline)
	if g.N.Baseline != g.N.Candidate {
		n += " / " + Count(g.N.Candidate)
	}
	return fmt.Sprintf("n = %s per arm in %s blocks", n, Count(g.Blocks))
}

// Level is the confidence of a gate's bounds, such as "95 %".
func Level(g swap.GateResult) string {
	if g.Level <= 0 || g.Level >= 1 || math.IsNaN(g.Level) {
		return NA
	}
	return number(g.Level*100) + " %"
}

func inMarginTerms(g swap.GateResult, v swap.Value) string {
	if g.Gate.Unit == swap.Absolute {
		return Difference(v, g.Unit)
	}
	return Ratio(v)
}
