package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// scoredRun writes the tables of a run in 24 blocks, in which of every ten answers the candidate gets so many wrong, the baseline one.
func scoredRun(t *testing.T, wrong int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range int32(24) {
		arm, fails := swap.Baseline, 1
		if i%4 == 1 || i%4 == 2 {
			arm, fails = swap.Candidate, wrong
		}
		rows := make([]rawlog.Record, 60)
		for k := range rows {
			ttft, score := int64(100_000+1000*((int(i)*7+k*13)%40)), 1.
			if k%10 < fails {
				score = 0
			}
			rows[k] = rawlog.Record{
				Step: 1, Block: i + 1, Pair: i/2 + 1, Seq: int32(k), Arm: string(arm), Measured: true, SentUnixNS: 1, Outcome: string(swap.OK),
				FirstUS: &ttft, LastUS: &ttft, Quality: &score,
			}
		}
		place := filepath.Join(folder, fmt.Sprintf("block-%03d", i+1))
		require.NoError(t, os.Mkdir(place, 0o700))
		require.NoError(t, parquet.WriteFile(filepath.Join(place, "requests.parquet"), rows))
	}
	return folder
}

func TestJudgeQualityOfRecordings(t *testing.T) {
	for wrong, code := range map[int]int{1: exitPass, 2: exitFail} {
		run := scoredRun(t, wrong)
		got := swapgate(t.Context(), nil, "judge", run, "-o", "json", "--gate", "quality:1%")
		require.Equal(t, code, got.code, "%s%s", got.stdout, got.stderr)
		var v swap.Verdict
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &v))
		require.Equal(t, "quality_mean", v.Gates[0].Name)
		require.InDelta(t, .9, v.Gates[0].Baseline.Or(0), 1e-9)
		require.Len(t, v.Steps, 1)
		got = swapgate(t.Context(), nil, "judge", run)
		require.NotContains(t, got.stdout, "Quality mean", "no default gate asks for it")
	}
	before := vllmResult(t, 1, 1200, 0, 1)
	got := swapgate(t.Context(), nil, "judge", before, before, "--gate", "quality")
	require.Equal(t, exitInconclusive, got.code)
	require.Contains(t, got.stdout, "none of its answers has a score")
	got = swapgate(t.Context(), nil, "judge", before, before, "--gate", "quality:p50")
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.stderr, `--gate "quality:p50": stat: must be mean for quality`)
	got = swapgate(t.Context(), nil, "judge", before, before, "--gate", "quality:5ms")
	require.Contains(t, got.stderr, "but a margin of quality is in percentage points")
}
