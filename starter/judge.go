package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/judge/classic"
	"github.com/swapgate/swapgate/pkg/recorded"
	"github.com/swapgate/swapgate/pkg/recorded/own"
	"github.com/swapgate/swapgate/pkg/recorded/source"
	"github.com/swapgate/swapgate/pkg/swap"
)

type judgeFlags struct {
	file   string
	gates  []string
	format string
	noise  string
	arms   swap.PerArm[string]
	// armNamed tells an arm that was asked for from the default.
	armNamed swap.PerArm[bool]
	output   verdictOutput
}

func newJudgeCommand(a *app) *cobra.Command {
	var f judgeFlags
	cmd := &cobra.Command{
		Use:   "judge BASELINE [CANDIDATE]",
		Short: "Judge runs that were recorded earlier, by swapgate or by another tool, and exit by the verdict",
		Long: `Judge runs that were recorded earlier, and exit by the verdict as validate does: 0 pass, 1 fail, 2 inconclusive. Each run is a
file or folder of vllm bench, AIPerf, GuideLLM, inference-perf or LLMPerf, or raw data of swapgate: a folder of the run store, tables,
or s3://bucket/runs/TARGET/RUN (with -f for the store). One run of swapgate alone is judged anew by its own two arms.

Runs that were recorded apart are weaker evidence than interleaved blocks, so their bounds are widened by --baseline-noise. Summaries
alone are weaker still, and widened further. Temporal is not needed.`,
		Example: "  swapgate judge before.json after.json --gate ttft:p95:10% --gate error_rate",
		Args:    oneOrTwo,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arm := range swap.Arms {
				*f.armNamed.Ptr(arm) = cmd.Flags().Changed(string(arm) + "-arm")
			}
			return a.judge(cmd.Context(), args, &f)
		},
	}
	cmd.Flags().StringVarP(&f.file, "file", "f", "", "a specification, swap.yaml, for its gates, judge settings and store")
	cmd.Flags().StringArrayVar(&f.gates, "gate", nil, "a gate as METRIC[:STAT][:MARGIN], such as ttft:p99:10%; may be repeated")
	cmd.Flags().StringVar(&f.format, "format", source.Auto, "what wrote the runs: "+strings.Join(source.Formats(), ", "))
	cmd.Flags().StringVar(&f.noise, "baseline-noise", strconv.FormatFloat(100*recorded.DefaultNoise, 'g', -1, 64)+"%",
		"standard deviation of the difference between two runs of one service")
	cmd.Flags().StringVar(&f.arms.Baseline, "baseline-arm", string(swap.Baseline), "which arm of BASELINE, where swapgate recorded it")
	cmd.Flags().StringVar(&f.arms.Candidate, "candidate-arm", string(swap.Candidate), "which arm of CANDIDATE, where swapgate recorded it")
	f.output.flags(cmd)
	return cmd
}

func oneOrTwo(cmd *cobra.Command, args []string) error {
	if len(args) == 1 || len(args) == 2 {
		return nil
	}
	return &usageError{err: fmt.Errorf("%s takes BASELINE and CANDIDATE, or one run of swapgate, but got %q", cmd.CommandPath(), args)}
}

func (a *app) judge(ctx context.Context, args []string, f *judgeFlags) error {
	if err := errors.Join(f.output.check(), f.check()); err != nil {
		return err
	}
	spec, err := a.judgeSpec(f)
	if err != nil {
		return err
	}
	noise, err := parseShare("--baseline-noise", f.noise)
	if err != nil {
		return err
	}
	in := judgeInput{a: a, f: f, spec: spec}
	var v swap.Verdict
	if len(args) == 1 {
		v, err = in.one(ctx, args[0])
	} else {
		v, err = in.two(ctx, args, noise)
	}
	if err != nil {
		return unusableRun(err)
	}
	v.Provenance.Version = thisBuild().Version
	if f.output.format == formatText {
		for _, note := range v.Findings {
			a.say("note: %s: %s", note.Subject, note.Message)
		}
	}
	return f.output.deliver(a.out, v)
}

