package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The wait for a connection is in no latency: a candidate that makes users wait for one does not pass, and the client is not
// blamed for it.
func TestACandidateThatTakesConnectionsSlowlyDoesNotPass(t *testing.T) {
	waits := func(us int64, every int32, arms ...swap.Arm) func(*rawlog.Record) {
		return func(r *rawlog.Record) {
			r.ConnReused = true
			for _, arm := range arms {
				if swap.Arm(r.Arm) == arm && r.Seq%every == 0 {
					r.ConnReused, r.LateUS = false, us
				}
			}
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*rawlog.Record)
		ttft  float64
		want  swap.Decision
		codes []string
	}{
		{"every third waits", waits(900_000, 3, swap.Candidate), 1, swap.Inconclusive, []string{swap.ReasonSlowConnect}},
		{"it keeps no connection", waits(900_000, 1, swap.Candidate), 1, swap.Inconclusive, []string{swap.ReasonSlowConnect}},
		{"it is worse besides", waits(900_000, 3, swap.Candidate), 2, swap.Fail, nil},
		{"the network is slow", waits(90_000, 3, swap.Candidate, swap.Baseline), 1, swap.Pass, nil},
		{"the baseline is slow", waits(900_000, 3, swap.Baseline), 1, swap.Pass, nil},
		{"a few milliseconds", waits(4_000, 3, swap.Candidate), 1, swap.Pass, nil},
		{"very few", waits(900_000, 150, swap.Candidate), 1, swap.Pass, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := usual()
			s.ttft = c.ttft
			s.each(c.spoil)
			got := Decide(s.evidence(gate(swap.MetricTTFT, swap.StatP50, .2)))
			require.Equal(t, c.want, got.Decision, got.Reasons)
			if c.codes != nil {
				require.Equal(t, c.codes, codes(got.Reasons))
			}
		})
	}
}
