package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// words are how a metric is spoken of.
type words struct {
	short, long, unit string
}

var spoken = map[swap.Metric]words{
	swap.MetricTTFT:          {"TTFT", "time to first token", "ms"},
	swap.MetricTTFTScheduled: {"TTFT from plan", "time to first token from the planned send", "ms"},
	swap.MetricTPOT:          {"TPOT", "time per output token", "ms"},
	swap.MetricE2E:           {"E2E", "end-to-end latency", "ms"},
	swap.MetricOutputTokens:  {"Answer length", "answer length", "tokens"},
	swap.MetricThroughput:    {"Throughput", "throughput", "tok/s"},
	swap.MetricErrorRate:     {"Error rate", "error rate", "fraction"},
	swap.MetricQuality:       {"Quality", "quality of the answers", "fraction"},
}

func unitOf(metric swap.Metric) string { return spoken[metric].unit }

// shortName is such as "TTFT P99", longName such as "time to first token P99".
func shortName(g swap.Gate) string { return withStat(spoken[g.Metric].short, g.Stat) }
func longName(g swap.Gate) string  { return withStat(spoken[g.Metric].long, g.Stat) }

func withStat(name string, stat swap.Stat) string {
	switch stat {
	case swap.StatRate, "":
		return name
	case swap.StatMean:
		return name + " mean"
	}
	return name + " " + strings.ToUpper(string(stat))
}

// signed writes a number with its sign, the minus being the typographic one.
func signed(v float64, decimals int) string {
	return strings.Replace(grouped(fmt.Sprintf("%+.*f", decimals, v)), "-", "−", 1)
}

// grouped puts a comma between thousands where a written number has five digits or more before its point.
func grouped(number string) string {
	start := strings.IndexFunc(number, func(r rune) bool { return r >= '0' && r <= '9' })
	end := strings.IndexByte(number, '.')
	if end < 0 {
		end = len(number)
	}
	const leastDigits, group = 5, 3
	if start < 0 || end-start < leastDigits {
		return number
	}
	for at := end - group; at > start; at -= group {
		number = number[:at] + "," + number[at:]
	}
	return number
}

const percentagePoints = "percentage points"

// scale is the factor, decimals and unit in which a gate's changes are written.
func scale(g swap.Gate) (factor float64, decimals int, unit string) {
	switch {
	case g.Unit != swap.Absolute:
		return 100, 1, "%"
	case g.Metric.IsShare():
		return 100, 2, percentagePoints
	}
	return 1, 1, unitOf(g.Metric)
}

// changeText is such as "+4.1 %"; a change without a number is a failure on one arm.
func changeText(g swap.Gate, v swap.Value) string {
	number, ok := v.Get()
	if !ok {
		return "n/a"
	}
	factor, decimals, unit := scale(g)
	return signed(number*factor, decimals) + " " + unit
}

// percentChange is a relative change such as "+38 %".
func percentChange(v swap.Value) string {
	number, ok := v.Get()
	if !ok {
		return "an unknown amount"
	}
	return signed(number*100, 0) + " %"
}

// boundsText is such as "one-sided 95 % bounds −1.0 … +9.0 %".
func boundsText(r swap.GateResult) string {
	factor, decimals, unit := scale(r.Gate)
	bound := func(v swap.Value) string {
		number, ok := v.Get()
		if !ok {
			return "unbounded"
		}
		return signed(number*factor, decimals)
	}
	return fmt.Sprintf("one-sided %s %% bounds %s … %s %s", percent(r.Level), bound(r.Low), bound(r.High), unit)
}

// basisText says what a decision rests on, such as "24 blocks, block bootstrap".
func basisText(m measured, r swap.GateResult) string {
	if r.Method == swap.MethodSummary {
		return fmt.Sprintf("summaries of %d and %d requests, no blocks", m.n.Baseline, m.n.Candidate)
	}
	text := fmt.Sprintf("%d blocks", m.pairs)
	switch r.Method {
	case swap.MethodBootstrap:
		text += ", block bootstrap"
	case swap.MethodPercentiles:
		text += ", percentiles of a block bootstrap"
	case swap.MethodScore:
		text += ", score interval"
	case swap.MethodShares:
		text += ", shares below a value"
	case swap.MethodExact:
		text += ", no spread"
		if m.gate.Metric == swap.MetricThroughput && m.theta == 0 {
			text += ": both arms kept up with the same rate, which says nothing of how much more either could do"
		}
	}
	return text
}

func marginText(g swap.Gate) string {
	factor, _, unit := scale(g)
	prefix := ""
	if g.Better == swap.Either {
		prefix = "±"
	}
	if unit == percentagePoints && g.Margin*factor == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("margin %s%s %s", prefix, short(g.Margin*factor), unit)
}

// percent writes a fraction as a percentage without needless digits.
func percent(fraction float64) string { return short(fraction * 100) }

// short writes four digits, and large numbers whole.
func short(v float64) string {
	const large = 10_000
	if math.Abs(v) < large {
		return fmt.Sprintf("%.4g", v)
	}
	return grouped(fmt.Sprintf("%.0f", v))
}

// valueText is the gate's statistic on an arm, such as "120 ms", or "a failed request" for a latency that is none.
func valueText(m measured, arm swap.Arm) string { return quantityText(m.gate, m.values.Get(arm)) }

// quantityText is a value of the gate's metric.
func quantityText(g swap.Gate, v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "a failed request"
	case g.Metric.IsShare():
		return fmt.Sprintf("%.2f %%", v*100)
	}
	const longMS = 10_000
	if unit := unitOf(g.Metric); unit != "ms" || v < longMS {
		return short(v) + " " + unit
	}
	return short(v/1e3) + " s"
}

// counted is such as "1 pair" and "2 pairs".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// dominant lists the most frequent failures, such as "http_5xx (120) and timeout_first_token (12)".
func dominant(outcomes swap.OutcomeCounts) string {
	var bad []swap.Outcome
	for outcome, n := range outcomes {
		if !outcome.Good() && outcome != swap.Abandoned && n > 0 {
			bad = append(bad, outcome)
		}
	}
	slices.SortFunc(bad, func(a, b swap.Outcome) int {
		return cmp.Or(cmp.Compare(outcomes[b], outcomes[a]), cmp.Compare(a, b))
	})
	var named []string
	for _, outcome := range bad[:min(2, len(bad))] {
		named = append(named, fmt.Sprintf("%s (%d)", outcome, outcomes[outcome]))
	}
	return strings.Join(named, " and ")
}
