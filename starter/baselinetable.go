package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/swap"
)

// baselineSummary is a version without its numbers.
type baselineSummary struct {
	Version   int               `json:"version"`
	Standing  registry.Standing `json:"standing"`
	Reference int               `json:"reference"`
	Why       string            `json:"why"`
	Serving   registry.Serving  `json:"serving"`
	Since     []registry.Shift  `json:"since,omitempty"`
	Arm       swap.Arm          `json:"arm"`
	Promoted  bool              `json:"promoted"`
	RunID     string            `json:"run_id"`
	Ended     time.Time         `json:"ended"`
	Ref       swap.ObjectRef    `json:"ref"`
}

// acceptance is the version that is the reference, and whether the command made it so.
type acceptance struct {
	Changed bool `json:"changed"`
	baselineSummary
}

func acceptedText(e registry.Registered, changed bool) string {
	if !changed {
		return fmt.Sprintf("%s: version %d was the reference already, so nothing was changed; %s\n", e.Target, e.Version, e.Why)
	}
	return fmt.Sprintf("%s: version %d is the reference; %s\n", e.Target, e.Version, e.Why)
}

func summaryOf(e registry.Registered) baselineSummary {
	return baselineSummary{
		Version: e.Version, Standing: e.Standing, Reference: e.Counting().Version, Why: e.Why, Serving: e.Serving, Since: e.Since,
		Arm: e.Source.Arm, Promoted: e.Source.Promoted, RunID: e.Source.RunID, Ended: e.Source.Ended, Ref: e.Ref,
	}
}

func baselineTable(target string, list []baselineSummary) string {
	if len(list) == 0 {
		return target + " has no registered baseline: no run of it has passed\n"
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "version\treference\tended\tmodel\tengine\twhy")
	for _, s := range list {
		reference := "itself"
		if s.Reference != s.Version {
			reference = strconv.Itoa(s.Reference)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", s.Version, reference, s.Ended.UTC().Format(time.DateTime), s.Serving.Model,
			strings.TrimSpace(s.Serving.Engine+" "+s.Serving.EngineVersion), s.Why)
	}
	_ = w.Flush() // into a buffer
	return out.String()
}

// baselineText is one version for a person.
func baselineText(e registry.Registered) string {
	var out strings.Builder
	size := "size unknown"
	if b, ok := e.Serving.Billions.Get(); ok {
		size = fmt.Sprintf("%.3g billion parameters, class %s", b, e.Serving.Class)
	}
	fmt.Fprintf(&out, "%s version %d: %s on %s (%s)\n", e.Target, e.Version, e.Serving.Model,
		strings.TrimSpace(e.Serving.Engine+" "+e.Serving.EngineVersion), size)
	fmt.Fprintf(&out, "reference: version %d; %s\n", e.Counting().Version, e.Why)
	fmt.Fprintf(&out, "run %s, ended %s, %s arm\n", e.Source.RunID, e.Source.Ended.UTC().Format(time.DateTime), e.Source.Arm)
	for _, s := range e.Since {
		fmt.Fprintf(&out, "since the reference: %s\n", s)
	}
	for _, l := range e.Levels {
		fmt.Fprintf(&out, "\n%s: %d requests in %d blocks, %d failed, %s tokens/s (at least %s)\n",
			l.Label, l.Requests, len(l.Blocks), l.Failed, l.Throughput, l.ThroughputLow)
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "metric\tanswers\tmean\tP50\tP90\tP95\tP99\tP95 at most\tP99 at most\t")
		for _, m := range l.Metrics {
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", m.Metric, m.N, m.Mean, m.P50, m.P90, m.P95, m.P99, m.P95High, m.P99High)
		}
		_ = w.Flush() // into a buffer
	}
	return out.String()
}
