package activities

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Requests that end at once on many goroutines are all on the tape, and none is there twice.
func TestATapeKeepsABurst(t *testing.T) {
	t.Parallel()
	const goroutines, each = 8, 1000
	ctx, store := t.Context(), openStore(t, localtest.S3(t))
	run, plan := swap.RunKey{Target: "chat", RunID: testRunID}, swap.BlockPlan{Step: 1, Block: 1, Arm: swap.Baseline, Pair: 1}
	log, err := runstore.OpenStepLog(ctx, store, run, 1, swap.Step{Rate: 1}, "one")
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close(ctx) })
	require.NoError(t, log.Begin(plan, time.Now()))

	tape := startBlockTape(log)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				tape.keep(&rawlog.Record{
					Step: 1, Block: 1, Pair: 1, Seq: int32(g*each + i), Arm: string(swap.Baseline), Outcome: string(swap.OK),
				})
			}
		})
	}
	wg.Wait()
	require.NoError(t, tape.close())
	n := goroutines * each
	// Store refuses what is missing or there twice.
	_, err = log.Store(n, swap.OutcomeCounts{swap.OK: n})
	require.NoError(t, err)
}

func TestATapeSaysWhatTheLogRefused(t *testing.T) {
	t.Parallel()
	store := openStore(t, localtest.S3(t))
	run := swap.RunKey{Target: "chat", RunID: testRunID}
	log, err := runstore.OpenStepLog(t.Context(), store, run, 1, swap.Step{Rate: 1}, "one")
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close(t.Context()) })
	tape := startBlockTape(log)
	tape.keep(&rawlog.Record{})
	require.ErrorContains(t, tape.close(), "without an open block")
}
