package instrument_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/swap"
)

// drawReading draws values around their limits.
func drawReading(t *rapid.T) swap.InstrumentReading {
	of := func(name string, values ...float64) swap.Value {
		if rapid.IntRange(0, 3).Draw(t, name+" absent") == 0 {
			return swap.Absent()
		}
		return swap.Of(rapid.SampledFrom(values).Draw(t, name))
	}
	return swap.InstrumentReading{
		TTFTErrorP99MS: of("ttft error", 1, 40), TokenErrorP99MS: of("token error", .4, 1.2, 9), SendLatenessP99MS: of("late", 1, 7, 40),
		LagP99MS: of("lag", 1, 20, 200, 900), KernelStamped: of("stamped", 0, .98, 1), RateAchieved: of("rate", .9, 1),
		CPUShare: of("cpu", .2, .9, .97), GCPauseMaxMS: of("gc", 1, 30), SchedLatencyP99MS: of("sched", 1, 8),
		Throttled: of("throttled", 0, .05, .2), Stolen: of("stolen", 0, .1),
	}
}

// beyond lists the signals beyond their limits, as Judge names them.
func beyond(t require.TestingT, path string, reading, limits swap.InstrumentReading) []string {
	fields := func(r swap.InstrumentReading) map[string]*float64 {
		raw, err := json.Marshal(r)
		require.NoError(t, err)
		all := map[string]*float64{}
		require.NoError(t, json.Unmarshal(raw, &all))
		return all
	}
	var signals []string
	most := fields(limits)
	for signal, v := range fields(reading) {
		limit := most[signal]
		if signal == "requests" || signal == "tokens" || v == nil || limit == nil {
			continue
		}
		if *v > *limit && signal != "rate_achieved" || *v < *limit && signal == "rate_achieved" {
			signals = append(signals, path+signal)
		}
	}
	return signals
}

func TestToleratedIsWhatJudgeHoldsReadingsAgainst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calibration, during := drawReading(t), drawReading(t)
		if !calibration.TokenErrorP99MS.Valid() && !calibration.TTFTErrorP99MS.Valid() {
			calibration.TTFTErrorP99MS = swap.Of(0)
		}
		limits := swap.Calibration{
			TokenError: swap.Duration(rapid.SampledFrom([]int64{0, 2e6}).Draw(t, "token limit")),
		}
		baseline := instrument.Medians{TTFT: swap.Of(rapid.Float64Range(10, 300).Draw(t, "ttft")), TPOT: swap.Of(20)}
		var found []string
		for _, f := range instrument.Judge(calibration, during, limits, baseline) {
			found = append(found, f.Signal)
		}
		first, then := instrument.Tolerated(during, limits, baseline)
		require.ElementsMatch(t, found, append(beyond(t, "calibration.", calibration, first), beyond(t, "during.", during, then)...))
	})
}
