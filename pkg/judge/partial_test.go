package judge

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func uncount(record *rawlog.Record)    { record.OutputTokens = nil }
func comeAtOnce(record *rawlog.Record) { record.LastUS = record.FirstUS }

func ofMetric(t *testing.T, c swap.Comparison, metric swap.Metric) swap.GateResult {
	t.Helper()
	for _, g := range c.Gates {
		if g.Gate.Metric == metric {
			return g
		}
	}
	require.Fail(t, "no gate on "+string(metric))
	return swap.GateResult{}
}

// The slow half of the candidate's answers has no token count: the rest is as fast as the baseline, and half of the tokens
// seems to be gone.
func TestATokenGateIsNotJudgedOnAPartOfTheAnswers(t *testing.T) {
	s := usual()
	s.spoil(swap.Candidate, 2, func(r *rawlog.Record) {
		slow := *r.FirstUS + 2*(*r.LastUS-*r.FirstUS)
		r.LastUS, r.OutputTokens = &slow, nil
	})
	got := Decide(s.evidence(usualGates()...))
	for _, metric := range []swap.Metric{swap.MetricTPOT, swap.MetricThroughput, swap.MetricOutputTokens} {
		g := ofMetric(t, got, metric)
		require.Equal(t, swap.Inconclusive, g.Decision, metric)
		require.Equal(t, swap.ReasonPartialData, g.Reason.Code)
		require.Contains(t, g.Reason.Message, "1800 of 3600 answers of the candidate reported no token count")
		require.False(t, g.Change.Valid())
		require.Contains(t, got.Reasons, g.Reason)
	}
	throughput := ofMetric(t, got, swap.MetricThroughput)
	require.False(t, throughput.Candidate.Valid(), "the candidate's total is not known")
	require.True(t, throughput.Baseline.Valid())
	require.Equal(t, swap.Pass, ofMetric(t, got, swap.MetricTTFT).Decision, "a latency needs no token count")
	require.Equal(t, swap.Fail, ofMetric(t, got, swap.MetricE2E).Decision)
	require.Contains(t, got.Reasons[0].Message, "without token counts", "the cause is not guessed from a part of the answers")
	require.Empty(t, got.Findings)
}

func TestHowManyAnswersMayLackAMetric(t *testing.T) {
	for _, c := range []struct {
		name            string
		gate            swap.Gate
		base, cand      int // every so many records, of 3600
		spoil           func(*rawlog.Record)
		blocked         bool
		says, findsNext string
	}{
		{
			"few on both arms", gate(swap.MetricTPOT, swap.StatP50, .2), 120, 120, uncount, false,
			"30 of 3600 answers of the candidate reported no token count and were left out", "token usage",
		},
		{
			"one of one arm", gate(swap.MetricThroughput, swap.StatRate, .2), 3600, 0, uncount, false,
			"1 of 3600 answers of the baseline reported no token count and were left out", "token usage",
		},
		{
			"many of the baseline", gate(swap.MetricThroughput, swap.StatRate, .2), 10, 0, uncount, true,
			"360 of 3600 answers of the baseline reported no token count", "",
		},
		{
			"many on both arms", gate(swap.MetricOutputTokens, swap.StatMean, .2), 50, 50, uncount, true,
			"72 of 3600 answers of the baseline reported no token count and 72 of 3600 answers of the candidate reported", "",
		},
		{
			"few, of one arm alone", gate(swap.MetricTPOT, swap.StatP50, .2), 0, 150, uncount, true,
			"24 of 3600 answers of the candidate reported no token count, more than the 0.1 % tolerated where the arms differ in it", "",
		},
		{
			"few on both arms, all of which may belong to the tail", gate(swap.MetricTPOT, swap.StatP99, .3), 120, 120, uncount, true,
			"more than the 0.1 % tolerated: make the server report token usage", "",
		},
		{
			"answers that came at once", gate(swap.MetricTPOT, swap.StatP50, .2), 4, 4, comeAtOnce, true,
			"all tokens of 900 of 3600 answers of the candidate came in one read", "",
		},
		{
			"answers of one token", gate(swap.MetricTPOT, swap.StatP50, .2), 4, 4,
			func(r *rawlog.Record) { one := int32(1); r.OutputTokens, r.LastUS = &one, r.FirstUS }, false, "", "",
		},
		{
			"answers whose count contradicts their text", gate(swap.MetricTPOT, swap.StatP50, .2), 4, 4,
			func(r *rawlog.Record) { none := int32(0); r.OutputTokens, r.Chunks = &none, 3 }, true,
			"900 of 3600 answers of the candidate reported no token count", "",
		},
		{
			"few that came at once", gate(swap.MetricTPOT, swap.StatP50, .2), 120, 120, comeAtOnce, false,
			"all tokens of 30 of 3600 answers of the candidate came in one read and were left out", "buffers the stream",
		},
		{
			"no first token", gate(swap.MetricTTFT, swap.StatP50, .2), 0, 10, func(r *rawlog.Record) { r.FirstUS = nil }, true,
			"360 of 3600 answers of the candidate have no time to first token", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := usual()
			s.spoil(swap.Baseline, c.base, c.spoil)
			s.spoil(swap.Candidate, c.cand, c.spoil)
			got := Decide(s.evidence(c.gate))
			if c.blocked {
				require.Equal(t, swap.Inconclusive, got.Decision)
				require.Equal(t, swap.ReasonPartialData, got.Reasons[0].Code)
				require.Contains(t, got.Reasons[0].Message, c.says)
				return
			}
			require.Equal(t, swap.Pass, got.Decision)
			var said []string
			for _, f := range got.Findings {
				require.Contains(t, f.Next, c.findsNext)
				said = append(said, f.Message)
			}
			if c.says != "" {
				require.Contains(t, said, c.says)
			}
		})
	}
}

