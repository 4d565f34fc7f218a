package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func (r metricsReport) table() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "profile %s, percentiles %s, of good requests in the measured time\n", r.Profile, r.PercentileMethod)
	for _, arm := range r.Arms {
		armTable(&out, arm)
	}
	fmt.Fprintln(&out)
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, d := range r.Definitions {
		fmt.Fprintf(w, "%s\t%s\n", d.Metric, d.Definition)
	}
	fmt.Fprintf(w, "requests/s\t%s\n", r.Throughput.Requests)
	fmt.Fprintf(w, "tokens/s\t%s\n", r.Throughput.Tokens)
	_ = w.Flush() // into a buffer
	return out.Bytes()
}

func armTable(out *bytes.Buffer, arm rawlog.ArmMetrics) {
	name := arm.Arm
	if name == "" {
		name = "unknown arm"
	}
	fmt.Fprintf(out, "\n%s: %d requests, %d of them in settle time: %s\n", name, arm.Requests, arm.Settle, outcomesInWords(arm.Outcomes))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "metric\tunit\trequests\tmean\tP50\tP90\tP95\tP99\t")
	for _, m := range arm.Metrics {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t\n", m.Metric, m.Unit, m.Requests, m.Mean, m.P50, m.P90, m.P95, m.P99)
	}
	_ = w.Flush() // into a buffer
	for _, m := range arm.Metrics {
		if m.Note != "" {
			fmt.Fprintf(out, "%s: %s\n", m.Metric, m.Note)
		}
	}
	throughputTable(out, arm.Throughput)
}

func throughputTable(out *bytes.Buffer, steps []rawlog.StepThroughput) {
	if len(steps) == 0 {
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nload\tblocks\trequests/s\ttokens/s\t")
	for _, s := range steps {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t\n", loadName(s.Step), s.Blocks, s.Requests, s.Tokens)
	}
	_ = w.Flush() // into a buffer
	for _, s := range steps {
		if s.Note != "" {
			fmt.Fprintf(out, "%s: %s\n", loadName(s.Step), s.Note)
		}
	}
}

// loadName names a load step; requests of rollout windows are of none.
func loadName(step int) string {
	if step == 0 {
		return "rollout"
	}
	return fmt.Sprintf("step %d", step)
}

// outcomesInWords lists the outcomes that happened, in their usual order.
func outcomesInWords(counts swap.OutcomeCounts) string {
	var words []string
	for _, o := range swap.Outcomes {
		if n := counts[o]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(words, ", ")
}
