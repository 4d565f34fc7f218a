package reporttest

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/swap"
)

// goodInstrument is the account of a load client that kept every limit; i counts steps from 0.
func goodInstrument(i int) swap.InstrumentState {
	more := float64(i)
	return swap.InstrumentState{
		Calibration: swap.InstrumentReading{
			Requests: 180, Tokens: 24_300, TTFTErrorMeanMS: swap.Of(.11), TTFTErrorP99MS: swap.Of(.42 + .06*more),
			TokenErrorP99MS: swap.Of(.18 + .03*more), SendLatenessP99MS: swap.Of(.6 + .1*more), LagP99MS: swap.Of(.4),
			KernelStamped: swap.Of(1), RateAchieved: swap.Of(1),
		},
		During: swap.InstrumentReading{
			Requests: 720, Tokens: 101_500, SendLatenessP99MS: swap.Of(.8 + .2*more), LagP99MS: swap.Of(.5 + .2*more),
			KernelStamped: swap.Of(1), RateAchieved: swap.Of(1), CPUShare: swap.Of(.06 + .05*more), GCPauseMaxMS: swap.Of(.3),
			SchedLatencyP99MS: swap.Of(.2), Throttled: swap.Of(0),
		},
	}
}

// instrumentLimits are those of a step with kernel times: three signals are not judged.
func instrumentLimits() *report.InstrumentLimits {
	return &report.InstrumentLimits{
		Calibration: swap.InstrumentReading{
			TokenErrorP99MS: swap.Of(1.07), TTFTErrorP99MS: swap.Of(12), SendLatenessP99MS: swap.Of(12), RateAchieved: swap.Of(.99),
		},
		During: swap.InstrumentReading{
			SendLatenessP99MS: swap.Of(12), RateAchieved: swap.Of(.99), LagP99MS: swap.Of(500), CPUShare: swap.Of(.95), Throttled: swap.Of(.1),
		},
	}
}

// starve makes the load client short of CPU in the last two steps; the kernel gives no times, and the CPU limit stops it.
func starve(d *report.Data) {
	v := &d.Verdict
	for i := len(v.Steps) - 2; i < len(v.Steps); i++ {
		s := &v.Steps[i]
		late := 4.2 * float64(i)
		during := &s.Instrument.During
		during.SendLatenessP99MS, during.KernelStamped, during.CPUShare = swap.Of(late+12), swap.Of(.41), swap.Of(.93)
		during.Throttled = swap.Of(.21)
		const next = "spread the step over more load workers (load.shards), give each more CPU, or keep fewer streams in flight"
		s.Instrument.Faults = []swap.InstrumentFault{
			{
				Signal: "during.send_lateness_p99_ms", Next: next,
				Message: fmt.Sprintf("the load client sent late by up to %.1f ms (P99), more than the 12.0 ms tolerated", late+12),
			},
			{
				Signal: "during.cpu_share", Next: next,
				Message: "the load client used 93.0 % of the CPU time that it may use, more than the 85 % tolerated",
			},
			{
				Signal: "during.throttled", Next: "raise or remove the CPU limit of the load worker's container",
				Message: "the load client was stopped by its CPU limit for 21.0 % of the time, more than the 1 % tolerated",
			},
		}
		limits := &d.Steps[i].Limits.During
		limits.LagP99MS, limits.CPUShare, limits.SchedLatencyP99MS, limits.GCPauseMaxMS = swap.Of(5), swap.Of(.85), swap.Of(5), swap.Of(20)
		limits.Throttled, limits.Stolen = swap.Of(.01), swap.Of(.05)
	}
	for _, f := range v.Steps[len(v.Steps)-2].Instrument.Faults {
		v.Reasons = append(v.Reasons, swap.Reason{
			Code: swap.ReasonInstrument, Subject: "load client", Message: "in step 3 (and in 1 more), " + f.Message + ": " + f.Next,
		})
	}
}
