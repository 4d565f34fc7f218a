package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/baseline/sizeclass"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// targetScore is how the model of a target stands among those of its size.
type targetScore struct {
	Target string     `json:"target"`
	Load   string     `json:"load"`
	P99MS  swap.Value `json:"p99_ms"`
	sizeclass.Score
}

func newBaselineScoresCommand(a *app) *cobra.Command {
	var f baselineFlags
	metric := string(swap.MetricE2E)
	cmd := &cobra.Command{
		Use:   "scores TARGET… (-f swap.yaml | --store-bucket BUCKET)",
		Short: "Show how the models of several targets stand among those of their size",
		Long: `Show the P99 of what serves in several targets, at the heaviest load of each, as a score within the group of models of about
the same size, arithmetic and weight width: by mean and deviation where a group has 8 models or more, and by median and median
absolute deviation. It is a display; it decides nothing, and loads may differ.`,
		Example: "  swapgate baseline scores chat search code --store-bucket runs",
		Args:    atLeastOne("TARGET"),
		RunE: func(cmd *cobra.Command, targets []string) error {
			return a.withHistory("", &f, func(store *runstore.Store) error {
				scores, err := scoresOf(cmd.Context(), store, targets, swap.Metric(metric))
				if err != nil {
					return err
				}
				return a.print(f.format, scores, scoresTable(scores))
			})
		},
	}
	f.flags(cmd)
	textOrJSON(cmd, &f.format)
	cmd.Flags().StringVar(&metric, "metric", metric, "whose P99: e2e, ttft, ttft_scheduled or tpot")
	return cmd
}

func scoresOf(ctx context.Context, store registry.Store, targets []string, metric swap.Metric) ([]targetScore, error) {
	scores := make([]targetScore, len(targets))
	var models []sizeclass.Model
	var of []int
	for i, target := range targets {
		entry, err := registry.Latest(ctx, store, target, registry.Query{})
		if err != nil {
			return nil, err
		}
		scores[i] = targetScore{Target: target, Score: sizeclass.Score{Model: entry.Serving.Model, Refusal: "its size or its P99 is not known"}}
		if n := len(entry.Levels); n > 0 {
			m, _ := entry.Levels[n-1].Metric(metric)
			scores[i].Load, scores[i].P99MS = entry.Levels[n-1].Label, m.P99
		}
		size, known := sizeclass.OfServer(swap.ArmFacts{Model: entry.Serving.Model, Billions: entry.Serving.Billions}, nil)
		if p99, measured := scores[i].P99MS.Get(); known && measured {
			models, of = append(models, sizeclass.Model{Name: entry.Serving.Model, P99MS: p99, Size: size}), append(of, i)
		}
	}
	for k, s := range sizeclass.Scores(models) {
		scores[of[k]].Score = s
	}
	return scores, nil
}

func scoresTable(scores []targetScore) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "target\tmodel\tload\tP99 ms\tgroup\tz\trobust z\t")
	for _, s := range scores {
		group := "unknown"
		if s.Group.Class != "" {
			group = fmt.Sprintf("%s, %g GFLOPs a token", s.Group.Class, s.Group.GigaFLOPs)
		}
		if s.Group.Bits > 0 {
			group += fmt.Sprintf(", %d bits", s.Group.Bits)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Target, s.Model, s.Load, s.P99MS, group, s.Z, s.Robust, s.Refusal)
	}
	_ = w.Flush() // into a buffer
	return out.String()
}
