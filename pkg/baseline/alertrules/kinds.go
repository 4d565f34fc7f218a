package alertrules

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	page   = "page"
	ticket = "ticket"
	// smallestBudget is the share of failed requests that a service may have that had none while it was measured.
	smallestBudget = .001
	// latencyWindow is long enough for a P99 at a few requests per second.
	latencyWindow, latencyFor       = "10m", "10m"
	throughputWindow, throughputFor = "5m", "15m"
)

// latency alerts on P95 and P99 above the upper bound of the baseline.
func (w *writer) latency() {
	for _, m := range []struct {
		metric swap.Metric
		name   string
		words  string
	}{{swap.MetricTTFT, "FirstToken", "time to the first token"}, {swap.MetricE2E, "Request", "time of a whole request"}} {
		h, has := w.names.latency[m.metric]
		numbers, measured := w.level.Metric(m.metric)
		if !has || !measured {
			continue
		}
		for _, q := range []struct {
			p        string
			bound    swap.Value
			severity string
		}{{"95", numbers.P95High, ticket}, {"99", numbers.P99High, page}} {
			bound, known := q.bound.Get()
			if !known {
				continue
			}
			limit := h.bucketEnd(bound / 1e3)
			expr := fmt.Sprintf("histogram_quantile(0.%s, sum by (le) (rate(%s[%s]))) > %s",
				q.p, series(h.series+"_bucket", w.model), latencyWindow, number(limit))
			w.add(rule{Alert: "SwapgateSlow" + m.name + "P" + q.p, Expr: expr, For: latencyFor}, q.severity,
				fmt.Sprintf("P%s of the %s of %s is above its baseline", q.p, m.words, w.entry.Target),
				fmt.Sprintf("It is {{ $value | humanizeDuration }}. The baseline's upper bound is %s s at %s%s.",
					number(bound/1e3), w.level.Label, raised(limit, bound/1e3)))
		}
	}
}

func raised(limit, bound float64) string {
	if limit == bound {
		return ""
	}
	return fmt.Sprintf(", raised to the end of its histogram's bucket, %s s", number(limit))
}

// windows of the burn rate of an error budget of 30 days, as Sloth has them.
var windows = []struct {
	factor      float64
	long, short string
	severity    string
	left        string
}{
	{14.4, "1h", "5m", page, "2 days"},
	{6, "6h", "30m", page, "5 days"},
	{3, "1d", "2h", ticket, "10 days"},
	{1, "3d", "6h", ticket, "30 days"},
}

// budgetOf is the share of requests that may fail: what the baseline may have had, and no less than smallestBudget.
func budgetOf(l registry.Level) float64 {
	if l.Requests == 0 {
		return smallestBudget
	}
	_, high := stats.Proportion{Successes: float64(l.Failed), Trials: float64(l.Requests)}.Wilson(stats.NormalQuantile(.95))
	if l.Failed == 0 {
		high = 0 // the bound says how little was measured, not how much may fail
	}
	return max(smallestBudget, high)
}

// errors alerts when failures use up the budget too fast, over a long window and still over a short one.
func (w *writer) errors() {
	if w.names.failed.series == "" {
		return
	}
	for _, b := range windows {
		limit := b.factor * w.budget
		if limit >= 1 {
			continue
		}
		expr := fmt.Sprintf("%s > %s and %s > %s", w.failedShare(b.long), number(limit), w.failedShare(b.short), number(limit))
		w.add(rule{Alert: "SwapgateErrorBudgetBurn" + b.long, Expr: expr}, b.severity,
			fmt.Sprintf("Requests of %s fail %g times as often as their budget allows", w.entry.Target, b.factor),
			fmt.Sprintf("{{ $value | humanizePercentage }} of requests fail; %.3g %% may. At this rate the budget of 30 days lasts %s. "+
				"The baseline had %d failures in %d requests.", 100*w.budget, b.left, w.level.Failed, w.level.Requests))
	}
}

// failedShare is the share of failed requests over a window. A counter that never counted does not exist, and stands for 0.
func (w *writer) failedShare(window string) string {
	rate := func(c counter) string {
		matchers := join(w.model, c.own)
		if c.own != "" {
			matchers = join(w.server, c.own)
		}
		return fmt.Sprintf("sum(rate(%s[%s]))", series(c.series, matchers), window)
	}
	failed, all := "("+rate(w.names.failed)+" or vector(0))", rate(w.names.all)
	if w.names.apart {
		all = "(" + all + " + " + failed + ")"
	}
	return "(" + failed + " / " + all + ")"
}

// throughput alerts when tokens come more slowly than the server can while requests wait: with nobody waiting, a low rate
// says only that little is asked.
func (w *writer) throughput() {
	low, known := w.level.ThroughputLow.Get()
	if !known || w.names.tokens == "" || w.names.waiting == "" {
		return
	}
	expr := fmt.Sprintf("sum(rate(%s[%s])) < %s and sum(avg_over_time(%s[%s])) > 1",
		series(w.names.tokens, w.model), throughputWindow, number(low), series(w.names.waiting, w.model), throughputWindow)
	w.add(rule{Alert: "SwapgateLowThroughput", Expr: expr, For: throughputFor}, ticket,
		fmt.Sprintf("%s generates fewer tokens than its baseline while requests wait", w.entry.Target),
		fmt.Sprintf("It generates {{ $value | humanize }} tokens/s. The baseline's lower bound is %s tokens/s at %s, on one server.",
			number(low), w.level.Label))
}
