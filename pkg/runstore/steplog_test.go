package runstore

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/swap"
)

var (
	testRun  = swap.RunKey{Target: "chat", RunID: "0f7c1d5e-1111-4222-8333-944455566677"}
	testSpec = swap.Step{Concurrency: 8, Hold: swap.Duration(20 * time.Second)}
	begun    = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
)

// asPlanned is the end of a step that ran as planned.
var asPlanned = swap.StepEnd{Code: swap.EndedPlanned}

// plans are the blocks of step 2, in the order ABBA.
func plans(pairs int) []swap.BlockPlan {
	var all []swap.BlockPlan
	for pair := 1; pair <= pairs; pair++ {
		first := swap.Arms[(pair+1)%2]
		all = append(all,
			swap.BlockPlan{Step: 2, Block: 2*pair - 1, Arm: first, Pair: pair},
			swap.BlockPlan{Step: 2, Block: 2 * pair, Arm: first.Other(), Pair: pair})
	}
	return all
}

// requests are n finished requests of a block; every fifth failed.
func requests(p swap.BlockPlan, n int) []rawlog.Record {
	rows := make([]rawlog.Record, n)
	for i := range rows {
		first, tokens := int64(1000+i), int32(i)
		rows[i] = rawlog.Record{
			Step: int32(p.Step), Block: int32(p.Block), Pair: int32(p.Pair), Seq: int32(i), Arm: string(p.Arm), Measured: i > 2,
			PlannedUnixNS: begun.UnixNano(), SentUnixNS: begun.UnixNano() + int64(i), Outcome: string(swap.OK),
			FirstUS: &first, OutputTokens: &tokens, Chunks: 3, ChunkGapsUS: []int64{int64(i), 7}, ChunkTokens: []int32{1, 2, 1},
			FinishReason: "stop",
		}
		if i%5 == 4 {
			rows[i].Outcome, rows[i].FirstUS, rows[i].OutputTokens = string(swap.HTTP5xx), nil, nil
		}
	}
	return rows
}

func resultOf(p swap.BlockPlan, rows []rawlog.Record) swap.BlockResult {
	outcomes := swap.OutcomeCounts{}
	for _, r := range rows {
		outcomes[swap.Outcome(r.Outcome)]++
	}
	return swap.BlockResult{
		BlockPlan: p, Started: begun, MeasuredMS: 10_000, Planned: len(rows), Outcomes: outcomes,
		ScheduleSHA256: "5c4ed01e", TTFTP95ms: swap.Of(12.5),
	}
}

// patient retries quickly, so that tests of outages do not wait.
func patient(t *testing.T) logPolicy {
	t.Helper()
	p := defaultLogPolicy
	p.backoff = backoff{first: time.Millisecond, most: 10 * time.Millisecond}
	p.spillDir = t.TempDir()
	return p
}

func openLog(t *testing.T, s *Store, attempt string, policy logPolicy) *StepLog {
	t.Helper()
	l, err := openStepLog(t.Context(), s, testRun, 2, testSpec, attempt, policy)
	require.NoError(t, err)
	t.Cleanup(func() { abandon(l) })
	return l
}

// abandon ends a log as the death of its process would: what is not uploaded is lost.
func abandon(l *StepLog) {
	dead, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.Close(dead)
}

func drive(t *testing.T, l *StepLog, p swap.BlockPlan, rows []rawlog.Record) {
	t.Helper()
	require.NoError(t, l.Begin(p, begun))
	half := len(rows) / 2
	require.NoError(t, l.Write(rows[:half]))
	require.NoError(t, l.Write(rows[half:]))
	require.NoError(t, seal(l, resultOf(p, rows)))
}

// seal stores the open block as its only slice, and seals it.
func seal(l *StepLog, result swap.BlockResult) error {
	slice, err := l.Store(result.Planned, result.Outcomes)
	if err != nil {
		return err
	}
	result.Slices = []swap.BlockSlice{slice}
	return l.Seal(result)
}

