package compat

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// rule compares one fact.
type rule struct {
	name swap.CompatRule
	// show is the fact as a person reads it; empty where the server does not say.
	show func(swap.ArmFacts) string
	// judge is called where both arms show the fact.
	judge func(pair) opinion
}

// rules are all rules, in the order of swap.CompatRules.
func rules() []rule {
	same := func(name swap.CompatRule, show func(swap.ArmFacts) string, severity swap.Severity, reason string) rule {
		return rule{name: name, show: show, judge: differs(show, severity, reason)}
	}
	return []rule{
		same(swap.CompatEngine, engine, swap.Notable, "The comparison includes the engine, not only the model."),
		{swap.CompatVersion, version, judgeVersion},
		{swap.CompatContext, context, judgeContext},
		same(swap.CompatDType, func(f swap.ArmFacts) string { return f.Setup.DType }, swap.Notable,
			"Another number format changes speed and answers."),
		same(swap.CompatQuantization, func(f swap.ArmFacts) string { return f.Setup.Quantization }, swap.Notable,
			"Another quantisation changes speed and answers, so a faster candidate may be a worse one."),
		same(swap.CompatKVDType, func(f swap.ArmFacts) string { return f.Setup.KVCacheDType }, swap.Notable,
			"Another number format of the KV cache changes how many requests fit and can change answers."),
		same(swap.CompatPrefixCaching, func(f swap.ArmFacts) string { return f.Setup.PrefixCaching }, swap.Notable,
			"The arm that reuses prefixes skips work that the other does, which shows in its TTFT."),
		{swap.CompatTokenizer, tokenizer, judgeTokenizer},
		{swap.CompatTemplate, template, judgeTemplate},
		same(swap.CompatTensor, count(func(s swap.Setup) swap.Value { return s.TensorParallel }), swap.Notable, moreGPUs),
		same(swap.CompatPipeline, count(func(s swap.Setup) swap.Value { return s.PipelineParallel }), swap.Notable, moreGPUs),
		same(swap.CompatData, count(func(s swap.Setup) swap.Value { return s.DataParallel }), swap.Notable, moreGPUs),
		{swap.CompatMaxRequests, count(maxRequests), judgeMaxRequests},
		same(swap.CompatGPU, func(f swap.ArmFacts) string { return f.Setup.GPU }, swap.Notable,
			"The comparison includes the hardware, not only the model."),
		{swap.CompatCUDA, func(f swap.ArmFacts) string { return f.Setup.CUDA }, releases(func(s swap.Setup) string { return s.CUDA })},
		same(swap.CompatDriver, func(f swap.ArmFacts) string { return f.Setup.Driver }, swap.Harmless,
			"Drivers rarely change speed by themselves."),
		{swap.CompatTorch, func(f swap.ArmFacts) string { return f.Setup.Torch }, releases(func(s swap.Setup) string { return s.Torch })},
		{swap.CompatTriton, func(f swap.ArmFacts) string { return f.Setup.Triton }, releases(func(s swap.Setup) string { return s.Triton })},
		{swap.CompatKernels, kernels, judgeKernels},
	}
}

const moreGPUs = "The arms use another number of accelerators for one model, which changes latency and cost."

// differs gives one opinion of every difference in how a fact is shown.
func differs(show func(swap.ArmFacts) string, severity swap.Severity, reason string) func(pair) opinion {
	return func(p pair) opinion {
		if show(p.arms.Baseline) == show(p.arms.Candidate) {
			return opinion{}
		}
		return opinion{severity: severity, reason: reason}
	}
}

func engine(f swap.ArmFacts) string { return f.Engine }

func version(f swap.ArmFacts) string { return f.Version }

// judgeVersion compares versions of one engine; those of different engines say nothing beside that.
func judgeVersion(p pair) opinion {
	b, c := p.arms.Baseline, p.arms.Candidate
	switch {
	case b.Engine != c.Engine && b.Version != c.Version:
		return opinion{severity: swap.Harmless, reason: "Versions of different engines do not compare."}
	case b.Version != c.Version:
		return opinion{severity: swap.Notable, reason: "The comparison includes the version of the engine, not only the model."}
	}
	return opinion{}
}

// releases compares versions below the engine: another release is notable, another patch of one is harmless.
func releases(of func(swap.Setup) string) func(pair) opinion {
	return func(p pair) opinion {
		b, c := of(p.arms.Baseline.Setup), of(p.arms.Candidate.Setup)
		switch {
		case b == c:
			return opinion{}
		case release(b) == release(c):
			return opinion{severity: swap.Harmless, reason: "Only the patch level differs."}
		}
		return opinion{severity: swap.Notable, reason: "Another release brings other kernels, which can change speed."}
	}
}

// release is the first two numbers of a version.
func release(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func count(of func(swap.Setup) swap.Value) func(swap.ArmFacts) string {
	return func(f swap.ArmFacts) string {
		if n, ok := of(f.Setup).Get(); ok {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
		return ""
	}
}

func maxRequests(s swap.Setup) swap.Value { return s.MaxRequests }

// judgeMaxRequests says whether the plan reaches the limits at all.
func judgeMaxRequests(p pair) opinion {
	b, c := maxRequests(p.arms.Baseline.Setup).Or(0), maxRequests(p.arms.Candidate.Setup).Or(0)
	planned := float64(p.plan.Concurrency)
	switch {
	case b == c:
		return opinion{}
	case planned > 0 && planned <= min(b, c):
		return opinion{severity: swap.Harmless, reason: fmt.Sprintf("The plan keeps at most %.0f requests in flight, which both take.", planned)}
	}
	return opinion{severity: swap.Notable, reason: "Under load requests wait earlier in the arm with the lower limit."}
}

// warmKernels is the share of decode passes from prepared kernels above which a server counts as warm.
const warmKernels = 0.92

func kernels(f swap.ArmFacts) string {
	if v, ok := f.Setup.KernelHitRate.Get(); ok {
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return ""
}

// judgeKernels says whether an arm is cold; two warm arms are equal.
func judgeKernels(p pair) opinion {
	b, c := p.arms.Baseline.Setup.KernelHitRate.Or(0), p.arms.Candidate.Setup.KernelHitRate.Or(0)
	if b >= warmKernels && c >= warmKernels {
		return opinion{}
	}
	which := "Both arms run"
	switch {
	case b >= warmKernels:
		which = "The candidate runs"
	case c >= warmKernels:
		which = "The baseline runs"
	}
	return opinion{severity: swap.Notable, reason: fmt.Sprintf("%s less than %.0f %% of decode passes from prepared kernels so far; "+
		"if the warm-up does not change that, part of the latency is of kernels and not of the model.", which, 100*warmKernels)}
}