func (f *judgeFlags) check() error {
	if !slices.Contains(source.Formats(), f.format) {
		return &usageError{err: fmt.Errorf("unknown format %q: use one of %s", f.format, strings.Join(source.Formats(), ", "))}
	}
	for _, arm := range swap.Arms {
		if !slices.Contains(swap.Arms[:], swap.Arm(f.arms.Get(arm))) {
			return &usageError{err: fmt.Errorf("--%s-arm %q: use baseline or candidate", arm, f.arms.Get(arm))}
		}
	}
	return nil
}

// one judges the two arms of a recording of ours, with its own pairs of blocks.
func (in judgeInput) one(ctx context.Context, arg string) (swap.Verdict, error) {
	arms := in.f.arms
	if arms.Baseline == arms.Candidate {
		return swap.Verdict{}, &usageError{err: fmt.Errorf("--baseline-arm and --candidate-arm both name the arm %s of %s: "+
			"one run is judged by its two arms", arms.Baseline, arg)}
	}
	r, ours, err := in.recording(ctx, arg)
	if err != nil {
		return swap.Verdict{}, err
	}
	if !ours {
		return swap.Verdict{}, &usageError{err: fmt.Errorf("%s is a run of one service: name the run of the other too", arg)}
	}
	if arms := r.Arms(); len(arms) < 2 {
		return swap.Verdict{}, &usageError{err: fmt.Errorf("%s holds only the arm %q: name the run of the other too", arg, arms[0])}
	}
	if arms.Baseline == string(swap.Candidate) {
		r.Swap()
	}
	c := judge.Decide(r.Evidence(in.spec.gates, in.spec.settings))
	r.Explain(&c, in.spec.reaction, in.spec.settings)
	c.Opinions = classic.Opinions(in.spec.settings.Opinions, r.Blocks, c.Capacity)
	v := recorded.Verdict(c, in.spec.settings)
	v.Target, v.Steps = arg, r.Steps()
	v.Summary = recorded.Summary(fmt.Sprintf("%s against %s of %s", arms.Candidate, arms.Baseline, arg), c)
	return v, nil
}

// two judges two runs.
func (in judgeInput) two(ctx context.Context, args []string, noise float64) (swap.Verdict, error) {
	var runs swap.PerArm[recorded.Run]
	var wrong []error
	for i, arm := range swap.Arms {
		run, err := in.run(ctx, args[i], arm)
		if err != nil {
			wrong = append(wrong, err)
		}
		*runs.Ptr(arm) = run
	}
	if len(wrong) > 0 {
		return swap.Verdict{}, errors.Join(wrong...)
	}
	if own.SameRecording(runs.Baseline, runs.Candidate) && in.f.arms.Baseline != in.f.arms.Candidate {
		return in.one(ctx, args[0])
	}
	return recorded.Judge(runs, recorded.Options{
		Gates: in.spec.gates, Settings: in.spec.settings, OnlyMeasured: in.spec.defaults, Noise: noise,
	})
}

// unusableRun says of an error in what was given what to do about it.
func unusableRun(err error) error {
	var usage *usageError
	var invalid *recorded.Error
	switch {
	case errors.As(err, &usage):
		return err
	case errors.As(err, &invalid):
		return &exitError{code: exitUsage, message: err.Error(), next: invalid.Next()}
	case errors.Is(err, fs.ErrNotExist):
		return unusableFile(err.Error(), "check the path; a run in the store is named s3://bucket/runs/TARGET/RUN")
	case errors.Is(err, recorded.ErrTools):
		return unusableFile(err.Error(), "record both runs with one tool")
	}
	return unusableFile(err.Error(), "see docs/judge-recorded.md for what can be judged")
}
