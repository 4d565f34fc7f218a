package load

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestSummaries(t *testing.T) {
	step := swap.Step{Concurrency: 2, Hold: swap.Duration(20 * time.Second)}
	takes := map[swap.Arm]time.Duration{swap.Baseline: 100 * time.Millisecond, swap.Candidate: 200 * time.Millisecond}
	var tally StepTally
	hashes := map[int][]string{}
	for _, b := range blockOrder(1, 2) {
		synctest.Test(t, func(t *testing.T) {
			p := PlanBlock(generator(t), step, time.Second, 10*time.Second, 1, StreamOf(b), nil)
			opt := options()
			block := NewBlockTally(b, time.Time{})
			opt.Block, opt.OnRecord = b, block.Add
			res, err := drive(t.Context(), &fakeServer{answer: always(swap.OK, takes[b.Arm])}, p, opt)
			require.NoError(t, err)
			got := block.Result(p.SHA256, res.Started, res.Measured)
			require.Equal(t, b, got.BlockPlan)
			require.Equal(t, int64(10_000), got.MeasuredMS)
			require.Equal(t, res.Planned, got.Planned)
			require.Equal(t, res.Outcomes, got.Outcomes)
			require.Equal(t, got.Planned, got.Outcomes.Total())
			require.InDelta(t, takes[b.Arm].Milliseconds(), got.TTFTP95ms.Or(0), 0.001)
			require.False(t, got.TPOTP50ms.Valid(), "all tokens of an answer came at once")
			hashes[b.Pair] = append(hashes[b.Pair], got.ScheduleSHA256)
			tally.Add(got, block)
		})
	}
	for _, pair := range hashes {
		require.Equal(t, pair[0], pair[1])
	}
	r := tally.Result(1, step)
	require.Equal(t, 4, r.Blocks)
	require.Equal(t, "concurrency 2", r.Label)
	require.InDelta(t, 440, r.Planned.Baseline, 6, "the second slot begins a quarter of a second later")
	require.InDelta(t, 220, r.Planned.Candidate, 4)
	require.InDelta(t, 100, r.TTFTP95ms.Baseline.Or(0), 0.001)
	require.InDelta(t, 200, r.TTFTP95ms.Candidate.Or(0), 0.001)
	require.InEpsilon(t, 2, r.Throughput.Baseline.Or(0)/r.Throughput.Candidate.Or(1), 0.1)
}

func TestAStepSaysThatItsLoadWasNotHeld(t *testing.T) {
	step := swap.Step{Rate: 20, MaxInFlight: 10}
	var tally StepTally
	for i, takes := range []time.Duration{100 * time.Millisecond, time.Second} {
		b := BlockAt(1, i)
		synctest.Test(t, func(t *testing.T) {
			p := PlanBlock(generator(t), step, time.Second, 20*time.Second, 1, StreamOf(b), nil)
			opt, block := options(), NewBlockTally(b, time.Time{})
			opt.Block, opt.OnRecord = b, block.Add
			res, err := drive(t.Context(), &fakeServer{answer: always(swap.OK, takes)}, p, opt)
			require.NoError(t, err)
			tally.Add(block.Result(p.SHA256, res.Started, res.Measured), block)
		})
	}
	r := tally.Result(1, step)
	require.Len(t, r.Findings, 1)
	require.Equal(t, "candidate, step 1", r.Findings[0].Subject)
	require.Regexp(t, `^the planned load of 20 req/s, at most 10 in flight was not held: \d+ of \d+ requests were not sent`,
		r.Findings[0].Message)
}

// An answer that cannot be read is shown once, so that people see what it is.
func TestAStepShowsAnAnswerThatCouldNotBeRead(t *testing.T) {
	step := swap.Step{Rate: 20}
	run := func(examples ...string) swap.StepResult {
		block := NewBlockTally(BlockAt(1, 0), time.Time{})
		for i, what := range examples {
			r := rawlog.Record{Seq: int32(i), Outcome: string(swap.ParseError)}
			if what != "" {
				r.Unread = &rawlog.Unread{What: what, Next: "look there"}
			}
			block.Add(&r)
		}
		block.Add(&rawlog.Record{Outcome: string(swap.OK)})
		merged := NewBlockTally(BlockAt(1, 0), time.Time{})
		require.NoError(t, merged.Merge(block.Pack()))
		var tally StepTally
		tally.Add(merged.Result("", time.Time{}, time.Second), merged)
		return tally.Result(1, step)
	}
	require.Empty(t, run().Findings)
	require.Equal(t, []swap.Finding{{
		Severity: swap.Notable, Subject: "baseline, step 1",
		Message: "3 of 4 answers could not be read, such as this: it began x", Next: "look there",
	}}, run("", "it began x", "it began y").Findings)
	require.Equal(t, "1 of 2 answers could not be read", run("").Findings[0].Message)
}

