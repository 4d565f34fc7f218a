package drift

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

func unitOf(m swap.Metric) string {
	switch m {
	case swap.MetricThroughput:
		return "tok/s"
	case swap.MetricErrorRate, swap.MetricQuality:
		return "fraction"
	case swap.MetricOutputTokens:
		return "tokens"
	case swap.MetricTTFT, swap.MetricTTFTScheduled, swap.MetricTPOT, swap.MetricE2E:
	}
	return "ms"
}

// says is the number that decided, its bounds and the limit, in a sentence.
func says(m swap.DriftMetric, l Limits, rule swap.DriftRule) string {
	amount := func(v float64) string { return amountOf(m.Gate, v) }
	change, low, high := m.Change.Or(math.NaN()), m.Low.Or(math.NaN()), m.High.Or(math.NaN())
	text := fmt.Sprintf("%s is %s (%s to %s by one-sided %.0f %% bounds; %s): ", m.Name, worseBy(m.Gate, change),
		amount(low), amount(high), 100*m.Level, levelsOf(m))
	if rule == swap.DriftClassic3_8 {
		return text + fmt.Sprintf("%s by the estimate alone", m.Response)
	}
	switch m.Response {
	case swap.DriftBlock:
		return text + "the lower bound is above the block limit of " + amount(l.Block)
	case swap.DriftFail:
		return text + "the lower bound is above the fail limit of " + amount(l.Fail)
	case swap.DriftNotify:
		if low > l.Notify {
			return text + "the lower bound is above the notify limit of " + amount(l.Notify)
		}
		return text + fmt.Sprintf("the estimate is above the notify limit of %s, and it may be more than the block limit of %s",
			amount(l.Notify), amount(l.Block))
	case swap.DriftSilent:
		return text + "the upper bound is below the notify limit of " + amount(l.Notify)
	case swap.DriftInconclusive:
	}
	return text + "not decided against the notify limit of " + amount(l.Notify) + needs(m)
}

// levelsOf are the levels then and now, shares in percent.
func levelsOf(m swap.DriftMetric) string {
	if m.Gate.Metric == swap.MetricErrorRate {
		return fmt.Sprintf("%.3g %% → %.3g %%", 100*m.Baseline.Or(math.NaN()), 100*m.Now.Or(math.NaN()))
	}
	return fmt.Sprintf("%s → %s %s", m.Baseline, m.Now, m.Unit)
}

func needs(m swap.DriftMetric) string {
	if m.NeedBlocks > m.Blocks {
		return fmt.Sprintf("; about %d blocks would decide in place of %d", m.NeedBlocks, m.Blocks)
	}
	return "; more blocks alone would not decide: the baseline's own bounds and the spread between runs are too wide"
}

func worseBy(g swap.Gate, change float64) string {
	size := unsigned(amountOf(g, math.Abs(change)))
	switch {
	case size == unsigned(amountOf(g, 0)):
		return "as it was"
	case change < 0:
		return size + " better"
	}
	return size + " worse"
}

func unsigned(amount string) string { return strings.TrimPrefix(amount, "+") }

// amountOf is a worsening with its sign, in percent where relative.
func amountOf(g swap.Gate, v float64) string {
	switch {
	case g.Unit != swap.Absolute:
		return percent(v)
	case g.Metric == swap.MetricErrorRate:
		return signed("%+.2f", 100*v) + " percentage points"
	}
	return signed("%+.3g", v) + " " + unitOf(g.Metric)
}

func percent(v float64) string { return signed("%+.1f", 100*v) + " %" }

// signed has a real minus sign, which what is shown as zero has not.
func signed(format string, v float64) string {
	text := fmt.Sprintf(format, v)
	if strings.Trim(text, "+-0.") == "" {
		return "+" + text[1:]
	}
	return strings.Replace(text, "-", "−", 1)
}

// sayChange is a change of level in the history in a sentence.
func sayChange(c swap.DriftChange) string {
	return fmt.Sprintf("%s changed by %s with the run of %s (%s → %s over %d runs, p %s)", c.Name, percent(c.Relative.Or(0)),
		c.At.UTC().Format(time.DateTime), c.Before, c.After, c.Runs, c.P)
}
