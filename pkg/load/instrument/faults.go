package instrument

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// faults gathers what is found in one reading.
type faults struct {
	// path is where the reading lies in swap.InstrumentState, where says so in words.
	path, where string
	found       []swap.InstrumentFault
}

func (f *faults) add(signal, next, message string, args ...any) {
	f.found = append(f.found, swap.InstrumentFault{Signal: f.path + signal, Message: fmt.Sprintf(message, args...), Next: next})
}

// timeAbove finds a P99 in ms above its limit.
func (f *faults) timeAbove(signal, did string, value swap.Value, limit float64, next string) {
	if v, ok := value.Get(); ok && v > limit {
		f.add(signal, next, "%sthe load client %s %.1f ms (P99), more than the %.1f ms tolerated", f.where, did, v, limit)
	}
}

// shareAbove finds a share above its limit.
func (f *faults) shareAbove(signal, did, of string, value swap.Value, limit float64, next string) {
	if v, ok := value.Get(); ok && v > limit {
		f.add(signal, next, "%sthe load client %s %.1f %% %s, more than the %.0f %% tolerated", f.where, did, v*100, of, limit*100)
	}
}

// sends judges whether requests went out when the plan wanted it; late is what the client did where not.
func (f *faults) sends(r swap.InstrumentReading, b bounds, late, next string) {
	f.timeAbove("send_lateness_p99_ms", late, r.SendLatenessP99MS, b.latenessMS, next)
	if v, ok := r.RateAchieved.Get(); ok && v < leastRate {
		f.add("rate_achieved", next, "%sthe load client sent %.1f %% of the requests within a second of their plan, less than the %.0f %% needed",
			f.where, v*100, leastRate*100)
	}
}

func (f *faults) pause(longest swap.Value) {
	if v, ok := longest.Get(); ok && v > gcPauseMS {
		f.add("gc_pause_max_ms", nextShare, "%sthe load client was stopped by its garbage collector for up to %.1f ms, more than the "+
			"%.0f ms tolerated", f.where, v, gcPauseMS)
	}
}

// held judges the time in which the client was not let run.
func (f *faults) held(r swap.InstrumentReading, consequences bool) {
	most := throttledOutright
	if consequences {
		most = throttledAfter
		f.shareAbove("stolen", "lost to other guests of its host", "of the CPU time", r.Stolen, stolenAfter, nextHost)
	}
	f.shareAbove("throttled", "was stopped by its CPU limit for", "of the time", r.Throttled, most, nextUnlimit)
}
