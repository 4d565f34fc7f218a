package rawlog

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

// stream is a record written as its events, in ms after the send.
type stream struct {
	role, visible, finish, end int64   // −1 is never
	chunks                     []int64 // times of non-empty deltas
	tokens                     []int32 // of each chunk, where the server tells
	usage                      int32   // −1 is none
	held, late                 int64
	asked                      int32
}

func (s stream) record() Record {
	r := Record{
		Measured: true, Outcome: string(swap.OK), SentUnixNS: 1, HeldUS: 1000 * s.held, LateUS: 1000 * s.late,
		Chunks: int32(len(s.chunks)), ChunkTokens: s.tokens, MaxTokens: s.asked,
		RoleUS: at(s.role), VisibleUS: at(s.visible), FinishUS: at(s.finish), EndUS: at(s.end),
	}
	if len(s.chunks) > 0 {
		r.FirstUS, r.LastUS = at(s.chunks[0]), at(s.chunks[len(s.chunks)-1])
	}
	for k := 1; k < len(s.chunks); k++ {
		r.ChunkGapsUS = append(r.ChunkGapsUS, 1000*(s.chunks[k]-s.chunks[k-1]))
	}
	if s.usage >= 0 {
		r.OutputTokens = &s.usage
	}
	return r
}

func at(ms int64) *int64 {
	if ms < 0 {
		return nil
	}
	return us(ms)
}

// every is n times from first on, each gap later.
func every(first, gap int64, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = first + int64(i)*gap
	}
	return out
}

func none(values ...float64) []float64 { return values }

// The stories of what other load generators got wrong, with the right numbers. −1 is an absent metric.
func TestStories(t *testing.T) {
	cases := []struct {
		name                                    string
		s                                       stream
		ttft, ttfv, e2e, tpot, adjusted, tokens float64
		itl                                     []float64 // each as often as it weighs
	}{
		{
			"T11 a role-only chunk is no token",
			stream{role: 5, visible: 214, chunks: []int64{214, 224}, finish: 224, end: 225, usage: 2},
			214, 214, 224, 10, 10, 2, none(10),
		},
		{"T12 an empty answer", stream{role: 0, visible: -1, finish: 30, end: 31, usage: 0}, -1, -1, -1, -1, -1, 0, none()},
		{
			"T14 reasoning first",
			stream{role: 100, visible: 900, chunks: []int64{100, 110, 900}, finish: 900, end: 901, usage: 3},
			100, 900, 900, 400, 400, 3, none(10, 790),
		},
		{
			"T15 nothing but reasoning",
			stream{role: 100, visible: -1, chunks: every(100, 10, 20), finish: 300, end: 301, usage: 20},
			100, -1, 290, 10, 10, 20, slices.Repeat([]float64{10}, 19),
		},
		{
			"T16 a usage chunk is no token",
			stream{role: 50, visible: 50, chunks: []int64{50, 60}, finish: 61, end: 90, usage: 2},
			50, 50, 60, 10, 10, 2, none(10),
		},
		{
			"T18 the first name of a tool call counts",
			stream{role: 10, visible: 70, chunks: []int64{70, 80}, finish: 81, end: 82, usage: 2},
			70, 70, 80, 10, 10, 2, none(10),
		},
		{
			"T20 four tokens a chunk",
			stream{
				role: 100, visible: 100, chunks: every(100, 40, 10), tokens: slices.Repeat([]int32{4}, 10), finish: 460, end: 461, usage: 40,
			},
			100, 100, 460, 360.0 / 39, 10, 40, slices.Repeat([]float64{10}, 36),
		},
		{
			"T20 where the server does not tell tokens of chunks",
			stream{
				role: 100, visible: 100, chunks: every(100, 40, 10), finish: 460, end: 461, usage: 40,
			},
			100, 100, 460, 360.0 / 39, -1, 40, none(),
		},
		{
			"T21 the first chunk bundles eight",
			stream{
				role: 100, visible: 100, chunks: every(100, 10, 9), tokens: []int32{8, 1, 1, 1, 1, 1, 1, 1, 1}, finish: 180, end: 181, usage: 16,
			},
			100, 100, 180, 80.0 / 15, 10, 16, slices.Repeat([]float64{10}, 8),
		},
		{
			"T22 TTFT is no ITL",
			stream{role: 500, visible: 500, chunks: every(500, 10, 5), finish: 540, end: 541, usage: 5},
			500, 500, 540, 10, 10, 5, slices.Repeat([]float64{10}, 4),
		},
		{
			"T23 one token",
			stream{role: 100, visible: 100, chunks: []int64{100}, finish: 100, end: 101, usage: 1},
			100, 100, 100, -1, -1, 1, none(),
		},
		{
			"T26 usage counts, not chunks tokenised again",
			stream{role: 10, visible: 10, chunks: every(10, 10, 10), finish: 100, end: 101, usage: 10},
			10, 10, 100, 10, 10, 10, slices.Repeat([]float64{10}, 9),
		},
		{
			"T27 usage wins over any other count",
			stream{role: 10, visible: 10, chunks: every(10, 10, 37), finish: 370, end: 371, usage: 40},
			10, 10, 370, 360.0 / 39, -1, 40, none(),
		},
		{
			"T28 no usage",
			stream{role: 10, visible: 10, chunks: every(10, 10, 4), finish: 40, end: 41, usage: -1, asked: 128},
			10, 10, 40, -1, -1, -1, none(),
		},
		{
			"T06 chunks of one read share its gap",
			stream{
				role: 0, visible: 100, chunks: []int64{100, 100, 140, 140, 140, 140}, finish: 140, end: 141, usage: 6,
			},
			100, 100, 140, 8, 10, 6, none(10, 10, 10, 10),
		},
		{
			"a chunk without a token leaves its gap to the next",
			stream{
				role: 0, visible: 100, chunks: []int64{100, 110, 120}, tokens: []int32{1, 0, 2}, finish: 120, end: 121, usage: 3,
			},
			100, 100, 120, 10, 10, 3, none(10, 10),
		},
	}
	canon, _ := ProfileNamed("canonical")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := c.s.record()
			for name, want := range map[string]float64{
				"ttft": c.ttft, "ttfv": c.ttfv, "e2e": c.e2e, "tpot": c.tpot, "tpot_adjusted": c.adjusted, "output_tokens": c.tokens,
			} {
				requireMetric(t, canon, name, r, want)
			}
			m, _ := canon.Metric("itl")
			require.InDeltaSlice(t, c.itl, valuesOf(m, &r), 1e-9)
			require.Len(t, valuesOf(m, &r), len(c.itl))
		})
	}
}

