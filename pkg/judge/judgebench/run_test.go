package judgebench

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The generated run: 4 steps of 22 blocks of 24,362 requests are 2,143,856.
const (
	steps            = 4
	pairsPerStep     = 11
	requestsPerBlock = 24_362
)

var (
	run   = swap.RunKey{Target: "chat", RunID: "0f7c1d5e-1111-4222-8333-944455566677"}
	began = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
)

// writeRun writes the tables of a run whose arms are alike, through the log that the load generators use.
func writeRun(b *testing.B, store *runstore.Store) []swap.StepManifest {
	b.Helper()
	manifests := make([]swap.StepManifest, 0, steps)
	for step := range steps {
		manifests = append(manifests, writeStep(b, store, step+1))
	}
	return manifests
}

func writeStep(b *testing.B, store *runstore.Store, step int) swap.StepManifest {
	b.Helper()
	ctx := b.Context()
	log, err := runstore.OpenStepLog(ctx, store, run, step, swap.Step{Concurrency: 8 << step}, "one")
	require.NoError(b, err)
	plans := plansOf(step)
	for _, plan := range plans {
		require.NoError(b, log.Begin(plan, began))
		result := swap.BlockResult{
			BlockPlan: plan, MeasuredMS: 600_000, Planned: requestsPerBlock, ScheduleSHA256: "5c4ed01e", Outcomes: swap.OutcomeCounts{},
		}
		require.NoError(b, writeBlock(log, plan, result.Outcomes))
		slice, err := log.Store(result.Planned, result.Outcomes)
		require.NoError(b, err)
		result.Slices = []swap.BlockSlice{slice}
		require.NoError(b, log.Seal(result))
	}
	manifest, _, err := log.Finish(ctx, plans, swap.StepEnd{Code: swap.EndedPlanned}, swap.InstrumentState{})
	require.NoError(b, err)
	require.NoError(b, log.Close(ctx))
	return manifest
}

// plansOf are the blocks of a step, in the order ABBA.
func plansOf(step int) []swap.BlockPlan {
	var plans []swap.BlockPlan
	for pair := 1; pair <= pairsPerStep; pair++ {
		first := swap.Arms[(pair+1)%2]
		plans = append(plans,
			swap.BlockPlan{Step: step, Block: 2*pair - 1, Arm: first, Pair: pair},
			swap.BlockPlan{Step: step, Block: 2 * pair, Arm: first.Other(), Pair: pair})
	}
	return plans
}

// writeBlock writes and counts the requests of a block.
func writeBlock(log *runstore.StepLog, plan swap.BlockPlan, outcomes swap.OutcomeCounts) error {
	source := newRequests(plan)
	batch := make([]rawlog.Record, 0, 500)
	for i := range requestsPerBlock {
		record := source.next(int32(i))
		outcomes[swap.Outcome(record.Outcome)]++
		if batch = append(batch, record); len(batch) < cap(batch) && i < requestsPerBlock-1 {
			continue
		}
		if err := log.Write(batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
	return nil
}

// requests makes records that look like those of a real server: log-normal times around a level of the block, a chunk a token,
// one request in five hundred failed, and no two alike.
type requests struct {
	plan   swap.BlockPlan
	random *rand.Rand
	level  float64
}

func newRequests(plan swap.BlockPlan) *requests {
	random := rand.New(rand.NewPCG(uint64(plan.Step), uint64(plan.Block)))
	return &requests{plan: plan, random: random, level: .02 * random.NormFloat64()}
}

func (q *requests) next(seq int32) rawlog.Record {
	due := began.UnixNano() + int64(seq)*24_000_000 + q.random.Int64N(20_000_000)
	late := q.random.Int64N(200)
	r := rawlog.Record{
		Step: int32(q.plan.Step), Block: int32(q.plan.Block), Pair: int32(q.plan.Pair), Seq: seq, Unit: seq, Arm: string(q.plan.Arm),
		Measured: seq >= requestsPerBlock/20, PlannedUnixNS: due, SentUnixNS: due + late*1e3, LateUS: late,
		TraceID: q.hex(16), PromptSHA256: q.hex(32), ConnReused: true,
	}
	if q.random.IntN(500) == 0 {
		r.Outcome, r.Status, r.Error = string(swap.HTTP5xx), 503, "503 Service Unavailable"
		return r
	}
	q.answer(&r)
	return r
}

func (q *requests) answer(r *rawlog.Record) {
	n := 1 + int(20*math.Exp(.5*q.random.NormFloat64()))
	first := int64(80_000 * math.Exp(q.level+.4*q.random.NormFloat64()))
	pace := 9000 * math.Exp(q.level+.1*q.random.NormFloat64())
	last := first
	for range n - 1 {
		gap := int64(pace * (1 + .05*q.random.NormFloat64()))
		r.ChunkGapsUS = append(r.ChunkGapsUS, gap)
		last += gap
	}
	headers, end, lag := first-500, last+300, int64(20+q.random.IntN(30))
	prompt, output, cached, work := int32(200+q.random.IntN(300)), int32(n), int32(16*q.random.IntN(4)), float64(n)
	r.HeadersUS, r.RoleUS, r.FirstUS, r.VisibleUS, r.LastUS, r.FinishUS, r.EndUS = &headers, &first, &first, &first, &last, &last, &end
	r.Chunks, r.KernelStamped, r.LagUS = int32(n), int32(n), &lag
	r.PromptTokens, r.OutputTokens, r.CachedTokens, r.MaxTokens, r.Work = &prompt, &output, &cached, int32(n), &work
	r.Outcome, r.Status, r.FinishReason, r.Fingerprint = string(swap.OK), 200, "stop", "fp_1234"
}

func (q *requests) hex(bytes int) string {
	content := make([]byte, bytes)
	for i := range content {
		content[i] = byte(q.random.Uint32())
	}
	return hex.EncodeToString(content)
}
