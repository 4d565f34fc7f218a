package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/recorded/own"
	"github.com/swapgate/swapgate/pkg/recorded/source"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// judgeSpec is what runs are judged by.
type judgeSpec struct {
	gates    []swap.Gate
	settings swap.Judge
	// defaults says that nobody named the gates.
	defaults bool
	// reaction is what the specification asks to be said of the load; nil for nothing.
	reaction *swap.Reaction
	// store is that of the specification, if there is one.
	store *swap.Store
}

// judgeInput reads the runs that a command line names.
type judgeInput struct {
	a    *app
	f    *judgeFlags
	spec judgeSpec
}

// judgeSpec takes gates from --gate, else from the specification, else the defaults of a specification that names none.
func (a *app) judgeSpec(f *judgeFlags) (judgeSpec, error) {
	var out judgeSpec
	if f.file != "" {
		spec, err := a.loadSpec(f.file)
		if err != nil {
			return out, err
		}
		out = judgeSpec{gates: spec.Gates, settings: spec.Judge, store: &spec.Store, reaction: spec.Load.Reaction}
		if len(f.gates) == 0 {
			return out, nil
		}
	}
	spec, err := gatesOnly(f.gates)
	if err != nil {
		return out, err
	}
	out.gates, out.defaults = spec.Gates, len(f.gates) == 0
	if f.file == "" {
		out.settings = spec.Judge
	}
	return out, nil
}

// anyArms is a specification without gates; its servers are never asked, and its prompts, which a gate on quality needs, never read.
const anyArms = `target: recorded
workload: {prompt_file: none}
baseline: {url: "http://baseline.invalid", model: baseline}
candidate: {url: "http://candidate.invalid", model: candidate}
store: {endpoint: "store.invalid", bucket: none}
`

// gatesOnly fills in what gates leave out, as a specification does.
func gatesOnly(gates []string) (swap.Spec, error) {
	doc := anyArms
	if len(gates) > 0 {
		doc += "gates:\n"
	}
	for _, g := range gates {
		line, err := gateLine(g)
		if err != nil {
			return swap.Spec{}, &usageError{err: fmt.Errorf("--gate %q: %w", g, err)}
		}
		doc += line
	}
	spec, err := config.Parse("--gate", []byte(doc), nil)
	return spec, namingFlags(gates, err)
}

// namingFlags says of problems with gates which flag they are of: the document that they point into is nobody's.
func namingFlags(gates []string, err error) error {
	var invalid *config.Error
	if !errors.As(err, &invalid) {
		return err
	}
	var wrong []error
	for _, p := range invalid.Problems {
		i := 0
		if n, _ := fmt.Sscanf(p.Field, "gates[%d]", &i); n != 1 || i >= len(gates) {
			return err
		}
		_, field, _ := strings.Cut(p.Field, "].")
		wrong = append(wrong, fmt.Errorf("--gate %q: %s: %s", gates[i], field, p.Message))
	}
	return &usageError{err: errors.Join(wrong...)}
}

// gateLine is METRIC[:STAT][:MARGIN] as a line of a specification. A margin is a share such as 10%, or in the metric's unit.
func gateLine(text string) (string, error) {
	metric, rest, _ := strings.Cut(text, ":")
	line := "  - {metric: " + strconv.Quote(metric)
	for part := range strings.SplitSeq(rest, ":") {
		switch stat := swap.Stat(part); stat {
		case "":
			continue
		case swap.StatP50, swap.StatP90, swap.StatP95, swap.StatP99, swap.StatMean, swap.StatRate:
			line += ", stat: " + part
		default:
			margin, err := marginFields(swap.Metric(metric), part)
			if err != nil {
				return "", err
			}
			line += margin
		}
	}
	return line + "}\n", nil
}

// marginFields reads 10%, 25ms, 3tokens or a bare share. The margin of a share, such as an error rate, is in percentage points.
func marginFields(metric swap.Metric, text string) (string, error) {
	unit := swap.Relative
	number := text
	for _, suffix := range []string{"ms", "tokens", "tok/s"} {
		n, ok := strings.CutSuffix(text, suffix)
		if !ok {
			continue
		}
		if own := unitOfMetric(metric); own != suffix {
			return "", fmt.Errorf("%q has the unit %s, but a margin of %s is in %s", text, suffix, metric, own)
		}
		number, unit = n, swap.Absolute
	}
	if metric.IsShare() {
		unit = swap.Absolute
	}
	factor := 1.0
	if n, ok := strings.CutSuffix(number, "%"); ok {
		number, factor = n, .01
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return "", fmt.Errorf("%q is neither a statistic (p50, p90, p95, p99, mean, rate) nor a margin such as 10%% or 25ms", text)
	}
	return fmt.Sprintf(", margin: %s, unit: %s", strconv.FormatFloat(v*factor, 'f', -1, 64), unit), nil
}

// unitOfMetric is the unit of an absolute margin.
func unitOfMetric(metric swap.Metric) string {
	switch metric {
	case swap.MetricErrorRate, swap.MetricQuality:
		return "percentage points, such as 0.5%"
	case swap.MetricOutputTokens:
		return "tokens"
	case swap.MetricThroughput:
		return "tok/s"
	}
	return "ms"
}

// parseShare reads 3% or 0.03.
func parseShare(flag, text string) (float64, error) {
	number, factor := text, 1.0
	if n, ok := strings.CutSuffix(text, "%"); ok {
		number, factor = n, .01
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if v *= factor; err != nil || !(v >= 0 && v < 1) {
		return 0, &usageError{err: fmt.Errorf("%s %q: want a share from 0 to below 1, such as 3%% or 0.03", flag, text)}
	}
	return v, nil
}

// recording reads a recording of swapgate; ours is false for what another tool wrote.
func (in judgeInput) recording(ctx context.Context, arg string) (r own.Recording, ours bool, err error) {
	if in.f.format != source.Auto && in.f.format != own.Tool {
		return r, false, nil
	}
	if !strings.HasPrefix(arg, "s3://") {
		if in.f.format == source.Auto && !own.Looks(arg) {
			return r, false, nil
		}
		r, err = own.ReadPath(arg)
		return r, true, err
	}
	if in.spec.store == nil {
		return r, true, &usageError{err: errors.New("which store " + arg + " is in has to be told: give the specification with -f swap.yaml")}
	}
	store, err := runstore.Open(*in.spec.store)
	if err != nil {
		return r, true, err
	}
	defer store.Close()
	r, err = own.ReadStore(ctx, store, arg)
	return r, true, err
}

// run reads a run of either sort, as one side of the comparison; of a recording of swapgate it takes the arm that the flags name.
func (in judgeInput) run(ctx context.Context, arg string, side swap.Arm) (recorded.Run, error) {
	arm := swap.Arm(in.f.arms.Get(side))
	r, ours, err := in.recording(ctx, arg)
	switch {
	case err != nil:
		return recorded.Run{}, err
	case !ours && in.f.armNamed.Get(side):
		return recorded.Run{}, &usageError{err: fmt.Errorf("--%s-arm %s: %s is a run of another tool, which has no arms", side, arm, arg)}
	case !ours:
		return source.Read(arg, in.f.format)
	}
	run := r.Run(arm)
	run.Name = arg + " (" + string(arm) + ")"
	if len(run.Stages) == 0 {
		return run, &usageError{err: fmt.Errorf("%s has no blocks of the arm %s", arg, arm)}
	}
	return run, nil
}
