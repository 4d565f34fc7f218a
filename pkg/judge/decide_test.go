package judge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func codes(reasons []swap.Reason) []string {
	var found []string
	for _, r := range reasons {
		found = append(found, r.Code)
	}
	return found
}

func TestEqualArmsPass(t *testing.T) {
	c := Decide(usual().evidence(usualGates()...))
	for _, g := range c.Gates {
		t.Log(g.Reason.Message)
		require.Equal(t, swap.Pass, g.Decision, g.Reason.Message)
	}
	require.Equal(t, swap.Pass, c.Decision)
	require.Equal(t, "abc", c.EvidenceSHA256)
	require.Empty(t, c.Findings)
}

func TestRegressionsFailWithTheirCauseFirst(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*scene)
		cause  string
		gates  []string
	}{
		{"slow decode", func(s *scene) { s.tpot = 1.38 }, "decode is slower", []string{"tpot_p50", "tpot_p95", "e2e_mean"}},
		{"slow prefill", func(s *scene) { s.ttft = 1.5 }, "prefill or queueing is slower", []string{"ttft_p50", "ttft_p99"}},
		{"both", func(s *scene) { s.ttft, s.tpot = 1.5, 1.4 }, "decode is slower and requests wait longer", []string{"ttft_p50", "tpot_p50"}},
		{"errors", func(s *scene) { s.fails = .05 }, "fails requests", []string{"error_rate"}},
		{"short answers", func(s *scene) { s.tokens = .7 }, "answers are shorter", []string{"output_tokens_mean", "throughput"}},
		{"long answers", func(s *scene) { s.tokens = 1.4 }, "answers are longer", []string{"output_tokens_mean", "e2e_mean"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := usual()
			c.change(&s)
			got := Decide(s.evidence(usualGates()...))
			require.Equal(t, swap.Fail, got.Decision)
			t.Log(got.Reasons[0].Message)
			require.Contains(t, got.Reasons[0].Message, c.cause)
			failed := map[string]bool{}
			for _, g := range got.Gates {
				failed[g.Name] = g.Decision == swap.Fail
				if failed[g.Name] {
					t.Log(g.Reason.Message)
				}
			}
			for _, name := range c.gates {
				require.True(t, failed[name], name)
			}
		})
	}
}

func TestAnErrorGateNamesTheDominantFailures(t *testing.T) {
	s := usual()
	s.fails, s.failAs = .05, swap.TimeoutFirst
	got := Decide(s.evidence(gate(swap.MetricErrorRate, swap.StatRate, .005)))
	require.Contains(t, got.Gates[0].Reason.Message, "timeout_first_token (")
}

func TestACandidateThatFailsEverythingFails(t *testing.T) {
	s := usual()
	s.fails, s.failAs = 1, swap.ConnectFailed
	got := Decide(s.evidence(usualGates()...))
	require.Equal(t, swap.Fail, got.Decision)
	require.Contains(t, got.Reasons[0].Message, "fails requests")
	for _, g := range got.Gates {
		t.Log(g.Name, g.Decision, g.Reason.Message)
	}
	require.Equal(t, swap.Fail, got.Gates[0].Decision, "a failed request is the worst latency")
	require.False(t, got.Gates[0].Candidate.Valid())
}

func TestFailedRequestsMoveTheTailLatency(t *testing.T) {
	s := usual()
	s.fails = .03
	got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP99, .2)))
	require.Equal(t, swap.Fail, got.Decision)
	require.Contains(t, got.Gates[0].Reason.Message, "is a failed request")
}

func TestABaselineThatFailsEverythingIsNoData(t *testing.T) {
	s := usual()
	s.baseFail = 1
	got := Decide(s.evidence(usualGates()...))
	require.Equal(t, swap.Inconclusive, got.Decision)
	require.Contains(t, codes(got.Reasons), swap.ReasonNoData)
}

func TestSmallSamplesAreRefused(t *testing.T) {
	t.Run("few blocks", func(t *testing.T) {
		s := usual()
		s.steps, s.pairs = 1, 9
		got := Decide(s.evidence(usualGates()...))
		require.Equal(t, swap.Inconclusive, got.Decision)
		for _, g := range got.Gates {
			require.Equal(t, swap.ReasonLowN, g.Reason.Code, g.Name)
			require.GreaterOrEqual(t, g.NeedBlocks, 10)
		}
	})
	t.Run("short tail", func(t *testing.T) {
		s := usual()
		s.requests = 50
		got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP99, .2)))
		require.Equal(t, swap.ReasonLowN, got.Gates[0].Reason.Code)
		require.Equal(t, 60, got.Gates[0].NeedBlocks)
	})
	t.Run("nothing at all", func(t *testing.T) {
		got := Decide(Evidence{Gates: usualGates(), Settings: settings()})
		require.Equal(t, swap.Inconclusive, got.Decision)
		require.Equal(t, swap.ReasonNoData, got.Gates[0].Reason.Code)
	})
	t.Run("no gate", func(t *testing.T) {
		require.Equal(t, swap.Inconclusive, Decide(usual().evidence()).Decision)
	})
}

