package rawlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// answered is a request of a block that is sent so many ms after the start of the test, with its first token 100 ms later, its last
// 300 ms and its end 350 ms later.
func answered(step, block int32, atMS int64, tokens int32) Record {
	us := func(ms int64) *int64 { v := 1000 * ms; return &v }
	at := time.Unix(1000, 0).Add(time.Duration(atMS) * time.Millisecond).UnixNano()
	return Record{
		Step: step, Block: block, Arm: string(swap.Candidate), Measured: true, Outcome: string(swap.OK), PlannedUnixNS: at, SentUnixNS: at,
		RoleUS: us(100), FirstUS: us(100), VisibleUS: us(100), LastUS: us(300), FinishUS: us(300), EndUS: us(350),
		OutputTokens: &tokens, MaxTokens: 40,
	}
}

// Ten requests of 20 tokens, one every 100 ms: planned over a second, sent and answered over 1.25 s, with tokens over 1.1 s.
func TestThroughputByEveryDefinition(t *testing.T) {
	for name, want := range map[string]struct{ requests, tokens float64 }{
		"canonical": {10, 200}, "vllm": {8, 160}, "sglang": {8, 160}, "aiperf": {8, 160}, "guidellm": {8, 200 / 1.1},
		"inference-perf": {8, 160},
	} {
		t.Run(name, func(t *testing.T) {
			p, ok := ProfileNamed(name)
			require.True(t, ok)
			s := NewProfileSummary(p)
			settle := answered(1, 1, -5000, 900)
			settle.Measured = false
			s.Add(&settle)
			for i := range 10 {
				r := answered(1, 1, int64(100*i), 20)
				s.Add(&r)
			}
			got := s.Arms()[0].Throughput
			require.Len(t, got, 1)
			require.Equal(t, 1, got[0].Step)
			require.InDelta(t, want.requests, got[0].Requests.Or(0), 1e-9)
			require.InDelta(t, want.tokens, got[0].Tokens.Or(0), 1e-9)
		})
	}
}

func TestThroughputIsOfEachStepAndAddsItsBlocks(t *testing.T) {
	s := NewProfileSummary(vLLM())
	for _, r := range []Record{
		answered(1, 1, 0, 10), answered(1, 1, 650, 10), // a second
		answered(1, 4, 60_000, 10),      // 350 ms, a minute later
		answered(2, 1, 90_000, 35),      // 350 ms
		answered(0, 0, 95_000, 7),       // a rollout window
		answered(2, 1, 90_000+650, 100), // a second in all
	} {
		s.Add(&r)
	}
	s.Begin(0)
	other := answered(0, 0, 900_000, 7) // another window, a quarter of an hour later
	s.Add(&other)
	got := s.Arms()[0].Throughput
	require.Len(t, got, 3)
	require.Equal(t, []int{0, 1, 2}, []int{got[0].Step, got[1].Step, got[2].Step})
	require.Equal(t, []int{2, 2, 1}, []int{got[0].Blocks, got[1].Blocks, got[2].Blocks})
	require.InDelta(t, 2/0.7, got[0].Requests.Or(0), 1e-9)
	require.InDelta(t, 3/1.35, got[1].Requests.Or(0), 1e-9)
	require.InDelta(t, 30/1.35, got[1].Tokens.Or(0), 1e-9)
	require.InDelta(t, 135, got[2].Tokens.Or(0), 1e-9)
}

func TestTheMeasuredTimeIsThatOfTheBlockWhereItIsKnown(t *testing.T) {
	for measured, want := range map[time.Duration]float64{0: 200, 4 * time.Second: 100} {
		s := NewProfileSummary(canonical())
		s.Begin(measured)
		for i := range 20 { // stars: two at a time
			r := answered(1, 1, int64(200*(i/2)), 20)
			s.Add(&r)
		}
		got := s.Arms()[0].Throughput[0]
		require.InDelta(t, want, got.Tokens.Or(0), 1e-9)
		require.Equal(t, measured == 0, got.Note != "")
	}
}

func TestThroughputThatCannotBeToldIsAbsent(t *testing.T) {
	failed, uncounted := answered(1, 1, 0, 1), answered(1, 1, 100, 1)
	failed.Outcome, uncounted.OutputTokens = string(swap.HTTP5xx), nil
	for note, records := range map[string][]Record{
		"no good request":              {failed},
		"the server counted no tokens": {failed, uncounted},
	} {
		s := NewProfileSummary(canonical())
		for i := range records {
			s.Add(&records[i])
		}
		got := s.Arms()[0].Throughput[0]
		require.False(t, got.Tokens.Valid())
		require.Equal(t, note, got.Note)
	}
	s := NewProfileSummary(sgLang())
	s.Add(&uncounted)
	require.InDelta(t, 40/0.35, s.Arms()[0].Throughput[0].Tokens.Or(0), 1e-9, "the tool takes what was asked for")
}
