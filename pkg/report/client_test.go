package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// watched is a step with a load client that kept its limits.
func watched(step int) swap.StepResult {
	return swap.StepResult{Step: step, Label: "concurrency 8", Instrument: swap.InstrumentState{
		Calibration: swap.InstrumentReading{Requests: 50, Tokens: 900, TokenErrorP99MS: swap.Of(.2)},
		During:      swap.InstrumentReading{SendLatenessP99MS: swap.Of(1.5), RateAchieved: swap.Of(1)},
	}}
}

func cellOf(t *testing.T, table signalTable, row int, name string) signalCell {
	t.Helper()
	for _, c := range table.Rows[row].Cells {
		if c.Name == name {
			return c
		}
	}
	require.Failf(t, "no such column", "%q in %v", name, table.Columns)
	return signalCell{}
}

func TestTheLoadClientShowsValuesBesideTheirLimits(t *testing.T) {
	d := Data{Verdict: swap.Verdict{Steps: []swap.StepResult{watched(1), watched(2)}}, Steps: []Step{{Limits: &InstrumentLimits{
		Calibration: swap.InstrumentReading{TokenErrorP99MS: swap.Of(1)},
		During:      swap.InstrumentReading{SendLatenessP99MS: swap.Of(5), RateAchieved: swap.Of(.99)},
	}}}}
	s := newClientSection(d)
	require.Empty(t, s.Missing)
	require.Equal(t, "It kept every limit.", s.Remark)
	require.Equal(t, "In its worst step it timed 99 of 100 tokens to within 0.2 ms and sent 99 of 100 requests at most 1.5 ms late. "+
		"The report's times are known no better than that; both arms share the client and its error.", s.Lead)
	require.Equal(t, signalCell{Name: "Token error P99", Value: "0.2 ms", Limit: "≤ 1 ms"}, cellOf(t, s.Calibration, 0, "Token error P99"))
	require.Equal(t, signalCell{Name: "Requests", Value: "50"}, cellOf(t, s.Calibration, 0, "Requests"))
	require.Equal(t, signalCell{Name: "Sent in time", Value: "100 %", Limit: "≥ 99 %"}, cellOf(t, s.During, 0, "Sent in time"))
	require.Equal(t, signalCell{Name: "Stolen", Value: "n/a", Limit: "not judged"}, cellOf(t, s.During, 0, "Stolen"), "absent is not 0")
	require.Equal(t, signalCell{Name: "Send lateness P99", Value: "1.5 ms"}, cellOf(t, s.During, 1, "Send lateness P99"),
		"nothing is known of the limits of the second step")
}

func TestFaultsOfTheLoadClientAreSaidOnceForAllSteps(t *testing.T) {
	var v swap.Verdict
	for k := range 3 {
		s := watched(k + 1)
		s.Instrument.Faults = []swap.InstrumentFault{{Signal: "during.send_lateness_p99_ms", Message: "sent late", Next: "more CPU"}}
		v.Steps = append(v.Steps, s)
	}
	v.Steps[2].Instrument.Faults = append(v.Steps[2].Instrument.Faults, swap.InstrumentFault{
		Signal: "calibration", Message: "the load client could not be checked",
	})
	s := newClientSection(Data{Verdict: v})
	require.Equal(t, []clientFault{
		{Where: "steps 1, 2 and 3", Subject: "send lateness P99", Message: "sent late", Next: "more CPU"},
		{Where: "step 3", Subject: "calibration", Message: "the load client could not be checked"},
	}, s.Faults)
	require.Empty(t, s.Remark)
	require.True(t, cellOf(t, s.During, 0, "Send lateness P99").Broken)
	require.False(t, cellOf(t, s.Calibration, 0, "Send lateness P99").Broken, "the calibration kept the limit")
}

func TestWhatIsNotKnownOfTheLoadClientIsSaid(t *testing.T) {
	require.Contains(t, newClientSection(Data{}).Missing, "no load step was measured")
	silent := Data{Verdict: swap.Verdict{Steps: []swap.StepResult{{Step: 1}}}}
	require.Contains(t, newClientSection(silent).Missing, "its own error is not known")

	v := swap.Verdict{Steps: []swap.StepResult{watched(1)}, Reasons: []swap.Reason{{Code: swap.ReasonInstrument}}}
	require.Contains(t, newClientSection(Data{Verdict: v}).Remark, "raw records of its requests say otherwise")
	v.Steps[0].Instrument = swap.InstrumentState{During: swap.InstrumentReading{CPUShare: swap.Of(.1)}}
	require.Equal(t, "How far off its times are is not known.", newClientSection(Data{Verdict: v}).Lead)
}
