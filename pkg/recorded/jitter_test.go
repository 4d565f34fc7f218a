package recorded

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// everyMinute makes the first tokens late that were asked for in the first three seconds of a minute.
func everyMinute(r Run) Run {
	requests := r.Stages[0].Requests
	for i := range requests {
		if math.Mod(requests[i].Start.Or(0), 60) < 3 {
			requests[i].TTFT, requests[i].E2E = swap.Of(requests[i].TTFT.Or(0)*6), swap.Of(requests[i].E2E.Or(0)*2)
		}
	}
	r.Stages[0] = NewStage(Level{Rate: 4}, requests, swap.Absent())
	return r
}

func subjects(v swap.Verdict) (all []string) {
	for _, f := range v.Findings {
		all = append(all, f.Subject)
	}
	return all
}

func TestJitterOfRunsWithTimesIsTold(t *testing.T) {
	// Blocks of half an hour hold whole periods.
	healthy, shaky := made(1, 14_400, 1, true), everyMinute(made(2, 14_400, 1, true))
	v := judged(t, healthy, shaky, options())
	require.NotNil(t, v.Jitter)
	require.Equal(t, 14_400, v.Jitter.Arms.Baseline.Requests)
	require.InDelta(t, .05, v.Jitter.Arms.Candidate.OutlierShare.Or(0), .01)
	require.Less(t, v.Jitter.Arms.Baseline.Outliers, 30)
	require.Contains(t, subjects(v), "jitter")
	require.NotContains(t, v.Jitter.Arms.Candidate.Axes, swap.AxisClientLate, "other tools do not tell how late they were")
	for _, c := range v.Jitter.Arms.Candidate.Clusters {
		require.False(t, c.QueueMS.Valid())
	}
	v = judged(t, shaky, healthy, options())
	require.NotContains(t, subjects(v), "jitter", "the baseline had it")
	require.Nil(t, v.Attribution, "the requests of two runs are not those of one schedule")
}

func TestJitterNeedsTimesOfBothRuns(t *testing.T) {
	require.Nil(t, judged(t, made(1, 1200, 1, true), made(2, 1200, 1, false), options()).Jitter)
	require.Nil(t, judged(t, made(1, 1200, 1, false), made(2, 1200, 1, false), options()).Jitter)
	known := made(2, 1200, 1, false)
	known.Jitter = &swap.ArmJitter{Requests: 7}
	v := judged(t, made(1, 1200, 1, true), known, options())
	require.Equal(t, 7, v.Jitter.Arms.Candidate.Requests, "a run that was driven in blocks tells its own")
}
