package compat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

// full is a server that says everything.
func full() swap.ArmFacts {
	return swap.ArmFacts{
		Engine: "vllm", Version: "0.27.0", MaxModelLen: swap.Of(32768),
		Setup: swap.Setup{
			DType: "bfloat16", Quantization: "none", KVCacheDType: "auto", PrefixCaching: "on", Tokenizer: "meta/a",
			ProbeTokens: swap.Of(51), ProbeSHA256: "aa11", ChatTokens: swap.Of(63), ChatTemplateSHA256: "cc33",
			TensorParallel: swap.Of(2), PipelineParallel: swap.Of(1), DataParallel: swap.Of(1), MaxRequests: swap.Of(256),
			GPU: "H100", CUDA: "12.8.1", Driver: "570.1", Torch: "2.8.0", Triton: "3.4.0", KernelHitRate: swap.Of(.99),
		},
	}
}

func with(change func(*swap.ArmFacts)) swap.ArmFacts {
	f := full()
	change(&f)
	return f
}

func setup(change func(*swap.Setup)) swap.ArmFacts {
	return with(func(f *swap.ArmFacts) { change(&f.Setup) })
}

func holds(tokens float64) swap.ArmFacts {
	return with(func(f *swap.ArmFacts) { f.MaxModelLen = swap.Of(tokens) })
}

func takes(requests float64) swap.ArmFacts {
	return setup(func(s *swap.Setup) { s.MaxRequests = swap.Of(requests) })
}

func TestRulesAreTheContract(t *testing.T) {
	var names []swap.CompatRule
	for _, r := range rules() {
		names = append(names, r.name)
	}
	require.Equal(t, swap.CompatRules, names)
}

func TestSameServers(t *testing.T) {
	got := Compare(swap.PerArm[swap.ArmFacts]{Baseline: full(), Candidate: full()}, Plan{})
	require.Empty(t, got.Differences)
	require.Empty(t, got.Unknown)
	require.Equal(t, swap.CompatRules, got.Same)
}

func TestServersThatSayNothing(t *testing.T) {
	got := Compare(swap.PerArm[swap.ArmFacts]{Baseline: full()}, Plan{})
	require.Empty(t, got.Differences, "what is not said is not different")
	require.Equal(t, swap.CompatRules, got.Unknown)
}

