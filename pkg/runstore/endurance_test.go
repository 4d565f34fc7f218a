//go:build endurance && linux

package runstore

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// A step of a million requests of 50 tokens passes through the log and the tallies and back in 300 MB, and nothing is lost.
func TestEnduranceOfAStep(t *testing.T) {
	const (
		pairs    = 2
		each     = 250_000
		mostPeak = 300 << 20
	)
	s, ctx := newStore(t), t.Context()
	policy := defaultLogPolicy
	policy.spillDir = t.TempDir()
	l := openLog(t, s, "one", policy)
	var step load.StepTally
	began := time.Now()
	for _, p := range plans(pairs) {
		require.NoError(t, l.Begin(p, begun))
		tally := load.NewBlockTally(p, begun.Add(time.Hour))
		require.NoError(t, newSynthetic(p).write(l, each, func(batch []rawlog.Record) {
			for i := range batch {
				tally.Add(&batch[i])
			}
		}))
		result := tally.Result("5c4ed01e", begun, 10*time.Minute)
		require.NoError(t, seal(l, result))
		step.Add(result, tally)
	}
	wrote := time.Since(began)
	manifest, ref, err := l.Finish(ctx, plans(pairs), asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	require.NoError(t, l.Close(ctx))
	summary := step.Result(2, testSpec)
	require.Equal(t, 2*pairs*each, summary.Planned.Baseline+summary.Planned.Candidate)
	t.Logf("written in %v, stored in %v, %.1f bytes a request, peak %d MB",
		wrote, time.Since(began), float64(manifest.Blocks[0].Slices[0].Raw.Bytes)/each, peakRSS(t)>>20)

	began = time.Now()
	for _, b := range manifest.Blocks {
		want, tokens := newSynthetic(b.BlockPlan), int64(0)
		require.NoError(t, EachRecord(ctx, s, b, func(rows []rawlog.Record) error {
			for i := range rows {
				wanted := want.next()
				require.Equal(t, wanted.TraceID, rows[i].TraceID)
				require.Equal(t, wanted.ChunkGapsUS, rows[i].ChunkGapsUS)
				tokens += int64(*rows[i].OutputTokens)
			}
			return nil
		}))
		require.Equal(t, int64(each*tokensEach), tokens)
	}
	t.Logf("read back in %v, peak %d MB", time.Since(began), peakRSS(t)>>20)
	require.Less(t, peakRSS(t), int64(mostPeak))

	began = time.Now()
	before := liveHeap()
	_, lean, err := ReadLeanStep(ctx, s, ref)
	require.NoError(t, err)
	require.Len(t, lean, 2*pairs*each)
	t.Logf("lean records read in %v, %d bytes each", time.Since(began), (liveHeap()-before)/int64(len(lean)))
	runtime.KeepAlive(lean)
}

// peakRSS is the most memory that this process has had resident, as Linux tells it.
func peakRSS(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, ok := bytes.Cut(status, []byte("VmHWM:"))
	require.True(t, ok)
	kb, err := strconv.ParseInt(strings.Fields(string(rest))[0], 10, 64)
	require.NoError(t, err)
	return kb << 10
}
