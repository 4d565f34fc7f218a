package baseline

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// answered is a measured baseline request with the given time to first token in ms and 11 tokens of 10 ms each.
func answered(step, block int32, ttft float64) rawlog.Record {
	first, tokens := int64(math.Round(ttft*1e3)), int32(11)
	last := first + 100_000
	return rawlog.Record{
		Step: step, Block: block, Arm: string(swap.Baseline), Measured: true, LateUS: 500,
		FirstUS: &first, LastUS: &last, OutputTokens: &tokens, Outcome: string(swap.OK),
	}
}

func failure() rawlog.Record {
	return rawlog.Record{Step: 1, Block: 1, Arm: string(swap.Baseline), Measured: true, Outcome: string(swap.HTTP5xx)}
}

// fit gathers the records in two batches.
func fit(records []rawlog.Record) swap.BaselineFit {
	var s Sample
	half := len(records) / 2
	s.Add(records[:half])
	s.Add(records[half:])
	return s.Fit("m")
}

func metric(t *testing.T, got swap.BaselineFit, m swap.Metric) swap.MetricBaseline {
	t.Helper()
	for _, found := range got.Metrics {
		if found.Metric == m {
			return found
		}
	}
	require.Failf(t, "metric is missing", "%s", m)
	return swap.MetricBaseline{}
}

func TestFitRecoversALogNormal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var records []rawlog.Record
	for i := range int32(4000) {
		records = append(records, answered(1, i/100, 100*math.Exp(.5*random.NormFloat64())))
	}
	ttft := metric(t, fit(records), swap.MetricTTFT)
	require.Equal(t, 4000, ttft.N)
	require.InDelta(t, math.Log(100), ttft.LogMean.Or(0), .03)
	require.InDelta(t, .5, ttft.LogSD.Or(0), .02)
	require.InDelta(t, 100, ttft.P50.Or(0), 4)
	require.InDelta(t, 100*math.Exp(.5*1.645), ttft.P95.Or(0), 12)
}

func TestFitCoversEveryPerRequestMetric(t *testing.T) {
	got := fit([]rawlog.Record{answered(1, 1, 100), answered(1, 2, 100)})
	require.Equal(t, "m", got.Model)
	require.Nil(t, got.Notes)
	for m, want := range map[swap.Metric]float64{
		swap.MetricTTFT: 100, swap.MetricTTFTScheduled: 100.5, swap.MetricTPOT: 10, swap.MetricE2E: 200, swap.MetricOutputTokens: 11,
	} {
		require.InDelta(t, want, metric(t, got, m).Mean.Or(0), 1e-9, m)
		require.InDelta(t, want, metric(t, got, m).P99.Or(0), 1e-9, m)
		require.InDelta(t, 0, metric(t, got, m).LogSD.Or(1), 1e-9, m)
	}
}

func TestFitCountsFailuresAsTheWorstLatency(t *testing.T) {
	records := []rawlog.Record{failure()}
	for range 18 {
		records = append(records, answered(1, 1, 100))
	}
	got := fit(records)
	ttft := metric(t, got, swap.MetricTTFT)
	require.Equal(t, 18, ttft.N)
	require.InDelta(t, 100, ttft.P50.Or(0), 0)
	require.False(t, ttft.P99.Valid())
	require.True(t, metric(t, got, swap.MetricOutputTokens).P99.Valid())
	require.Contains(t, got.Notes["failed"], "1 of 19 requests failed")
}

func TestFitIgnoresWhatIsNotTheMeasuredBaseline(t *testing.T) {
	other, settling, cut := answered(1, 1, 100), answered(1, 1, 100), failure()
	other.Arm, settling.Measured, cut.Outcome = string(swap.Candidate), false, string(swap.Abandoned)
	got := fit([]rawlog.Record{other, settling, cut})
	ttft := metric(t, got, swap.MetricTTFT)
	require.Zero(t, ttft.N)
	require.False(t, ttft.Mean.Valid() || ttft.P50.Valid() || ttft.LogMean.Valid() || ttft.BlockCV.Valid())
	require.Nil(t, got.Notes)
}

func TestBlockCVComparesBlocksOfOneStepOnly(t *testing.T) {
	steady := []rawlog.Record{answered(1, 1, 100), answered(1, 2, 100), answered(2, 1, 500), answered(2, 2, 500)}
	require.InDelta(t, 0, metric(t, fit(steady), swap.MetricTTFT).BlockCV.Or(1), 1e-12)
	shaky := []rawlog.Record{answered(1, 1, 90), answered(1, 2, 110)}
	require.InDelta(t, math.Sqrt(200)/100, metric(t, fit(shaky), swap.MetricTTFT).BlockCV.Or(0), 1e-9)
}
