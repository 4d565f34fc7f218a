package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestCheckFilesReportsAllFilesAtOnce(t *testing.T) {
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	prompts := write("prompts.jsonl", "{\"prompt\":\"one\"}\n{\"text\":\"two\"}\n")
	trace := write("trace.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n9,many,1\n")
	repeat := func(file string) swap.Step {
		return swap.Step{Rate: 1, Arrival: &swap.Arrival{Process: swap.ArrivalTrace, Trace: &swap.Trace{File: file}}}
	}
	spec := swap.Spec{
		Workload: swap.Workload{API: swap.APIChat, PromptFile: prompts},
		Load:     swap.Load{Steps: []swap.Step{{Concurrency: 1}, repeat("/nowhere/t.csv"), repeat(trace)}},
	}
	missing, err := CheckFiles(spec)
	require.Equal(t, []string{"/nowhere/t.csv"}, missing)
	var wrong *Error
	require.ErrorAs(t, err, &wrong)
	require.EqualError(t, wrong, prompts+":2: prompt: is missing\n"+trace+`:3: num_prefill_tokens: "many" is not a number of tokens`)

	spec.Workload.PromptFile, spec.Load.Steps = "", spec.Load.Steps[:2]
	missing, err = CheckFiles(spec)
	require.NoError(t, err)
	require.Equal(t, []string{"/nowhere/t.csv"}, missing, "a file that is not here may be on the load workers")
}