// valuesOf are a request's values of a metric, each as often as it weighs.
func valuesOf(m ProfileMetric, r *Record) []float64 {
	var all []float64
	m.Each(r, func(v float64, weight int) { all = append(all, slices.Repeat([]float64{v}, weight)...) })
	return all
}

func requireMetric(t *testing.T, p Profile, name string, r Record, want ...float64) {
	t.Helper()
	m, ok := p.Metric(name)
	require.True(t, ok, "%s has no %s", p.Name, name)
	got := valuesOf(m, &r)
	if len(want) == 1 && want[0] < 0 {
		require.Empty(t, got, "%s %s", p.Name, name)
		return
	}
	require.Len(t, got, len(want), "%s %s", p.Name, name)
	require.InDeltaSlice(t, want, got, 1e-9, "%s %s", p.Name, name)
}

func TestTimesAroundTheSend(t *testing.T) {
	r := stream{role: 100, visible: 100, chunks: []int64{100, 110}, finish: 110, end: 120, usage: 2, held: 30, late: 32}.record()
	require.InDelta(t, 132, r.TTFTScheduled().Or(0), 1e-9)
	require.InDelta(t, 30, r.Queue().Or(0), 1e-9)
	require.InDelta(t, 2, r.ClientLate().Or(0), 1e-9)
	require.InDelta(t, 120, r.E2EStream().Or(0), 1e-9)
	r.SentUnixNS = 0
	require.False(t, r.Queue().Valid(), "it was never sent")
	require.False(t, r.ClientLate().Valid())
}

// However a stream is cut into chunks, the token latencies add up to the time between its first and its last token.
func TestTokenLatenciesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "chunks")
		first := int64(100)
		r := Record{
			Chunks: int32(n), FirstUS: &first, ChunkGapsUS: rapid.SliceOfN(rapid.Int64Range(0, 5000), n-1, n-1).Draw(t, "gaps"),
			ChunkTokens: rapid.SliceOfN(rapid.Int32Range(1, 9), n, n).Draw(t, "tokens"),
		}
		last, usage := first, int32(0)
		for _, g := range r.ChunkGapsUS {
			last += g
		}
		for _, k := range r.ChunkTokens {
			usage += k
		}
		r.LastUS, r.OutputTokens = &last, &usage
		sum, weight := 0.0, 0
		r.ITL(func(ms float64, tokens int) {
			require.Positive(t, ms)
			sum += ms * float64(tokens)
			weight += tokens
		})
		require.InDelta(t, float64(last-first)/1e3, sum, 1e-6)
		if adjusted, ok := r.TPOTAdjusted().Get(); ok {
			require.InDelta(t, adjusted, sum/float64(weight), 1e-9, "TPOT adjusted is the mean ITL")
		}
	})
}
