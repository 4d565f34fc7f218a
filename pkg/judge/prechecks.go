package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// lengthMixShare is the difference in median answer length from which the arms did different work.
const lengthMixShare = .05

// checks are what is said of the evidence itself: failures that need no gate, reasons that forbid a pass, and findings that
// do not. An unbelievable instrument forbids a fail too, and what is spoiled one by the gates that it spoils.
type checks struct {
	failures     []swap.Reason
	reasons      []swap.Reason
	findings     []swap.Finding
	spoiled      []spoiled
	unbelievable bool
}

func check(e Evidence, p pairs) checks {
	var c checks
	sent := sendsOf(e, p)
	c.instrument(e, sent)
	c.ends(e)
	c.complete(e, p)
	c.samePlan(p)
	c.sampleRatio(p)
	c.clock(e.Blocks)
	c.cache(p)
	c.connections(sent)
	c.baselineAnswers(e.Gates, p)
	c.telemetry(e)
	c.lengthMix(p)
	if e.Discarded > 0 {
		c.find(swap.Harmless, "load", fmt.Sprintf("%s at a block begun and not finished, which counts for nothing",
			counted(e.Discarded, "attempt")), "")
	}
	return c
}

func (c *checks) forbid(code, subject, message string) {
	c.reasons = append(c.reasons, swap.Reason{Code: code, Subject: subject, Message: message})
}

func (c *checks) find(severity swap.Severity, subject, message, next string) {
	c.findings = append(c.findings, swap.Finding{Severity: severity, Subject: subject, Message: message, Next: next})
}

// complete requires every planned block, and for every block planned = Σ outcomes = records, none of them abandoned.
func (c *checks) complete(e Evidence, p pairs) {
	var faults []string
	sealed := swap.PerArm[int]{}
	uncounted := 0
	for i := range e.Blocks {
		block := &e.Blocks[i]
		*sealed.Ptr(block.Arm)++
		if block.Planned != block.Outcomes.Total() || block.Planned != block.Recorded {
			uncounted++
		}
	}
	for _, arm := range swap.Arms {
		if sealed.Get(arm) != e.Planned.Get(arm) {
			faults = append(faults, fmt.Sprintf("%d of %d planned blocks of the %s are there", sealed.Get(arm), e.Planned.Get(arm), arm))
		}
	}
	if uncounted > 0 {
		faults = append(faults, fmt.Sprintf("in %s the planned, counted and recorded requests differ", counted(uncounted, "block")))
	}
	faults = append(faults, abandoned(e)...)
	if p.incomplete > 0 {
		faults = append(faults, fmt.Sprintf("%s left out for lack of a block", counted(p.incomplete, "pair")))
	}
	if len(faults) > 0 {
		c.forbid(swap.ReasonIncomplete, "load", "the measurement is incomplete: "+strings.Join(faults, "; "))
	}
}

func (c *checks) samePlan(p pairs) {
	if p.mismatched > 0 {
		c.forbid(swap.ReasonPlanMismatch, "load", fmt.Sprintf(
			"in %s, left out of every comparison, the two arms were not sent the same schedule", counted(p.mismatched, "pair")))
	}
}

// baselineAnswers requires a baseline to hold the candidate to, unless all gates are limits.
func (c *checks) baselineAnswers(gates []swap.Gate, p pairs) {
	if !slices.ContainsFunc(gates, func(g swap.Gate) bool { return !g.HasLimit() }) {
		return
	}
	counts, outcomes := failures(p, swap.Baseline)
	if n := int(stats.Sum(counts.den)); n > 0 && outcomes.Failed() == n {
		c.forbid(swap.ReasonNoData, string(swap.Baseline), fmt.Sprintf(
			"the baseline failed all of its %d requests, mostly with %s: there is nothing to hold the candidate to", n, dominant(outcomes)))
	}
}

func (c *checks) telemetry(e Evidence) {
	for _, source := range e.Telemetry {
		if !source.Required || source.Samples > 0 {
			continue
		}
		message := fmt.Sprintf("the required telemetry source %s gave no sample", source.Source)
		if source.LastError != "" {
			message += ": " + source.LastError
		}
		c.forbid(swap.ReasonTelemetryMissing, source.Source, message)
	}
}

func (c *checks) lengthMix(p pairs) {
	change := shift(p, swap.MetricOutputTokens, swap.StatP50)
	if lengthsDiffer(change) {
		c.find(swap.Notable, "candidate", fmt.Sprintf(
			"the median answer length changed by %s from baseline to candidate, so end-to-end latency and throughput compare "+
				"different amounts of work", percentChange(change)),
			"compare time per output token, or fix the length with ignore_eos")
	}
}

func lengthsDiffer(change swap.Value) bool { return math.Abs(change.Or(0)) > lengthMixShare }
