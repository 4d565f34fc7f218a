package reporttest

import "github.com/swapgate/swapgate/pkg/swap"

// differences are those of a candidate with quantised weights on a newer engine.
func differences() *swap.Compatibility {
	return &swap.Compatibility{
		Differences: []swap.Difference{
			{
				Rule: swap.CompatVersion, Severity: swap.Notable, Baseline: "0.11.2", Candidate: "0.12.0",
				Reason: "The comparison includes the version of the engine, not only the model.",
			},
			{
				Rule: swap.CompatContext, Severity: swap.Notable, Baseline: "32768 tokens", Candidate: "8192 tokens", Accepted: true,
				Reason: "The candidate's context holds 8192 tokens and the baseline's 32768, and longer requests are planned: step 2 (c=8) up to " +
					"9216 tokens, prompt and answer together.",
			},
			{
				Rule: swap.CompatQuantization, Severity: swap.Notable, Baseline: "none", Candidate: "fp8",
				Reason: "Another quantisation changes speed and answers, so a faster candidate may be a worse one.",
			},
			{
				Rule: swap.CompatDriver, Severity: swap.Harmless, Baseline: "570.86", Candidate: "580.12",
				Reason: "Drivers rarely change speed by themselves.",
			},
		},
		Same:    []swap.CompatRule{swap.CompatEngine, swap.CompatKVDType, swap.CompatTokenizer, swap.CompatTemplate, swap.CompatTensor},
		Unknown: []swap.CompatRule{swap.CompatGPU, swap.CompatKernels},
	}
}
