package inputs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

const vidur = "arrived_at,num_prefill_tokens,num_decode_tokens\n"

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func repeating(file string, lengths bool) swap.Step {
	return swap.Step{Rate: 1, Arrival: &swap.Arrival{Process: swap.ArrivalTrace, Trace: &swap.Trace{File: file, Lengths: lengths}}}
}

func specOf(promptFile string, steps ...swap.Step) swap.Spec {
	return swap.Spec{
		Workload: swap.Workload{
			API: swap.APIChat, PromptFile: promptFile,
			InputTokens: swap.Lengths{Median: 100, Sigma: 1, Max: 300}, OutputTokens: swap.Lengths{Median: 8, Max: 50},
		},
		Load: swap.Load{Steps: steps},
	}
}

func TestEveryFileIsRead(t *testing.T) {
	prompts := write(t, "prompts.jsonl", "{\"prompt\":\"one\"}\n{\"prompt\":7}\nno\n")
	bad := write(t, "bad.csv", vidur+"0,1,1\nx,2,-3\n5,1,1\n")
	good := write(t, "good.csv", vidur+"0,1,1\n2,30,4\n")
	folder := t.TempDir()
	gone := filepath.Join(t.TempDir(), "gone.csv")
	f := Read(specOf(prompts, swap.Step{Concurrency: 1}, repeating(bad, false), repeating(good, true), repeating(bad, true),
		repeating(gone, false), repeating(folder, false)))
	require.Equal(t, []string{gone}, f.Missing)
	require.Len(t, f.Faults, 3, "a file that two steps repeat is read once")
	require.EqualError(t, f.Faults[0], prompts+":2: prompt: must be text\n"+
		prompts+`:3: the line is not a JSON object {"prompt": "…"}`)
	require.EqualError(t, f.Faults[1], bad+`:3: arrived_at: "x" is not a number of seconds`+"\n"+
		bad+":3: num_decode_tokens: -3 tokens: a length is not negative")
	require.ErrorContains(t, f.Faults[2], folder+": cannot be read: ")
	require.Nil(t, f.Recording(repeating(bad, false)))
	require.Nil(t, f.Recording(swap.Step{Concurrency: 1}))
	require.Len(t, f.Recording(repeating(good, false)).Requests, 2)
}

func TestQualityNeedsAnExpectation(t *testing.T) {
	prompts := write(t, "prompts.jsonl", "\n{\"prompt\":\"one\"}\n")
	spec := specOf(prompts, swap.Step{Concurrency: 1})
	require.Empty(t, Read(spec).Faults)
	spec.Gates = []swap.Gate{{Metric: swap.MetricTTFT, Stat: swap.StatP50}, {Metric: swap.MetricQuality, Stat: swap.StatMean}}
	f := Read(spec)
	require.Len(t, f.Faults, 1)
	require.ErrorContains(t, f.Faults[0], prompts+":1: expect: no prompt of the file says what a good answer is, and the gate quality_mean")

	spec.Workload.PromptFile = write(t, "prompts.jsonl", "{\"prompt\":\"one\"}\n{\"prompt\":\"two\",\"expect\":{\"json\":true}}\n")
	require.Empty(t, Read(spec).Faults, "some prompts are enough")
	spec.Workload.PromptFile = write(t, "prompts.jsonl", "{\"prompt\":1}\n")
	require.Len(t, Read(spec).Faults, 1, "of a file that cannot be used only that is said")
}

func TestLongest(t *testing.T) {
	good := write(t, "good.csv", vidur+"0,1000,1000\n1,30,4\n2,20,9\n")
	prompts := write(t, "prompts.jsonl", "{\"prompt\":\"one\"}\n{\"prompt\":\"one two three four five six seven eight nine ten\"}\n")
	own := swap.Step{Concurrency: 1, InputTokens: &swap.Lengths{Median: 32, Min: 32, Max: 32}}
	session := &swap.Topology{Shape: swap.ShapeSession, Size: 3}
	for name, c := range map[string]struct {
		prompts string
		step    swap.Step
		shape   *swap.Topology
		want    Longest
	}{
		"the workload's lengths":        {"", swap.Step{Concurrency: 1}, nil, Longest{Tokens: 308}},
		"the step's own":                {"", own, nil, Longest{Tokens: 40}},
		"with the turns before":         {"", own, session, Longest{Tokens: 120}},
		"arrivals of a recording":       {"", repeating(good, false), nil, Longest{Tokens: 308}},
		"lengths of a recording":        {"", repeating(good, true), nil, Longest{Tokens: 2000}},
		"sessions of a recording":       {"", repeating(good, true), session, Longest{Tokens: 2063}},
		"a recording that is not here":  {"", repeating("/nowhere/t.csv", true), nil, Longest{}},
		"prompts of a file":             {prompts, swap.Step{Concurrency: 1}, nil, Longest{Tokens: 13 + 8, Estimated: true}},
		"sessions of prompts of a file": {prompts, swap.Step{Concurrency: 1}, session, Longest{Tokens: 3 * (13 + 8), Estimated: true}},
		"answers of the step":           {prompts, swap.Step{OutputTokens: &swap.Lengths{Median: 2}}, nil, Longest{Tokens: 15, Estimated: true}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := specOf(c.prompts, c.step)
			if c.prompts != "" {
				spec.Workload.InputTokens = swap.Lengths{}
			}
			spec.Workload.Topology = c.shape
			require.Equal(t, c.want, Read(spec).Longest(spec.Workload, c.step))
		})
	}
}