// What the client says of an answer gets into its record.
func TestARecordTellsOfAnAnswerThatCouldNotBeRead(t *testing.T) {
	f := newFlight(job{}, nil, time.Unix(1, 0))
	r := newRecord(Options{}, f, true, engine.Observation{Outcome: swap.ParseError, Err: "e", Unread: "w", Remedy: "n"})
	require.Equal(t, &rawlog.Unread{What: "w", Next: "n"}, r.Unread)
	require.Equal(t, "e", r.Error, "what is stored quotes nothing")
	require.Nil(t, newRecord(Options{}, f, true, engine.Observation{Outcome: swap.OK}).Unread)
}

func TestAnEmptyTallyHasNoNumbers(t *testing.T) {
	r := new(StepTally).Result(1, swap.Step{Rate: 1})
	require.False(t, r.TTFTP95ms.Baseline.Valid())
	require.False(t, r.Throughput.Candidate.Valid())
}

// A tally says of records what reading them all would say.
func TestATallyIsWhatTheRecordsSay(t *testing.T) {
	plan := swap.BlockPlan{Step: 1, Block: 2, Arm: swap.Candidate, Pair: 1}
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOf(rapid.Custom(tallied)).Draw(t, "records")
		block := NewBlockTally(plan, time.Time{})
		for i := range records {
			block.Add(&records[i])
		}
		measured := 2 * time.Second
		got := block.Result("5c4ed01e", time.Time{}, measured)
		require.Equal(t, len(records), got.Planned)
		require.Equal(t, rawlog.Outcomes(records), got.Outcomes)
		same(t, rawlog.Quantile(records, swap.MetricTTFT, 0.95), got.TTFTP95ms)
		same(t, rawlog.Quantile(records, swap.MetricTPOT, 0.5), got.TPOTP50ms)
		same(t, latenessP99(records), got.SendLatenessP99ms)
		var step StepTally
		step.Add(got, block)
		r := step.Result(1, swap.Step{Rate: 1})
		same(t, rawlog.Quantile(records, swap.MetricTTFT, 0.5), r.TTFTP50ms.Candidate)
		same(t, got.TTFTP95ms, r.TTFTP95ms.Candidate)
		same(t, rawlog.Throughput(records, measured), r.Throughput.Candidate)
	})
}

// latenessP99 is that of the client itself. Requests that opened a connection waited for the network; they count if there are no
// others.
func latenessP99(records []rawlog.Record) swap.Value {
	var kept, opened []float64
	for i := range records {
		late, sent := records[i].ClientLate().Get()
		switch {
		case sent && records[i].ConnReused:
			kept = append(kept, late)
		case sent:
			opened = append(opened, late)
		}
	}
	if len(kept) == 0 {
		kept = opened
	}
	slices.Sort(kept)
	return swap.Of(stats.Quantile(kept, 0.99))
}

func tallied(t *rapid.T) rawlog.Record {
	us := func(label string) *int64 { return rapid.Ptr(rapid.Int64Range(0, 1e7), true).Draw(t, label) }
	r := rawlog.Record{
		Outcome:  string(rapid.SampledFrom(swap.Outcomes).Draw(t, "outcome")),
		Measured: rapid.Bool().Draw(t, "measured"), ConnReused: rapid.Bool().Draw(t, "reused"),
		SentUnixNS: rapid.Int64Range(0, 2).Draw(t, "sent"), LateUS: rapid.Int64Range(0, 1e6).Draw(t, "late"),
		FirstUS: us("first"), LastUS: us("last"),
		OutputTokens: rapid.Ptr(rapid.Int32Range(0, 100), true).Draw(t, "tokens"),
	}
	if swap.Outcome(r.Outcome) == swap.ParseError {
		what := rapid.SampledFrom([]string{"one", "two"})
		unread := rapid.Custom(func(t *rapid.T) rawlog.Unread { return rawlog.Unread{What: what.Draw(t, "what")} })
		r.Unread = rapid.Ptr(unread, true).Draw(t, "unread")
	}
	return r
}

// same allows for the seven digits of a tally.
func same(t *rapid.T, want, got swap.Value) {
	require.Equal(t, want.Valid(), got.Valid())
	require.InDelta(t, want.Or(0), got.Or(0), 1e-6*math.Abs(want.Or(0)))
}