func TestNoTokenCountAtAllIsNoData(t *testing.T) {
	s := usual()
	s.spoil(swap.Baseline, 1, uncount)
	s.spoil(swap.Candidate, 1, uncount)
	got := Decide(s.evidence(gate(swap.MetricTPOT, swap.StatP50, .2)))
	require.Equal(t, swap.ReasonNoData, got.Gates[0].Reason.Code)
	require.Contains(t, got.Gates[0].Reason.Message, "may not report token usage")
}

func TestATimePerTokenOfOneReadIsNoData(t *testing.T) {
	s := usual()
	s.spoil(swap.Baseline, 1, comeAtOnce)
	s.spoil(swap.Candidate, 1, comeAtOnce)
	got := Decide(s.evidence(gate(swap.MetricTPOT, swap.StatP50, .2))).Gates[0].Reason
	require.Equal(t, swap.ReasonNoData, got.Code)
	require.Contains(t, got.Message, "3600 of 3600 answers of the")
	require.Contains(t, got.Message, "came in one read: the server or a proxy buffers the stream")
}

// Whatever the candidate does, a part of the answers beyond the tolerated share decides no gate on tokens.
func TestAPartOfTheAnswersNeverDecides(t *testing.T) {
	gates := []swap.Gate{
		gate(swap.MetricTPOT, swap.StatP50, .1), gate(swap.MetricTPOT, swap.StatMean, .1),
		gate(swap.MetricThroughput, swap.StatRate, .1), gate(swap.MetricOutputTokens, swap.StatMean, .1),
	}
	rapid.Check(t, func(t *rapid.T) {
		s := usual()
		s.steps, s.pairs, s.requests = 1, 10, 40
		s.tpot, s.tokens = rapid.Float64Range(.5, 2).Draw(t, "tpot"), rapid.Float64Range(.5, 2).Draw(t, "tokens")
		s.baseFail, s.fails = rapid.Float64Range(0, .2).Draw(t, "base fails"), rapid.Float64Range(0, .2).Draw(t, "cand fails")
		partOf := rapid.SampledFrom(swap.Arms[:]).Draw(t, "arm")
		s.spoil(partOf, rapid.IntRange(2, 70).Draw(t, "every"), uncount)
		s.spoil(partOf.Other(), rapid.IntRange(0, 90).Draw(t, "every other"), uncount)
		e := s.evidence(gates...)
		e.Settings.Resamples = 49
		for _, g := range Decide(e).Gates {
			if g.Decision != swap.Inconclusive || g.Reason.Code != swap.ReasonPartialData && g.Reason.Code != swap.ReasonNoData {
				t.Fatalf("%s is %s: %s", g.Name, g.Decision, g.Reason.Message)
			}
		}
	})
}
