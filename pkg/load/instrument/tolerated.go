package instrument

import (
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Tolerated are the limits that Judge holds readings against, each in the place of the signal that it bounds; absent where the
// signal is not judged. rate_achieved has a lower limit, all others an upper one. during is the reading of the step, on which
// some of its limits depend.
func Tolerated(during swap.InstrumentReading, limits swap.Calibration, baseline Medians) (calibration, step swap.InstrumentReading) {
	b := boundsOf(limits, baseline)
	calibration = swap.InstrumentReading{
		TokenErrorP99MS: swap.Of(b.tokenErrorMS), TTFTErrorP99MS: swap.Of(b.latenessMS),
		SendLatenessP99MS: swap.Of(b.latenessMS), RateAchieved: swap.Of(leastRate),
	}
	step = swap.InstrumentReading{
		SendLatenessP99MS: swap.Of(b.latenessMS), RateAchieved: swap.Of(leastRate), LagP99MS: swap.Of(lagLimitMS(during, b)),
		CPUShare: swap.Of(stampedCPU), Throttled: swap.Of(throttledOutright),
	}
	if !stamped(during) {
		step.SchedLatencyP99MS, step.GCPauseMaxMS, step.CPUShare = swap.Of(readLagMS), swap.Of(gcPauseMS), swap.Of(readCPU)
	}
	if hadConsequences(judgeStep(during, b)) {
		step.Throttled, step.Stolen = swap.Of(throttledAfter), swap.Of(stolenAfter)
	}
	return calibration, step
}

// hadConsequences says whether a limit of a time or of the rate was broken.
func hadConsequences(found []swap.InstrumentFault) bool {
	return slices.ContainsFunc(found, func(f swap.InstrumentFault) bool {
		return f.Signal != "during.cpu_share" && f.Signal != "during.throttled" && f.Signal != "during.stolen"
	})
}
