package sizeclass

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// answer has its first token after firstMS and the last of 21 after firstMS + 20·tokenMS.
func answer(step int32, firstMS, tokenMS float64) rawlog.Record {
	first, last := int64(firstMS*1e3), int64((firstMS+20*tokenMS)*1e3)
	tokens := int32(21)
	return rawlog.Record{
		Step: step, Arm: string(swap.Candidate), Measured: true, Outcome: string(swap.OK), FirstUS: &first, LastUS: &last, OutputTokens: &tokens,
	}
}

func failure(message string) rawlog.Record {
	return rawlog.Record{Step: 1, Arm: string(swap.Candidate), Measured: true, Outcome: string(swap.HTTP5xx), Error: message}
}

func TestFindings(t *testing.T) {
	small, large := Size{Total: 8, Active: 8, From: fromName}, Size{Total: 72, Active: 72, From: fromFamily}
	labels := []string{"concurrency 8", "concurrency 16"}
	times := func(n int, r rawlog.Record) []rawlog.Record {
		records := make([]rawlog.Record, n)
		for i := range records {
			records[i] = r
		}
		return records
	}
	t.Run("within", func(t *testing.T) {
		var m Meter
		m.Add(times(50, answer(1, 100, 25)))
		got := m.Findings(swap.Candidate, "m-8b", small, labels)
		require.Equal(t, []swap.Finding{{Severity: swap.Harmless, Subject: Subject, Message: "There is no history to compare the " +
			"candidate with. m-8b has 8 billion parameters (told by name; class small): usual are P90 ≤ 850 ms, ≥ 18 tok/s, out of " +
			"memory < 0.05 %. Within it: concurrency 8 (P90 600 ms, first token 100 ms, 40 tok/s)."}}, got)
		require.Empty(t, m.Findings(swap.Baseline, "m-8b", small, labels))
	})
	t.Run("a step that is too slow", func(t *testing.T) {
		var m Meter
		m.Add(times(50, answer(1, 100, 25)))
		m.Add(times(50, answer(2, 500, 60)))
		m.Add(times(50, answer(3, 100, 25)))
		got := m.Findings(swap.Candidate, "m-8b", small, labels)
		require.Equal(t, swap.Notable, got[0].Severity)
		require.Contains(t, got[0].Message, " Not within it: concurrency 16 (P90 170")
		require.Contains(t, got[0].Message, "; step 3 (")
		require.Equal(t, swap.Harmless, m.Findings(swap.Candidate, "m-72b", large, labels)[0].Severity, "a large model may be slow")
	})
	t.Run("out of memory", func(t *testing.T) {
		var m Meter
		fail := func(n int, message string) {
			m.Add(times(n, failure(message)))
			m.AddFailures(times(n, failure(message)))
		}
		m.Add(times(9990, answer(1, 100, 25)))
		fail(4, "CUDA out of memory. Tried to allocate")
		require.Equal(t, swap.Harmless, m.Findings(swap.Candidate, "m", small, labels)[0].Severity, "0.04 %")
		require.Equal(t, swap.Notable, m.Findings(swap.Candidate, "m", large, labels)[0].Severity)
		fail(2, "torch.OutOfMemoryError")
		require.Contains(t, m.Findings(swap.Candidate, "m", small, labels)[0].Message, "6 of 9996 requests out of memory")
		require.Equal(t, swap.Notable, m.Findings(swap.Candidate, "m", small, labels)[0].Severity)
	})
	t.Run("failures are the slowest requests", func(t *testing.T) {
		var m Meter
		m.Add(times(80, answer(1, 100, 25)))
		m.Add(times(20, failure("boom")))
		got := m.Findings(swap.Candidate, "m", small, labels)[0]
		require.Equal(t, swap.Notable, got.Severity)
		require.Contains(t, got.Message, "P90 n/a ms")
	})
	t.Run("what is not measured is no fault", func(t *testing.T) {
		var m Meter
		r := answer(1, 100, 25)
		r.OutputTokens = nil
		abandoned, settling := answer(1, 9e3, 25), answer(1, 9e3, 25)
		abandoned.Outcome, settling.Measured = string(swap.Abandoned), false
		m.Add(append(times(10, r), abandoned, settling))
		got := m.Findings(swap.Candidate, "m", small, labels)[0]
		require.Equal(t, swap.Harmless, got.Severity, got.Message)
		require.Contains(t, got.Message, "n/a tok/s")
	})
}

func TestScores(t *testing.T) {
	var models []Model
	for i := range 9 {
		models = append(models, Model{Name: "m-8b-fp8", P99MS: 100 * math.Exp(float64(i-4)/10), Size: Size{Total: 8, Active: 8}})
	}
	models[8].P99MS = 10_000
	models = append(models,
		Model{Name: "m-72b", P99MS: 900, Size: Size{Total: 72, Active: 72}},
		Model{Name: "a-14b", P99MS: 10, Size: Size{Total: 14, Active: 14}}, Model{Name: "b-14b", P99MS: 10, Size: Size{Total: 14, Active: 14}},
		Model{Name: "c-14b", P99MS: 20, Size: Size{Total: 14, Active: 14}})
	got := Scores(models)
	require.Equal(t, Group{Class: "small", GigaFLOPs: 16, Bits: 8}, got[0].Group)
	require.Less(t, got[8].Z.Or(0), 3.0, "one slow model hides itself in mean and deviation")
	require.Greater(t, got[8].Robust.Or(0), 10.0)
	require.InDelta(t, 0, got[4].Robust.Or(9), 1e-9, "the median")
	require.Contains(t, got[9].Refusal, "1 models")
	require.False(t, got[9].Z.Valid() || got[9].Robust.Valid())
	require.False(t, got[12].Robust.Valid(), "more than half are equal")
}

// What is slower has the higher score, by either.
func TestScoresKeepTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(1, 1e4), 8, 20, rapid.ID[float64]).Draw(t, "p99")
		models := make([]Model, len(values))
		for i, v := range values {
			models[i] = Model{Name: "m-8b", P99MS: v, Size: Size{Total: 8, Active: 8}}
		}
		scores := Scores(models)
		for i := range scores {
			for j := range scores {
				if values[i] < values[j] {
					require.LessOrEqual(t, scores[i].Robust.Or(0), scores[j].Robust.Or(0))
					require.LessOrEqual(t, scores[i].Z.Or(0), scores[j].Z.Or(0))
				}
			}
		}
	})
}