// attemptKey is a key of the first try of an attempt at a block.
func attemptKey(p swap.BlockPlan, attempt, name string) string {
	return attemptPrefix(testRun, p, attempt) + name
}

func TestAStepIsReadBackFromItsManifestAlone(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	l := openLog(t, s, "one", patient(t))
	var want []rawlog.Record
	for i, p := range plans(2) {
		rows := requests(p, 20+i)
		drive(t, l, p, rows)
		want = append(want, rows...)
	}
	manifest, ref, err := l.Finish(ctx, plans(2), asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	require.NoError(t, l.Close(ctx))
	require.NoError(t, l.Close(ctx), "closing again does nothing")
	require.Zero(t, l.Pending())
	require.Empty(t, manifest.Discarded)
	require.Len(t, manifest.Blocks, 4)
	require.Equal(t, l.Sealed()[3], manifest.Blocks[2])

	read, got, err := ReadStep(ctx, s, ref)
	require.NoError(t, err)
	require.Equal(t, manifest, read)
	require.Empty(t, cmp.Diff(want, got))
}

func TestALongBlockLeavesParts(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	policy := patient(t)
	clock := begun
	policy.now = func() time.Time { return clock }
	policy.partRows = 15
	l := openLog(t, s, "one", policy)
	p := plans(1)[0]
	rows := requests(p, 40)
	require.NoError(t, l.Begin(p, begun))
	require.NoError(t, l.Write(rows[:10]))
	require.NoError(t, l.Write(rows[10:12])) // 10 are too few and too early for a part
	clock = clock.Add(policy.partEvery)
	require.NoError(t, l.Write(rows[12:27])) // 12 have waited for long enough
	require.NoError(t, l.Write(rows[27:]))   // 15 are enough
	clock = clock.Add(policy.partEvery)
	require.NoError(t, seal(l, resultOf(p, rows)))
	require.NoError(t, l.Close(ctx))
	for part, n := range []int64{12, 15} {
		_, ref, err := s.GetKey(ctx, attemptKey(p, "one", partName(part)))
		require.NoError(t, err)
		require.Equal(t, n, ref.Rows)
	}

	keys, err := s.List(ctx, "")
	require.NoError(t, err)
	dir := "runs/chat/" + testRun.RunID + "/raw/step-02/block-001-baseline/"
	require.Equal(t, []string{
		dir + "one/attempt.json", dir + "one/part-000.parquet", dir + "one/part-001.parquet", dir + "one/requests.parquet",
		dir + "sealed.json",
	}, keys)

	block := l.Sealed()[1]
	got, err := ReadBlock(ctx, s, block)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(rows, got))
}

