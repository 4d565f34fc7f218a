package instrument

import "github.com/swapgate/swapgate/pkg/swap"

// What to do about a fault.
const (
	nextShare     = "spread the step over more load workers (load.shards), give each more CPU, or keep fewer streams in flight"
	nextUnlimit   = "raise or remove the CPU limit of the load worker's container"
	nextHost      = "run the load worker on a host whose CPUs it does not share"
	nextCalibrate = "run the load worker on a quiet host with more CPU, or spread the step over more of them (load.shards)"
	nextAgain     = "start the step again; if it stays so, look at the load worker's log"
)

// Judge says in which ways the load client was too poor an instrument to be believed; nothing for a client that was good
// enough. calibration is its reading against the server of known truth, during that of the step itself, both the worse of
// all load workers. limits are the configured ones; a zero stands for the default:
//
//	calibration  token error P99       max(1 ms, 5 % of the baseline's median TPOT), or limits.TokenError
//	             TTFT error P99        max(5 ms, 10 % of the baseline's median TTFT), or limits.SendLateness
//	both         send lateness P99     the same
//	             rate achieved         at least 99 % of the requests within 1 s of their plan
//	during       lag P99               5 ms; 50 ms with kernel times, or 500 ms without a sign of CPU shortage [1]; never less
//	                                   than the tolerated send lateness with kernel times
//	             CPU share             85 %; 95 % with kernel times
//	             scheduling delay P99  5 ms; not judged with kernel times
//	             GC pause              20 ms; not judged with kernel times
//	             throttled             10 % of the time; 1 % if it had consequences [2]
//	             stolen                5 % of the CPU time, if it had consequences [2]
//
// "With kernel times" means that at least 99 % of the tokens have the kernel's time of receipt: a slow reader then does not
// falsify arrivals, but late sends do. A calibration that knows no error is a fault too: a client that was not tested is not
// believed. Signal is the path of the value in swap.InstrumentState.
//
// [1] CPU share above 85 %, scheduling delay above 5 ms, throttled above 1 % or stolen above 5 %; a slow moment alone touches
// few arrivals. [2] Another limit of a time or of the rate was broken during the step.
func Judge(calibration, during swap.InstrumentReading, limits swap.Calibration, baseline Medians) []swap.InstrumentFault {
	b := boundsOf(limits, baseline)
	return append(judgeCalibration(calibration, b), judgeStep(during, b)...)
}

// JudgeCalibration is Judge for the calibration alone, as soon as it is made.
func JudgeCalibration(calibration swap.InstrumentReading, limits swap.Calibration, baseline Medians) []swap.InstrumentFault {
	return judgeCalibration(calibration, boundsOf(limits, baseline))
}

func judgeCalibration(r swap.InstrumentReading, b bounds) []swap.InstrumentFault {
	f := faults{path: "calibration.", where: "in its check against the server of known truth, "}
	if !r.TokenErrorP99MS.Valid() && !r.TTFTErrorP99MS.Valid() {
		f.add("requests", nextAgain, "the load client's own error is not known: its check measured %d requests and %d tokens",
			r.Requests, r.Tokens)
		return f.found
	}
	f.timeAbove("token_error_p99_ms", "took tokens' times wrong by up to", r.TokenErrorP99MS, b.tokenErrorMS, nextCalibrate)
	f.timeAbove("ttft_error_p99_ms", "took times to the first token too long by up to", r.TTFTErrorP99MS, b.latenessMS, nextCalibrate)
	f.sends(r, b, "sent late by up to", nextCalibrate)
	return f.found
}

func judgeStep(r swap.InstrumentReading, b bounds) []swap.InstrumentFault {
	f := faults{path: "during."}
	f.sends(r, b, "sent late, over both arms together, by up to", nextShare)
	f.timeAbove("lag_p99_ms", "looked at arrivals late by up to", r.LagP99MS, lagLimitMS(r, b), nextShare)
	mostCPU := stampedCPU
	if !stamped(r) {
		f.timeAbove("sched_latency_p99_ms", "waited for a CPU for up to", r.SchedLatencyP99MS, readLagMS, nextShare)
		f.pause(r.GCPauseMaxMS)
		mostCPU = readCPU
	}
	consequences := len(f.found) > 0
	f.shareAbove("cpu_share", "used", "of the CPU time that it may use", r.CPUShare, mostCPU, nextShare)
	f.held(r, consequences)
	return f.found
}

// stamped says whether arrivals carry the kernel's time. A reading without a token carries none.
func stamped(r swap.InstrumentReading) bool { return r.KernelStamped.Or(0) >= allStamped }

// lagLimitMS is, with kernel times, never below the lateness that is tolerated: who may send so late may look so late.
func lagLimitMS(r swap.InstrumentReading, b bounds) float64 {
	switch {
	case !stamped(r):
		return readLagMS
	case shortOfCPU(r):
		return max(stampedLagMS, b.latenessMS)
	}
	return max(longestLagMS, b.latenessMS)
}

// shortOfCPU says whether a signal other than lag and lateness shows that the client is short of CPU.
func shortOfCPU(r swap.InstrumentReading) bool {
	return r.CPUShare.Or(0) > readCPU || r.SchedLatencyP99MS.Or(0) > readLagMS || r.Throttled.Or(0) > throttledAfter ||
		r.Stolen.Or(0) > stolenAfter
}
