package activities

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/inputs"
)

func inputFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func repeating(trace swap.Trace) swap.Step {
	return swap.Step{Rate: 1, Arrival: &swap.Arrival{Process: swap.ArrivalTrace, Trace: &trace}}
}

func TestRequestsThatDoNotFitTheContext(t *testing.T) {
	trace := inputFile(t, "t.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n1,900,300\n2,1,1\n")
	prompts := inputFile(t, "p.jsonl", `{"prompt":"`+longText(1000)+`"}`)
	// What the defaults of a workload come to: prompts that can be very long, and answers that are not, whatever their maximum.
	defaults := swap.Workload{
		API: swap.APIChat, InputTokens: swap.Lengths{Median: 256, Sigma: 0.5, Min: 16, Max: 4096},
		OutputTokens: swap.Lengths{Median: 128, Min: 8, Max: 2048},
	}
	prompt := func(n int) *swap.Lengths { return &swap.Lengths{Median: n, Min: n, Max: n} }
	step := func(n int) swap.Step { return swap.Step{Concurrency: 1, InputTokens: prompt(n)} }
	session := func(w *swap.Workload) { w.Topology = &swap.Topology{Shape: swap.ShapeSession, Size: 5} }
	probes := &swap.Rollout{ProbeRate: 1}
	const context = 1024
	for name, c := range map[string]struct {
		change   func(*swap.Workload)
		steps    []swap.Step
		rollout  *swap.Rollout
		severity swap.Severity
		says     string
	}{
		"short steps, whatever the workload has": {steps: []swap.Step{step(32), step(512)}, rollout: &swap.Rollout{}},
		"a step of a gradient": {
			steps: []swap.Step{step(512), step(1024), step(2048)}, severity: swap.Blocking,
			says: "Its context holds 1024 tokens, and longer requests are planned: step 2 (concurrency 1, prompts 1024) up to 1152 tokens; " +
				"step 3 (concurrency 1, prompts 2048) up to 2176 tokens, prompt and answer together.",
		},
		"a step without lengths of its own": {
			steps: []swap.Step{step(32), {Rate: 4}}, severity: swap.Blocking, says: "step 2 (4 req/s) up to 4224 tokens,",
		},
		"probes of the rollout": {
			steps: []swap.Step{step(32)}, rollout: probes, severity: swap.Blocking, says: "the probes of the rollout up to 4224 tokens,",
		},
		"the history of a session": {
			change: session, steps: []swap.Step{step(32), step(100)}, severity: swap.Blocking,
			says: "step 2 (concurrency 1, prompts 100) up to 1140 tokens, prompt and answer together. The last of the 5 turns of a session " +
				"holds all before it.",
		},
		"the answer before in a ring": {
			change: func(w *swap.Workload) { w.Topology = &swap.Topology{Shape: swap.ShapeRing, Size: 5} },
			steps:  []swap.Step{step(700), step(800)}, severity: swap.Blocking,
			says: "planned: step 2 (concurrency 1, prompts 800) up to 1056 tokens,",
		},
		"arrivals of a recording": {steps: []swap.Step{withPrompts(repeating(swap.Trace{File: trace}), prompt(8))}},
		"lengths of a recording": {
			steps: []swap.Step{repeating(swap.Trace{File: trace, Lengths: true})}, severity: swap.Blocking, says: "1200 tokens",
		},
		"a recording somewhere else": {steps: []swap.Step{repeating(swap.Trace{File: "/nowhere", Lengths: true})}},
		"prompts of a file": {
			change: func(w *swap.Workload) { w.PromptFile, w.InputTokens = prompts, swap.Lengths{} }, steps: []swap.Step{{Concurrency: 1}},
			severity: swap.Notable, says: "by their words the prompts of the file need more: step 1 (concurrency 1) up to 1428 tokens,",
		},
		"no room for the template": {
			steps: []swap.Step{step(1024 - 128)}, severity: swap.Notable, says: "the chat template and the salt",
		},
		"just room for the template": {steps: []swap.Step{step(1024 - 128 - templateTokens)}},
		"images ask for no tokens": {
			change: func(w *swap.Workload) {
				*w = swap.Workload{API: swap.APIImages, InputTokens: swap.Lengths{Median: 24, Max: 384}}
			}, steps: []swap.Step{{Rate: 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := swap.Spec{Workload: defaults, Load: swap.Load{Steps: c.steps}, Rollout: c.rollout}
			if c.change != nil {
				c.change(&spec.Workload)
			}
			arms := swap.PerArm[swap.ArmFacts]{Candidate: swap.ArmFacts{MaxModelLen: swap.Of(context)}}
			found := contextFindings(spec, inputs.Read(spec), arms)
			if c.says == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, c.severity, found[0].Severity)
			require.Equal(t, "candidate", found[0].Subject)
			require.Contains(t, found[0].Message, c.says)
			require.NotEmpty(t, found[0].Next)
		})
	}
}

func withPrompts(s swap.Step, prompts *swap.Lengths) swap.Step {
	s.InputTokens = prompts
	return s
}

// longText has so many words.
func longText(words int) string {
	text := make([]byte, 0, 2*words)
	for range words {
		text = append(text, "a "...)
	}
	return string(text)
}

func TestBothContextsAreLookedAt(t *testing.T) {
	spec := swap.Spec{
		Workload: swap.Workload{
			API: swap.APIChat, InputTokens: swap.Lengths{Median: 90, Max: 90}, OutputTokens: swap.Lengths{Median: 10, Max: 10},
		},
		Load: swap.Load{Steps: []swap.Step{{Concurrency: 1}}},
	}
	arms := swap.PerArm[swap.ArmFacts]{
		Baseline: swap.ArmFacts{MaxModelLen: swap.Of(99)}, Candidate: swap.ArmFacts{MaxModelLen: swap.Of(100)},
	}
	found := contextFindings(spec, inputs.Files{}, arms)
	require.Len(t, found, 2)
	require.Equal(t, []swap.Severity{swap.Blocking, swap.Notable}, []swap.Severity{found[0].Severity, found[1].Severity})
	require.Contains(t, found[0].Message, "99 tokens")
	require.Empty(t, contextFindings(spec, inputs.Files{}, swap.PerArm[swap.ArmFacts]{}), "a context that is not known")
}