func TestAnotherAttemptResumesAfterADeath(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	policy := patient(t)
	policy.partRows = 10
	planned := plans(2)

	dying := openLog(t, s, "first", policy)
	drive(t, dying, planned[0], requests(planned[0], 20))
	require.NoError(t, dying.Begin(planned[1], begun))
	require.NoError(t, dying.Write(requests(planned[1], 12)))
	require.NoError(t, dying.Write(requests(planned[1], 13)[12:]))
	require.NoError(t, dying.up.drain(ctx))
	abandon(dying)

	l := openLog(t, s, "second", policy)
	require.Len(t, l.Sealed(), 1)
	require.Equal(t, dying.Sealed()[1], l.Sealed()[1])
	dir := s.URI("runs/chat/" + testRun.RunID + "/raw/step-02/block-002-candidate/first/")
	discarded := []swap.DiscardedAttempt{{
		BlockPlan: planned[1], Attempt: "first", Started: begun, Parts: []string{dir + "part-000.parquet"},
	}}
	require.Equal(t, discarded, l.Discarded())
	require.ErrorContains(t, l.Begin(planned[0], begun), "sealed by attempt first")

	for _, p := range planned[1:] {
		drive(t, l, p, requests(p, 9))
	}
	manifest, ref, err := l.Finish(ctx, planned, asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	require.Equal(t, discarded, manifest.Discarded)

	_, rows, err := ReadStep(ctx, s, ref)
	require.NoError(t, err)
	require.Len(t, rows, 20+3*9)
}

func TestOfTwoAttemptsAtABlockOneCounts(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	planned := plans(1)
	a, b := openLog(t, s, "a", patient(t)), openLog(t, s, "b", patient(t))
	drive(t, a, planned[0], requests(planned[0], 10))
	require.NoError(t, a.up.drain(ctx))
	drive(t, b, planned[0], requests(planned[0], 11)) // b does not know that it is too late
	drive(t, b, planned[1], requests(planned[1], 12))
	require.NoError(t, b.up.drain(ctx))
	drive(t, a, planned[1], requests(planned[1], 13))

	fromB, refB, err := b.Finish(ctx, planned, asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	fromA, refA, err := a.Finish(ctx, planned, asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	require.Equal(t, refB, refA, "the step has one manifest")
	require.Equal(t, fromB, fromA)
	require.Equal(t, 10, fromA.Blocks[0].Planned)
	require.Equal(t, 12, fromA.Blocks[1].Planned)
	require.Equal(t, "b", fromA.Discarded[0].Attempt)
	require.Len(t, fromA.Discarded[0].Parts, 1, "the loser's table stays, and is listed")

	_, rows, err := ReadStep(ctx, s, refA)
	require.NoError(t, err)
	require.Len(t, rows, 22)
}

func TestNothingIsLostInAnOutage(t *testing.T) {
	for name, memory := range map[string]int64{"in memory": 64 << 20, "spilled to files": 2000} {
		t.Run(name, func(t *testing.T) {
			proxy, cfg := localtest.NewProxy(t, localtest.S3(t))
			s, ctx := open(t, cfg), t.Context()
			policy := patient(t)
			policy.memory = memory
			l := openLog(t, s, "one", policy)
			proxy.Down(true)
			planned, total := plans(3), 0
			for _, p := range planned {
				drive(t, l, p, requests(p, 200)) // none of it waits for the store
				total += 200
			}
			require.Equal(t, 3*len(planned), l.Pending())
			require.Eventually(t, func() bool { return proxy.Refused.Load() > 2*tries }, 10*time.Second, time.Millisecond)
			files, err := os.ReadDir(policy.spillDir)
			require.NoError(t, err)
			require.Equal(t, memory < 10_000, len(files) > 0)

			proxy.Down(false)
			manifest, ref, err := l.Finish(ctx, planned, asPlanned, swap.InstrumentState{})
			require.NoError(t, err)
			require.Empty(t, manifest.Discarded)
			_, rows, err := ReadStep(ctx, s, ref)
			require.NoError(t, err)
			require.Len(t, rows, total)

			require.NoError(t, l.Close(ctx))
			files, err = os.ReadDir(policy.spillDir)
			require.NoError(t, err)
			require.Empty(t, files)
		})
	}
}

func TestLostAnswersDoNotLoseASeal(t *testing.T) {
	proxy, cfg := localtest.NewProxy(t, localtest.S3(t))
	s, ctx := open(t, cfg), t.Context()
	l := openLog(t, s, "one", patient(t))
	proxy.LoseAnswers(true)
	for _, p := range plans(1) {
		drive(t, l, p, requests(p, 30))
	}
	require.Eventually(t, func() bool { return proxy.Refused.Load() > tries }, 10*time.Second, time.Millisecond)
	proxy.LoseAnswers(false)
	manifest, ref, err := l.Finish(ctx, plans(1), asPlanned, swap.InstrumentState{})
	require.NoError(t, err)
	require.Empty(t, manifest.Discarded)
	_, rows, err := ReadStep(ctx, s, ref)
	require.NoError(t, err)
	require.Len(t, rows, 60)
}

func TestAnOutageThatOutlastsFinishIsReported(t *testing.T) {
	proxy, cfg := localtest.NewProxy(t, localtest.S3(t))
	l := openLog(t, open(t, cfg), "one", patient(t))
	proxy.Down(true)
	p := plans(1)[0]
	drive(t, l, p, requests(p, 5))
	require.Eventually(t, func() bool { return proxy.Refused.Load() >= tries }, 10*time.Second, time.Millisecond)

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.Eventually(t, func() bool { return l.Outage() != nil }, 10*time.Second, time.Millisecond)
	_, _, err := l.Finish(ctx, plans(1)[:1], asPlanned, swap.InstrumentState{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "3 objects not stored")
	require.Error(t, l.Close(ctx))
	require.ErrorIs(t, l.Begin(plans(1)[1], begun), errClosed)
}

func TestARefusalEndsTheLog(t *testing.T) {
	cfg := localtest.S3(t)
	l := openLog(t, open(t, cfg), "one", patient(t))
	l.store.bucket = "nobody-made-this"
	p := plans(1)[0]
	require.NoError(t, l.Begin(p, begun))
	_, _, err := l.Finish(t.Context(), plans(1), asPlanned, swap.InstrumentState{})
	require.ErrorIs(t, err, ErrNoBucket)
	require.ErrorIs(t, seal(l, resultOf(p, nil)), ErrNoBucket)
}

func TestSealRefusesRowsThatDoNotAddUp(t *testing.T) {
	s := newStore(t)
	p := plans(1)[0]
	for name, change := range map[string]func(*swap.BlockResult, *[]rawlog.Record){
		"a row is missing":       func(_ *swap.BlockResult, rows *[]rawlog.Record) { *rows = (*rows)[1:] },
		"a row is there twice":   func(_ *swap.BlockResult, rows *[]rawlog.Record) { (*rows)[3].Seq = 2 },
		"a row of another block": func(_ *swap.BlockResult, rows *[]rawlog.Record) { (*rows)[3].Block = 9 },
		"a row of another arm":   func(_ *swap.BlockResult, rows *[]rawlog.Record) { (*rows)[3].Arm = "candidate" },
		"an unknown outcome":     func(_ *swap.BlockResult, rows *[]rawlog.Record) { (*rows)[3].Outcome = "fine" },
		"a wrong count":          func(r *swap.BlockResult, _ *[]rawlog.Record) { r.Outcomes[swap.OK]-- },
		"a class too many":       func(r *swap.BlockResult, _ *[]rawlog.Record) { r.Outcomes[swap.Empty]++ },
		"more planned":           func(r *swap.BlockResult, _ *[]rawlog.Record) { r.Planned++ },
	} {
		t.Run(name, func(t *testing.T) {
			l := openLog(t, s, "attempt-"+strings.ReplaceAll(name, " ", "-"), patient(t))
			rows := requests(p, 10)
			result := resultOf(p, rows)
			change(&result, &rows)
			require.NoError(t, l.Begin(p, begun))
			require.NoError(t, l.Write(rows))
			require.ErrorIs(t, seal(l, result), ErrCorrupt)
			require.Empty(t, l.Sealed())
			require.NoError(t, l.Begin(p, begun), "another try is possible")
			_, _, err := l.Finish(t.Context(), plans(1), asPlanned, swap.InstrumentState{})
			require.ErrorContains(t, err, "block 1 is not sealed")
		})
	}
}

func TestMisuseOfALog(t *testing.T) {
	s := newStore(t)
	_, err := OpenStepLog(t.Context(), s, testRun, 2, testSpec, "../up")
	require.ErrorContains(t, err, "attempt id")

	l := openLog(t, s, "one", patient(t))
	p := plans(1)
	require.Error(t, l.Write(requests(p[0], 1)))
	require.Error(t, seal(l, resultOf(p[0], nil)))
	require.NoError(t, l.Begin(p[0], begun))
	require.ErrorContains(t, l.Begin(p[1], begun), "block 1 is still open")
	require.ErrorContains(t, l.Seal(resultOf(p[1], nil)), "a slice of the block is not stored")
	other := p[1]
	other.Step = 3
	require.ErrorContains(t, l.Begin(other, begun), "step 3")
	require.ErrorContains(t, l.Seal(resultOf(other, nil)), "step 3")
}
