package activities

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/inputs"
)

func TestWhatThePlanCannotPromise(t *testing.T) {
	star := swap.Topology{Shape: swap.ShapeStar, Size: 30}
	session := swap.Topology{Shape: swap.ShapeSession, Size: 30}
	p95, p99 := swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP95}, swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP99}
	mean := swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatMean}
	for name, c := range map[string]struct {
		step     swap.Step
		topology *swap.Topology
		gates    []swap.Gate
		// The subject and a part of the message, empty for nothing to say.
		subject, says string
	}{
		"enough":                   {step: swap.Step{Rate: 10}, gates: []swap.Gate{p99}},
		"enough in stars":          {step: swap.Step{Rate: 1}, topology: &star, gates: []swap.Gate{p99}},
		"a spike can be enough":    {step: swap.Step{Rate: 1, Spike: &swap.Spike{Rate: 100, For: 15e9}}, gates: []swap.Gate{p99}},
		"a recording has its rate": {step: withArrival(swap.ArrivalTrace), gates: []swap.Gate{p99}},
		"no gate on a tail":        {step: swap.Step{Concurrency: 1}, gates: []swap.Gate{mean}},
		"a falling rate is less": {
			step: swap.Step{Rate: 1, Ramp: &swap.Ramp{From: 10}}, gates: []swap.Gate{p99},
			subject: "gate ttft_p99", says: "about 1312 requests",
		},
		"sessions may not come that far": {
			step: swap.Step{Rate: 1}, topology: &session, gates: []swap.Gate{p95, p99, mean},
			subject: "gate ttft_p99", says: "It needs 3000 requests per arm (judge.min_tail is 30), and the load sends about 300 to 11900 requests",
		},
		"closed loop": {
			step: swap.Step{Concurrency: 9}, gates: []swap.Gate{p95},
			subject: "gate ttft_p95", says: "(judge.min_tail is 30), and the load sends as many requests as the servers answer",
		},
		"less than one request in a block": {
			step:    swap.Step{Concurrency: 9, TokenRate: &swap.TokenRate{Limit: 0.01}},
			subject: "step 1 (concurrency 9, at most 0.01 tok/s)", says: "measures at most about 0.15 requests per block: at the 0.01 tok/s",
		},
		"less in flight than a star": {
			step: swap.Step{Rate: 9, MaxInFlight: 3}, topology: &star,
			subject: "step 1 (9 req/s, at most 3 in flight)", says: "max_in_flight 3 is below the 30 requests that a star sends at once",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.step.Hold = 300e9
			spec := swap.Spec{
				Workload: swap.Workload{API: swap.APIChat, Topology: c.topology}, Gates: c.gates, Judge: swap.Judge{MinTail: 30},
				Load: swap.Load{Block: 30e9, Settle: 10e9, Steps: []swap.Step{c.step}},
			}
			found := planFindings(spec, config.Estimate(spec))
			if c.subject == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, swap.Notable, found[0].Severity)
			require.Equal(t, c.subject, found[0].Subject)
			require.Contains(t, found[0].Message, c.says)
			require.NotEmpty(t, found[0].Next)
		})
	}
}

func TestRulesThatFireOnNoiseAreNamed(t *testing.T) {
	spec := swap.Spec{
		Judge: swap.Judge{Opinions: []swap.OpinionRule{{Rule: swap.RuleErrors3x}}},
		Load:  swap.Load{Block: 30e9, Steps: []swap.Step{{Concurrency: 1, Hold: 300e9}}},
	}
	require.Equal(t, []swap.Finding{{
		Severity: swap.Harmless, Subject: "judge.opinions[0]",
		Message: "error_3x fires on noise: where the baseline has no failed request, the first one of the candidate fires.",
		Next:    "It decides nothing; see docs/classic-rules.md.",
	}}, planFindings(spec, config.Estimate(spec)))
}

func withArrival(p swap.Process) swap.Step {
	return swap.Step{Rate: 10, Arrival: &swap.Arrival{Process: p, Trace: &swap.Trace{File: "/t"}}}
}

func TestFilesAreLookedAtBeforeTheLoad(t *testing.T) {
	const header = "arrived_at,num_prefill_tokens,num_decode_tokens\n"
	bad := inputFile(t, "bad.csv", header+"0,1,1\nx,1,-1\n")
	rounded := inputFile(t, "rounded.csv", header+strings.Join([]string{
		"0,1,1", "1,1,1", "1,1,1", "2,1,1", "3,1,1", "4,1,1", "5,1,1", "6,1,1", "7,1,1", "8,1,1", "9,1,1", "10,1,1", "11,1,1",
	}, "\n"))
	odd := inputFile(t, "odd.csv", header+"0,1,1\n5.3,1,0\n2.2,1,1\n")
	prompts := inputFile(t, "p.jsonl", "{\"prompt\":\"a\"}\n[]\n")
	spec := swap.Spec{
		Workload: swap.Workload{API: swap.APIChat, PromptFile: prompts, OutputTokens: swap.Lengths{Median: 1, Max: 1}},
		Load: swap.Load{Steps: []swap.Step{
			repeating(swap.Trace{File: bad}), repeating(swap.Trace{File: rounded}), repeating(swap.Trace{File: rounded}),
			repeating(swap.Trace{File: rounded, Jitter: true}), repeating(swap.Trace{File: odd, Lengths: true}),
			repeating(swap.Trace{File: "/nowhere/t.csv"}),
			{Concurrency: 1},
		}},
	}
	var got []string
	for _, f := range fileFindings(spec, inputs.Read(spec)) {
		require.NotEmpty(t, f.Next)
		got = append(got, string(f.Severity)+" "+f.Subject+" "+f.Message)
	}
	require.Equal(t, []string{
		"blocking " + prompts + " " + prompts + `:2: the line is not a JSON object {"prompt": "…"}`,
		"blocking " + bad + " " + bad + `:3: arrived_at: "x" is not a number of seconds` + "\n" +
			bad + ":3: num_decode_tokens: -1 tokens: a length is not negative",
		"notable /nowhere/t.csv The file is not on the worker that ran the preflight, so it was not checked.",
		"notable " + rounded + " Its times are rounded to 1s, so requests that came one after another are sent at once, in " +
			"bursts that never were.",
		"notable " + odd + " 1 of its 3 requests are earlier than the one before; they were sorted.",
		"notable " + odd + " 1 of its 3 requests have no answer; they ask for one token.",
	}, got)
}