func TestDifferences(t *testing.T) {
	gates := []swap.Gate{
		{Metric: swap.MetricTTFT, Stat: swap.StatP99},
		{Metric: swap.MetricTPOT, Stat: swap.StatP50},
		{Metric: swap.MetricThroughput, Stat: swap.StatRate},
		{Metric: swap.MetricTPOT, Stat: swap.StatP95, VS: swap.AgainstSLO, Limit: 50},
	}
	long := Plan{Gates: gates, Concurrency: 64, Needs: []Need{{Name: "step 1 (2 req/s)", Tokens: 9000}, {Name: "step 2", Tokens: 20000}}}
	guess := Plan{Needs: []Need{{Name: "step 1", Tokens: 20000, Estimated: true}}}
	accepting := long
	accepting.Accept = []swap.CompatRule{swap.CompatContext}
	const block, note, harmless = swap.Blocking, swap.Notable, swap.Harmless
	for name, c := range map[string]struct {
		plan      Plan
		candidate swap.ArmFacts
		rule      swap.CompatRule
		severity  swap.Severity
		says      string
	}{
		"engine":               {long, with(func(f *swap.ArmFacts) { f.Engine = "sglang" }), swap.CompatEngine, note, "includes the engine"},
		"engine version":       {long, with(func(f *swap.ArmFacts) { f.Version = "0.28.0" }), swap.CompatVersion, note, "version of the engine"},
		"longer context":       {long, holds(65536), swap.CompatContext, harmless, "fits after"},
		"shorter, long enough": {long, holds(20000), swap.CompatContext, note, "may be refused"},
		"too short": {
			long, holds(8192), swap.CompatContext, block,
			"holds 8192 tokens and the baseline's 32768, and longer requests are planned: step 1 (2 req/s) up to 9000 tokens; step 2 up to 20000",
		},
		"perhaps too short":    {guess, holds(8192), swap.CompatContext, note, "may be refused"},
		"too short, accepted":  {accepting, holds(8192), swap.CompatContext, note, "longer requests"},
		"weights":              {long, setup(func(s *swap.Setup) { s.DType = "float16" }), swap.CompatDType, note, "speed and answers"},
		"quantisation":         {long, setup(func(s *swap.Setup) { s.Quantization = "fp8" }), swap.CompatQuantization, note, "a worse one"},
		"KV cache":             {long, setup(func(s *swap.Setup) { s.KVCacheDType = "fp8" }), swap.CompatKVDType, note, "can change answers"},
		"prefix caching":       {long, setup(func(s *swap.Setup) { s.PrefixCaching = "off" }), swap.CompatPrefixCaching, note, "skips work"},
		"chat template":        {long, setup(func(s *swap.Setup) { s.ChatTemplateSHA256 = "dd" }), swap.CompatTemplate, note, "other words"},
		"tensor parallelism":   {long, setup(func(s *swap.Setup) { s.TensorParallel = swap.Of(4) }), swap.CompatTensor, note, "accelerators"},
		"pipeline parallelism": {long, setup(func(s *swap.Setup) { s.PipelineParallel = swap.Of(2) }), swap.CompatPipeline, note, "accelerators"},
		"data parallelism":     {long, setup(func(s *swap.Setup) { s.DataParallel = swap.Of(2) }), swap.CompatData, note, "accelerators"},
		"batch out of reach":   {long, takes(64), swap.CompatMaxRequests, harmless, "at most 64"},
		"batch in reach":       {long, takes(63), swap.CompatMaxRequests, note, "wait earlier"},
		"batch, open load":     {Plan{}, takes(128), swap.CompatMaxRequests, note, "wait earlier"},
		"GPU":                  {long, setup(func(s *swap.Setup) { s.GPU = "A100" }), swap.CompatGPU, note, "hardware"},
		"CUDA release":         {long, setup(func(s *swap.Setup) { s.CUDA = "12.9.0" }), swap.CompatCUDA, note, "kernels"},
		"CUDA patch":           {long, setup(func(s *swap.Setup) { s.CUDA = "12.8" }), swap.CompatCUDA, harmless, "patch"},
		"driver":               {long, setup(func(s *swap.Setup) { s.Driver = "580" }), swap.CompatDriver, harmless, "rarely"},
		"torch":                {long, setup(func(s *swap.Setup) { s.Torch = "2.9.0" }), swap.CompatTorch, note, "kernels"},
		"triton":               {long, setup(func(s *swap.Setup) { s.Triton = "3.4.1" }), swap.CompatTriton, harmless, "patch"},
		"cold kernels":         {long, setup(func(s *swap.Setup) { s.KernelHitRate = swap.Of(.9) }), swap.CompatKernels, note, "candidate runs"},
		"tokenizer by ids": {
			long, setup(func(s *swap.Setup) { s.ProbeSHA256 = "bb22" }), swap.CompatTokenizer, note,
			"other tokens of the same text. A token is not the same amount of text on both arms, so these gates do not compare like with like: " +
				"tpot_p50, throughput.",
		},
		"tokenizer by number": {
			Plan{},
			setup(func(s *swap.Setup) { s.ProbeSHA256, s.ProbeTokens = "", swap.Of(52) }), swap.CompatTokenizer, note,
			"another number of tokens of the same text. No gate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Compare(swap.PerArm[swap.ArmFacts]{Baseline: full(), Candidate: c.candidate}, c.plan)
			require.NotEmpty(t, got.Differences)
			d := got.Differences[0]
			require.Equal(t, c.rule, d.Rule)
			require.Equal(t, c.severity, d.Severity)
			require.Contains(t, d.Reason, c.says)
			require.NotEqual(t, d.Baseline, d.Candidate, "both values are shown")
			if c.severity == block {
				require.Contains(t, d.Next, "compatibility.accept: ["+string(c.rule)+"]).")
				require.Equal(t, got.Differences, got.Blocking())
			}
			require.Equal(t, slices.Contains(c.plan.Accept, c.rule), d.Accepted)
		})
	}
}

