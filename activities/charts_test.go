package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// slowStart is n answers of which the first 20 that were sent took five times as long, in no order.
func slowStart(n int) []rawlog.Record {
	records := make([]rawlog.Record, n)
	for i := range records {
		ttft := int64(100_000 + i%7*1000)
		if i < 20 {
			ttft *= 5
		}
		records[(i*7)%n] = rawlog.Record{
			Arm: string(swap.Baseline), Measured: true, Outcome: string(swap.OK), SentUnixNS: int64(i + 1), FirstUS: &ttft,
		}
	}
	return records
}

func TestStepsTellWhenTheyWereSteady(t *testing.T) {
	records := slowStart(200)
	require.Equal(t, swap.Of(20), unsteady(records))
	require.False(t, unsteady(records[:20]).Valid(), "too few to tell")
	require.False(t, unsteady(nil).Valid())

	records = append(records, rawlog.Record{Arm: string(swap.Baseline), Measured: true, Outcome: string(swap.HTTP5xx)})
	step := stepChart(swap.StepResult{Label: "concurrency 8"}, swap.StepManifest{}, records, swap.Calibration{})
	require.Equal(t, swap.Of(20), step.Arms.Baseline.Unsteady, "failed requests have no TTFT")
	require.False(t, step.Arms.Candidate.Unsteady.Valid())
	require.InDelta(t, 10.3, step.Limits.During.SendLatenessP99MS.Or(0), .2, "a tenth of the baseline's median TTFT")
	require.False(t, step.Limits.During.Stolen.Valid(), "nothing suffered from it")
}
