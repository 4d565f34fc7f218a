package transition

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestFindingsSayWhatClientsSaw(t *testing.T) {
	done := swap.ModelSwap{Asked: asked, Served: asked.Add(1200 * time.Millisecond)}
	quiet := Findings("swap 1", done, swap.Transition{
		Stall: &swap.TokenStall{DurationMS: 12}, Before: swap.TransitionPhase{LongestGapMS: swap.Of(11)},
		Recovery: []swap.Recovery{{AfterMS: swap.Of(0), Message: "never left"}},
	})
	require.Equal(t, []swap.Finding{{
		Severity: swap.Harmless, Subject: "swap 1",
		Message: "From the call to the proof it took 1.2 s. " +
			"The longest time without a token for any stream was 12 ms, and 11 ms before the swap.",
	}}, quiet)

	loud := Findings("swap 1", done, swap.Transition{
		Errors:   &swap.ErrorBurst{Count: 57, FromMS: 600, ToMS: 1100},
		Spanning: swap.SpanningRequests{Requests: 3, Outcomes: swap.OutcomeCounts{swap.OK: 1, swap.ResetMidStream: 2}},
		Recovery: []swap.Recovery{{AfterMS: swap.Of(900), Message: "was back"}, {Message: "did not come back"}},
	})
	var said []string
	for _, f := range loud {
		said = append(said, f.Message)
	}
	require.Equal(t, []string{
		"From the call to the proof it took 1.2 s.",
		"57 requests failed between 0.6 s and 1.1 s after the call.",
		"2 of 3 requests that were in flight at the call were lost.",
		"was back", "did not come back",
	}, said)
}