func TestAnUndecidedGateSaysHowManyBlocksItNeeds(t *testing.T) {
	s := usual()
	s.ttft, s.noise = 1.02, .8
	got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP95, .06)))
	require.Equal(t, swap.Inconclusive, got.Decision)
	require.Greater(t, got.Gates[0].NeedBlocks, got.Gates[0].Blocks)
	require.Contains(t, got.Gates[0].Reason.Message, "blocks would decide")
}

func TestARealWorseningInsideTheMarginIsARegression(t *testing.T) {
	s := usual()
	s.tpot = 1.05
	got := Decide(s.evidence(gate(swap.MetricTPOT, swap.StatP50, .1)))
	require.Equal(t, swap.Pass, got.Decision)
	require.True(t, got.Gates[0].Regressed)
	require.Equal(t, []string{swap.ReasonRegressionInside}, codes(got.Reasons))
}

// A worsening inside the margin qualifies a pass. It is no reason for a verdict that another gate decided.
func TestARegressionInsideTheMarginExplainsOnlyAPass(t *testing.T) {
	for _, c := range []struct {
		name  string
		other func(*scene) swap.Gate
		want  swap.Decision
	}{
		{"fail", func(s *scene) swap.Gate { s.fails = .05; return gate(swap.MetricErrorRate, swap.StatRate, .01) }, swap.Fail},
		{"inconclusive", func(s *scene) swap.Gate { return gate(swap.MetricTTFT, swap.StatP50, .001) }, swap.Inconclusive},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := usual()
			s.tpot = 1.05
			other := c.other(&s)
			got := Decide(s.evidence(gate(swap.MetricTPOT, swap.StatP50, .2), other))
			require.True(t, got.Gates[0].Regressed)
			require.Equal(t, swap.ReasonRegressionInside, got.Gates[0].Reason.Code)
			require.Equal(t, c.want, got.Decision)
			require.NotEmpty(t, got.Reasons)
			require.NotContains(t, codes(got.Reasons), swap.ReasonRegressionInside)
		})
	}
}

func TestADifferenceThatChangesIsUnstable(t *testing.T) {
	s := usual()
	s.ttft, s.drift = .8, 1.4
	got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .3)))
	require.Equal(t, swap.Inconclusive, got.Decision)
	require.Equal(t, swap.ReasonUnstable, got.Gates[0].Reason.Code)
	s.ttft, s.drift = 2, 2
	got = Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .3)))
	require.Equal(t, swap.Fail, got.Decision, "beyond the margin throughout fails, stable or not")
}

func TestEvidenceIsCheckedBeforeItIsBelieved(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Evidence)
		code  string
		says  string
	}{
		{"a block is missing", func(e *Evidence) { e.Blocks = e.Blocks[1:] }, swap.ReasonIncomplete, "23 of 24 planned blocks of the baseline"},
		{"a record is missing", func(e *Evidence) { e.Blocks[3].Recorded-- }, swap.ReasonIncomplete, "in 1 block the"},
		{"a request is in no class", func(e *Evidence) { e.Blocks[3].Outcomes[swap.OK]-- }, swap.ReasonIncomplete, "in 1 block the"},
		{
			"a request was cut off",
			func(e *Evidence) { e.Blocks[0].Outcomes[swap.OK]--; e.Blocks[0].Outcomes[swap.Abandoned]++ },
			swap.ReasonIncomplete, "1 request of step 1 abandoned, because the run ended first",
		},
		{"other schedule", func(e *Evidence) { e.Blocks[5].ScheduleSHA256 = "x" }, swap.ReasonPlanMismatch, "in 1 pair, left out"},
		{"late client", func(e *Evidence) {
			for b := range e.Blocks {
				late := e.Blocks[b].Requests.clientLate
				for i := range late {
					late[i] = 12
				}
			}
		}, swap.ReasonInstrument, "12.0 ms late"},
		{"no telemetry", func(e *Evidence) {
			e.Telemetry = []swap.SourceState{{Source: "nvml", Required: true, LastError: "no such host"}}
		}, swap.ReasonTelemetryMissing, "no such host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := usual().evidence(gate(swap.MetricTTFT, swap.StatP50, .2))
			c.spoil(&e)
			got := Decide(e)
			require.Equal(t, swap.Inconclusive, got.Decision)
			require.Equal(t, c.code, got.Reasons[0].Code)
			require.Contains(t, got.Reasons[0].Message, c.says)
		})
	}
}

