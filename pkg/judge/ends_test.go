package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestEndsOfSteps(t *testing.T) {
	limit := func(arm swap.Arm) swap.StepEnd {
		return swap.StepEnd{Code: swap.EndedLimit, Arm: arm, Message: "the error rate was 80 %; the limit is 50 %"}
	}
	cases := []struct {
		name    string
		end     swap.StepEnd
		want    swap.Decision
		reason  string
		finding bool
	}{
		{"as planned", swap.StepEnd{Code: swap.EndedPlanned}, swap.Pass, "", false},
		{"steady", swap.StepEnd{Code: swap.EndedSteady, Message: "steady after 12 blocks"}, swap.Pass, "", false},
		{"never steady", swap.StepEnd{Code: swap.EndedMaxHold, Message: "not steady"}, swap.Pass, "", true},
		{"the candidate cannot hold it", limit(swap.Candidate), swap.Fail, swap.ReasonNotHeld, false},
		{"the baseline cannot hold it", limit(swap.Baseline), swap.Inconclusive, swap.ReasonNotHeld, false},
		{"neither can hold it", limit(""), swap.Inconclusive, swap.ReasonNotHeld, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := usual().evidence(usualGates()...)
			quiet := len(Decide(e).Findings)
			e.Ends = EndsFrom([]swap.StepManifest{{Step: 2, Spec: swap.Step{Rate: 200}, Ended: c.end}})
			got := Decide(e)
			require.Equal(t, c.want, got.Decision)
			require.Equal(t, c.finding, len(got.Findings) > quiet)
			if c.reason != "" {
				require.Equal(t, c.reason, got.Reasons[0].Code)
				require.Contains(t, got.Reasons[0].Message, "step 2 (200 req/s)")
				require.Contains(t, got.Reasons[0].Message, "80 %")
			}
		})
	}
}

// Even what a limit shows is not believed of a client that cannot be believed.
func TestABrokenLimitOfABadInstrumentDecidesNothing(t *testing.T) {
	e := usual().evidence(usualGates()...)
	e.Ends = []End{{Step: 1, StepEnd: swap.StepEnd{Code: swap.EndedLimit, Arm: swap.Candidate}}}
	e.Instruments = []Instrument{{Step: 1, State: swap.InstrumentState{Faults: []swap.InstrumentFault{{Signal: "during.lag_p99_ms"}}}}}
	require.Equal(t, swap.Inconclusive, Decide(e).Decision)
}

func TestABrokenLimitNamesTheFailuresOfItsStep(t *testing.T) {
	e := usual().evidence(usualGates()...)
	for i := range e.Blocks {
		if e.Blocks[i].Step == 1 && e.Blocks[i].Arm == swap.Candidate {
			e.Blocks[i].Outcomes = swap.OutcomeCounts{swap.OK: 10, swap.HTTP429: 20}
			break
		}
	}
	end := func(step int, arm swap.Arm) []End {
		return []End{{Step: step, StepEnd: swap.StepEnd{Code: swap.EndedLimit, Arm: arm, Message: "the error rate was 67 %"}}}
	}
	for name, c := range map[string]struct {
		ends []End
		says string
	}{
		"the arm that failed": {end(1, swap.Candidate), "67 %; the failures of the step were mostly http_429 (20)"},
		"an unknown arm":      {end(1, ""), "67 %; the failures of the step were mostly http_429 (20)"},
		"no failures":         {end(1, swap.Baseline), "67 %. Lower the load"},
		"another step":        {end(9, ""), "67 %. Lower the load"},
	} {
		t.Run(name, func(t *testing.T) {
			e.Ends = c.ends
			require.Contains(t, notHeld(t, Decide(e)), c.says)
		})
	}
}

func notHeld(t *testing.T, c swap.Comparison) string {
	t.Helper()
	for _, r := range c.Reasons {
		if r.Code == swap.ReasonNotHeld {
			return r.Message
		}
	}
	require.Fail(t, "no reason says that the load was not held")
	return ""
}

func TestTooFewRequestsNameWhatHeldThemBack(t *testing.T) {
	limited := swap.Step{Concurrency: 4, TokenRate: &swap.TokenRate{Limit: 5}}
	early := swap.StepEnd{Code: swap.EndedLimit}
	for name, c := range map[string]struct {
		manifests []swap.StepManifest
		says      string
	}{
		"nothing known": {[]swap.StepManifest{{Step: 1, Spec: swap.Step{Rate: 9, MaxInFlight: 3}}}, "needed: hold the steps longer"},
		"token_rate": {
			[]swap.StepManifest{{Step: 1, Spec: limited}},
			"needed: token_rate may hold requests back in step 1 (concurrency 4, at most 5 tok/s): raise it, or hold the steps longer",
		},
		"ended early": {
			[]swap.StepManifest{{Step: 1, Spec: limited}, {Step: 2, Spec: swap.Step{Rate: 9}, Ended: early}},
			"needed: step 2 (9 req/s) ended early at a limit: mend what it could not hold, or lower its load",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := usual().evidence(gate(swap.MetricTTFT, swap.StatMean, .2))
			e.Blocks, e.Ends = e.Blocks[:2], EndsFrom(c.manifests)
			got := Decide(e).Gates[0].Reason
			require.Equal(t, swap.ReasonLowN, got.Code)
			require.Contains(t, got.Message, "in 1 pair of blocks")
			require.Contains(t, got.Message, c.says)
		})
	}
}

func TestAbandonedRequestsNameWhatHeldThemBack(t *testing.T) {
	blocks := []Block{
		{Step: 1, Outcomes: swap.OutcomeCounts{swap.OK: 5, swap.Abandoned: 100}},
		{Step: 2, Outcomes: swap.OutcomeCounts{swap.OK: 5}},
		{Step: 1, Outcomes: swap.OutcomeCounts{swap.Abandoned: 13}},
		{Step: 3, Outcomes: swap.OutcomeCounts{swap.Abandoned: 1}},
	}
	ends := EndsFrom([]swap.StepManifest{{Step: 1, Spec: swap.Step{Rate: 9, MaxInFlight: 3, TokenRate: &swap.TokenRate{Limit: 5}}}, {Step: 3}})
	require.Equal(t, []string{
		"113 requests of step 1 abandoned, because its max_in_flight or token_rate held them back beyond the end of their block " +
			"(lower its load, or raise the limit)",
		"1 request of step 3 abandoned, because the run ended first (run it again)",
	}, abandoned(Evidence{Blocks: blocks, Ends: ends}))
}