// What tokenizers and templates do counts more than what they are called.
func TestTokenizerAndTemplateByBehaviour(t *testing.T) {
	only := func(s swap.Setup) swap.ArmFacts { return swap.ArmFacts{Setup: s} }
	const different, same, unknown = "different", "same", "unknown"
	for name, c := range map[string]struct {
		b, c                swap.Setup
		tokenizer, template string
	}{
		"another name, same ids": {
			swap.Setup{Tokenizer: "a", ProbeSHA256: "x"}, swap.Setup{Tokenizer: "b", ProbeSHA256: "x"}, same, unknown,
		},
		"another name, nothing else": {swap.Setup{Tokenizer: "a"}, swap.Setup{Tokenizer: "b"}, different, unknown},
		"same name":                  {swap.Setup{Tokenizer: "a"}, swap.Setup{Tokenizer: "a"}, same, unknown},
		"a name and a count":         {swap.Setup{Tokenizer: "a"}, swap.Setup{ChatTokens: swap.Of(9)}, unknown, unknown},
		"same message, other count":  {swap.Setup{ChatTokens: swap.Of(8)}, swap.Setup{ChatTokens: swap.Of(9)}, different, unknown},
		"same message, same count":   {swap.Setup{ChatTokens: swap.Of(9)}, swap.Setup{ChatTokens: swap.Of(9)}, same, unknown},
		"same ids, other count of the message": {
			swap.Setup{ProbeSHA256: "x", ChatTokens: swap.Of(8)}, swap.Setup{ProbeSHA256: "x", ChatTokens: swap.Of(9)}, same, different,
		},
		"same ids, same count of the message": {
			swap.Setup{ProbeSHA256: "x", ChatTokens: swap.Of(9)}, swap.Setup{ProbeSHA256: "x", ChatTokens: swap.Of(9)}, same, same,
		},
		"templates themselves": {swap.Setup{ChatTemplateSHA256: "x"}, swap.Setup{ChatTemplateSHA256: "y"}, unknown, different},
	} {
		t.Run(name, func(t *testing.T) {
			got := Compare(swap.PerArm[swap.ArmFacts]{Baseline: only(c.b), Candidate: only(c.c)}, Plan{})
			require.Equal(t, c.tokenizer, verdictOn(got, swap.CompatTokenizer))
			require.Equal(t, c.template, verdictOn(got, swap.CompatTemplate))
		})
	}
}

func verdictOn(c swap.Compatibility, rule swap.CompatRule) string {
	if slices.Contains(c.Same, rule) {
		return "same"
	}
	if slices.Contains(c.Unknown, rule) {
		return "unknown"
	}
	return "different"
}

func drawFacts(t *rapid.T) swap.ArmFacts {
	text := rapid.SampledFrom([]string{"", "a", "b", "1.2.3", "1.2"})
	number := rapid.Custom(func(t *rapid.T) swap.Value {
		if rapid.Bool().Draw(t, "known") {
			return swap.Of(rapid.Float64Range(0, 1e6).Draw(t, "n"))
		}
		return swap.Absent()
	})
	f := swap.ArmFacts{Engine: text.Draw(t, "engine"), Version: text.Draw(t, "version"), MaxModelLen: number.Draw(t, "context")}
	s := &f.Setup
	for i, p := range []*string{
		&s.DType, &s.Quantization, &s.KVCacheDType, &s.PrefixCaching, &s.Tokenizer, &s.ProbeSHA256, &s.ChatTemplateSHA256, &s.GPU,
		&s.CUDA, &s.Driver, &s.Torch, &s.Triton,
	} {
		*p = text.Draw(t, fmt.Sprint("text", i))
	}
	for i, p := range []*swap.Value{
		&s.ProbeTokens, &s.ChatTokens, &s.TensorParallel, &s.PipelineParallel, &s.DataParallel, &s.MaxRequests, &s.KernelHitRate,
	} {
		*p = number.Draw(t, fmt.Sprint("number", i))
	}
	return f
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arms := swap.PerArm[swap.ArmFacts]{Baseline: drawFacts(t), Candidate: drawFacts(t)}
		plan := Plan{
			Needs:       []Need{{Name: "step 1", Tokens: rapid.IntRange(0, 1e6).Draw(t, "tokens")}},
			Concurrency: rapid.IntRange(0, 1e6).Draw(t, "concurrency"),
		}
		got := Compare(arms, plan)
		var all []swap.CompatRule
		for _, d := range got.Differences {
			all = append(all, d.Rule)
			require.True(t, strings.HasSuffix(d.Reason, "."), "a reason is a sentence: %s", d.Reason)
			require.NotEmpty(t, d.Baseline)
			require.NotEmpty(t, d.Candidate)
			require.Equal(t, d.Severity == swap.Blocking, d.Next != "")
		}
		all = append(append(all, got.Same...), got.Unknown...)
		require.ElementsMatch(t, swap.CompatRules, all, "every rule says one thing")

		plan.Accept = swap.CompatRules
		accepted := Compare(arms, plan)
		require.Empty(t, accepted.Blocking(), "what is accepted does not stop a run")
		require.Len(t, accepted.Differences, len(got.Differences), "and is still shown")

		mirrored := Compare(swap.PerArm[swap.ArmFacts]{Baseline: arms.Candidate, Candidate: arms.Baseline}, plan)
		require.Len(t, mirrored.Differences, len(got.Differences), "which arm is which does not decide whether they differ")
	})
}
