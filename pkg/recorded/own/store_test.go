package own

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/judge"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestMain(m *testing.M) { localtest.Main(m) }

func TestARunInTheStoreIsJudged(t *testing.T) {
	ctx := t.Context()
	s, err := runstore.Open(localtest.S3(t))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	run := swap.RunKey{Target: "t", RunID: "r"}
	manifest := swap.StepManifest{RunKey: run, Step: 1, Spec: swap.Step{Concurrency: 8}}
	random := rand.New(rand.NewPCG(1, 2))
	for block := 1; block <= 24; block++ {
		plan := swap.BlockPlan{Step: 1, Block: block, Arm: swap.Arms[block%2], Pair: (block + 1) / 2}
		table, err := runstore.WriteTable(ctx, s, fmt.Sprintf("%sa1/%s", runstore.BlockPrefix(run, plan), requestsName), rawlog.Schema,
			rows(random, plan, 1.5))
		require.NoError(t, err)
		manifest.Blocks = append(manifest.Blocks, swap.BlockResult{
			BlockPlan: plan, MeasuredMS: 60_000, Planned: perBlock, Outcomes: swap.OutcomeCounts{swap.OK: perBlock},
			Slices: []swap.BlockSlice{{Attempt: "a1", Raw: table}},
		})
	}
	_, err = runstore.PutJSON(ctx, s, runstore.StepManifestKey(run, 1), "step-manifest/v2", manifest)
	require.NoError(t, err)
	for _, uri := range []string{s.URI("runs/t/r"), s.URI("runs/t/r/raw/"), s.URI(runstore.StepManifestKey(run, 1))} {
		r, err := ReadStore(ctx, s, uri)
		require.NoError(t, err, uri)
		require.Len(t, r.Blocks, 24)
		require.Equal(t, swap.Fail, judge.Decide(r.Evidence(gates(), settings())).Decision)
	}
	_, err = ReadStore(ctx, s, s.URI("runs/t/other"))
	require.ErrorContains(t, err, "holds no manifest.json")
	_, err = ReadStore(ctx, s, "s3://elsewhere/runs/t/r")
	require.ErrorContains(t, err, "lies outside the run store")

	other := manifest
	other.RunID = "q"
	_, err = runstore.PutJSON(ctx, s, runstore.StepManifestKey(other.RunKey, 1), "step-manifest/v2", other)
	require.NoError(t, err)
	_, err = ReadStore(ctx, s, s.URI("runs/t"))
	require.ErrorContains(t, err, "lie below one prefix")
}
