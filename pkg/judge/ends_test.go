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
