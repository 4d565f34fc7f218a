package runstore

import (
	"encoding/hex"
	"math/rand/v2"
	"runtime"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// tokensEach is how many tokens, each in a chunk of its own, a synthetic request has.
const tokensEach = 50

// synthetic makes requests that look like those of a real server: noisy gaps around 9 ms, no two alike.
type synthetic struct {
	plan swap.BlockPlan
	rand *rand.Rand
	seq  int32
}

func newSynthetic(p swap.BlockPlan) *synthetic {
	return &synthetic{plan: p, rand: rand.New(rand.NewPCG(uint64(p.Block), 1))}
}

func (s *synthetic) next() rawlog.Record {
	first := int64(80_000 + 40_000*s.rand.ExpFloat64())
	gaps, tokens := make([]int64, tokensEach-1), make([]int32, tokensEach)
	last := first
	for k := range gaps {
		gaps[k] = int64(9000 + 400*s.rand.NormFloat64())
		last += gaps[k]
	}
	for k := range tokens {
		tokens[k] = 1
	}
	headers, end, lag := first-500, last+300, int64(20+s.rand.IntN(30))
	prompt, output, work := int32(200+s.rand.IntN(300)), int32(tokensEach), float64(tokensEach)
	due := begun.UnixNano() + int64(s.seq)*2_000_000 + int64(s.rand.IntN(1_000_000))
	r := rawlog.Record{
		Step: int32(s.plan.Step), Block: int32(s.plan.Block), Pair: int32(s.plan.Pair), Seq: s.seq, Unit: s.seq, Arm: string(s.plan.Arm),
		Measured: true, PlannedUnixNS: due, SentUnixNS: due + int64(s.rand.IntN(200_000)), LateUS: int64(s.rand.IntN(200)),
		HeadersUS: &headers, RoleUS: &first, FirstUS: &first, VisibleUS: &first, LastUS: &last, FinishUS: &last, EndUS: &end,
		Chunks: tokensEach, ChunkGapsUS: gaps, ChunkTokens: tokens, KernelStamped: tokensEach, LagUS: &lag,
		PromptTokens: &prompt, OutputTokens: &output, MaxTokens: tokensEach, Work: &work,
		Outcome: string(swap.OK), Status: 200, FinishReason: "length", TraceID: s.hex(16), PromptSHA256: s.hex(32),
		Fingerprint: "fp_1234", ConnReused: true,
	}
	s.seq++
	return r
}

func (s *synthetic) hex(bytes int) string {
	b := make([]byte, bytes)
	for i := range b {
		b[i] = byte(s.rand.Uint32())
	}
	return hex.EncodeToString(b)
}

// write writes n requests in batches as a tape does, whose rows are used again, and calls each after every batch.
func (s *synthetic) write(l *StepLog, n int, each func(batch []rawlog.Record)) error {
	batch := make([]rawlog.Record, 0, 500)
	for i := range n {
		batch = append(batch, s.next())
		if len(batch) < cap(batch) && i < n-1 {
			continue
		}
		if err := l.Write(batch); err != nil {
			return err
		}
		each(batch)
		clear(batch)
		batch = batch[:0]
	}
	return nil
}

// liveHeap is what is reachable now.
func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
