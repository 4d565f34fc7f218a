package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
)

const formatTable = "table"

// metricsReport is what the metrics command prints.
type metricsReport struct {
	Profile          string              `json:"profile"`
	PercentileMethod string              `json:"percentile_method"`
	Throughput       throughputRule      `json:"throughput_definition"`
	Definitions      []metricDefinition  `json:"definitions"`
	Files            []string            `json:"files"`
	Arms             []rawlog.ArmMetrics `json:"arms"`
}

// throughputRule says what requests and output tokens per second are.
type throughputRule struct {
	Requests string `json:"requests_per_s"`
	Tokens   string `json:"output_tokens_per_s"`
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
and P99 of the good requests in the measured time, and requests and tokens per second in each load step. Tools mean different
things by the same names; --profile chooses whose definitions are used, and they are printed with the numbers. Temporal and the
run store are not needed.`,
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
		Profile: p.Name, PercentileMethod: p.PercentileMethod, Files: files,
		Throughput: throughputRule{p.Throughput.Requests, p.Throughput.Tokens},
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