func TestAnOptionalSilentSourceDoesNotMatter(t *testing.T) {
	e := usual().evidence(gate(swap.MetricTTFT, swap.StatP50, .2))
	e.Telemetry = []swap.SourceState{{Source: "dcgm"}}
	e.Discarded = 2
	got := Decide(e)
	require.Equal(t, swap.Pass, got.Decision)
	require.Len(t, got.Findings, 1)
}

func TestDifferentAnswerLengthsAreFoundAndFlagged(t *testing.T) {
	s := usual()
	s.tokens = .9
	got := Decide(s.evidence(gate(swap.MetricE2E, swap.StatP50, .2)))
	require.Equal(t, swap.Pass, got.Decision)
	require.Equal(t, swap.Notable, got.Findings[0].Severity)
	require.True(t, strings.HasSuffix(got.Gates[0].Reason.Message, "the answers differ in length by −10 %"), got.Gates[0].Reason.Message)
}

func TestIdenticalConstantArmsPassExactly(t *testing.T) {
	s := usual()
	fifty := int32(50)
	s.each(func(r *rawlog.Record) { r.OutputTokens = &fifty })
	got := Decide(s.evidence(gate(swap.MetricOutputTokens, swap.StatP50, .05)))
	require.Equal(t, swap.Pass, got.Decision)
	require.InDelta(t, 0, got.Gates[0].High.Or(1), 0)
}

func TestTheVerdictIsReproducible(t *testing.T) {
	first := Decide(usual().evidence(usualGates()...))
	require.Equal(t, first, Decide(usual().evidence(usualGates()...)))
}

// Answers that end early now and then move the mean length alone, and throughput with it.
func TestSuspectWhereOnlySomeAnswersAreShorter(t *testing.T) {
	gates := []swap.GateResult{
		{Gate: swap.Gate{Metric: swap.MetricThroughput, Stat: swap.StatRate}, Decision: swap.Fail},
		{
			Gate:     swap.Gate{Metric: swap.MetricOutputTokens, Stat: swap.StatMean},
			Baseline: swap.Of(16), Candidate: swap.Of(13), Decision: swap.Fail,
		},
	}
	require.Equal(t, "some of the candidate's answers have another length: −19 % at the mean, +0 % at the median",
		Suspect(gates, Shifts{TTFTMedian: swap.Of(0), TPOTMedian: swap.Of(0), AnswerLength: swap.Of(0)}))
}

// Without token counts the cause of slow answers is not guessed.
func TestSuspectWithoutTokenCounts(t *testing.T) {
	gates := []swap.GateResult{{Gate: swap.Gate{Metric: swap.MetricE2E, Stat: swap.StatP50}, Decision: swap.Fail}}
	require.Equal(t, "requests take longer after their first token (time to first token changed by −35 % at the median); "+
		"without token counts slower decode and longer answers cannot be told apart", Suspect(gates, Shifts{TTFTMedian: swap.Of(-.35)}))
	require.Equal(t, "the candidate is worse overall, with no single part that stands out",
		Suspect(gates, Shifts{TTFTMedian: swap.Of(0), TPOTMedian: swap.Of(0)}))
}

// What a gate's result has to carry so that its decision can be checked without the raw records.
func TestAGateResultCarriesItsEvidence(t *testing.T) {
	s := usual()
	s.fails = .005
	methods := map[swap.Metric]swap.Method{swap.MetricErrorRate: swap.MethodScore}
	for _, g := range Decide(s.evidence(usualGates()...)).Gates {
		want, special := methods[g.Gate.Metric]
		if !special {
			want = swap.MethodBootstrap
		}
		require.Equal(t, want, g.Method, g.Name)
		require.Equal(t, settings().Seed, g.Seed)
		require.Equal(t, 24, g.Blocks)
		require.Positive(t, min(g.N.Baseline, g.N.Candidate))
		for _, v := range []swap.Value{g.Baseline, g.Candidate, g.Change, g.Low, g.High, g.DegreesOfFreedom} {
			require.True(t, v.Valid(), g.Name)
		}
		require.Contains(t, g.Reason.Message, "; 24 blocks, ")
		require.Contains(t, g.Reason.Message, "one-sided 95 % bounds")
		require.Contains(t, g.Reason.Message, "margin ")
	}
}

// At a fixed rate equal answers make equal throughput, however slow: the sentence says that this is no capacity.
func TestThroughputOfARateThatBothKeptUpWithSaysSo(t *testing.T) {
	m := measured{gate: gate(swap.MetricThroughput, swap.StatRate, .05), pairs: 20}
	require.Contains(t, basisText(m, swap.GateResult{Method: swap.MethodExact}), "both arms kept up with the same rate")
	m.theta = -.2
	require.NotContains(t, basisText(m, swap.GateResult{Method: swap.MethodExact}), "kept up")
}
