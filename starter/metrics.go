package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

const formatTable = "table"

// metricsReport is what the metrics command prints.
type metricsReport struct {
	Profile          string              `json:"profile"`
	PercentileMethod string              `json:"percentile_method"`
	Throughput       string              `json:"throughput_definition"`
	Definitions      []metricDefinition  `json:"definitions"`
	Files            []string            `json:"files"`
	Arms             []rawlog.ArmMetrics `json:"arms"`
}

type metricDefinition struct {
	Metric     string `json:"metric"`
	Unit       string `json:"unit"`
	Definition string `json:"definition"`
}

func newMetricsCommand(a *app) *cobra.Command {
	var profile, format string
	cmd := &cobra.Command{
		Use:   "metrics FILE…",
		Short: "Compute the metrics of raw requests, by the definitions of swapgate or of another tool",
		Long: `Compute the metrics of requests.parquet files on this machine, for each arm: requests by outcome, and mean, P50, P90, P95
and P99 of the good requests in the measured time. Tools mean different things by the same names; --profile chooses whose
definitions are used, and they are printed with the numbers. Temporal and the run store are not needed.`,
		Example: "  swapgate metrics --profile vllm block-*/*/requests.parquet",
		Args:    atLeastOne("FILE"),
		RunE:    func(_ *cobra.Command, files []string) error { return a.metrics(files, profile, format) },
	}
	cmd.Flags().StringVar(&profile, "profile", "canonical", "whose definitions: "+strings.Join(profileNames(), ", "))
	cmd.Flags().StringVarP(&format, "output", "o", formatTable, "format on standard output: json, table")
	return cmd
}

func profileNames() []string {
	var names []string
	for _, p := range rawlog.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// atLeastOne is like exactly, for an argument that may be repeated.
func atLeastOne(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return &usageError{err: fmt.Errorf("%s takes at least one %s, but got none", cmd.CommandPath(), name)}
	}
}

func (a *app) metrics(files []string, profile, format string) error {
	p, ok := rawlog.ProfileNamed(profile)
	if !ok {
		return &usageError{err: fmt.Errorf("unknown profile %q: use one of %s", profile, strings.Join(profileNames(), ", "))}
	}
	if format != formatTable && format != formatJSON {
		return &usageError{err: fmt.Errorf("unknown format %q: use json or table", format)}
	}
	report := metricsReport{
		Profile: p.Name, PercentileMethod: p.PercentileMethod, Throughput: p.Throughput, Files: files,
	}
	for _, m := range p.Metrics {
		report.Definitions = append(report.Definitions, metricDefinition{Metric: m.Name, Unit: m.Unit, Definition: m.Definition})
	}
	var err error
	if report.Arms, err = summariseFiles(files, p); err != nil {
		return err
	}
	if format == formatJSON {
		return a.print(formatJSON, report, "")
	}
	_, err = a.out.Write(report.table())
	return err
}

// summariseFiles reads the files one after another. A request that is there twice would count twice, so it is an error.
func summariseFiles(files []string, p rawlog.Profile) ([]rawlog.ArmMetrics, error) {
	summary, seen := rawlog.NewProfileSummary(p), placesSeen{}
	for _, file := range files {
		blocks := map[place]bool{}
		err := runstore.EachFileRecord(file, func(rows []rawlog.Record) error {
			for i := range rows {
				summary.Add(&rows[i])
				blocks[placeOf(&rows[i])] = true
			}
			return nil
		})
		if err == nil {
			err = seen.add(file, blocks)
		}
		if err != nil {
			return nil, &exitError{code: exitUsage, message: err.Error(), next: []string{
				"give tables of requests that this version wrote; the manifest of a load step names those that count",
			}}
		}
	}
	return summary.Arms(), nil
}

// place is the block of a request, and the worker that sent it. Rollout windows have no block.
type place struct{ step, block, shard int32 }

func placeOf(r *rawlog.Record) place { return place{r.Step, r.Block, r.Shard} }

// placesSeen remembers which file requests of a block were in.
type placesSeen map[place]string

func (s placesSeen) add(file string, blocks map[place]bool) error {
	for at := range blocks {
		if first, ok := s[at]; ok && at.block > 0 {
			return fmt.Errorf("block %d of step %d is in %s and in %s", at.block, at.step, first, file)
		}
		s[at] = file
	}
	return nil
}

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
	fmt.Fprintf(w, "throughput\t%s\n", r.Throughput)
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
