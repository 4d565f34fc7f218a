package report

import (
	"github.com/swapgate/swapgate/pkg/report/phrase"
	"github.com/swapgate/swapgate/pkg/swap"
)

// signal is one column of the load client's account.
type signal struct {
	// key is its name in swap.InstrumentReading.
	key, name string
	// unit is as phrase.Quantity takes it.
	unit string
	// least says that the limit is a lower one.
	least bool
	// meaning is what a value means for the numbers of the report.
	meaning string
	of      func(swap.InstrumentReading) swap.Value
}

func (s signal) show(r swap.InstrumentReading) string { return phrase.Quantity(s.of(r), s.unit) }

// limit is empty where nothing is known of limits.
func (s signal) limit(limits *swap.InstrumentReading) string {
	switch {
	case limits == nil || s.unit == "":
		return ""
	case !s.of(*limits).Valid():
		return "not judged"
	case s.least:
		return "≥ " + s.show(*limits)
	}
	return "≤ " + s.show(*limits)
}

// sentLate and sentInTime are read both in the calibration and during the step.
var (
	sentLate = signal{
		"send_lateness_p99_ms", "Send lateness P99", "ms", false,
		"Requests left this late against the plan, so the server saw another load than was planned.",
		func(r swap.InstrumentReading) swap.Value { return r.SendLatenessP99MS },
	}
	sentInTime = signal{
		"rate_achieved", "Sent in time", "fraction", true,
		"Requests that left within a second of their plan. Less than all means that the server got less load than the step says.",
		func(r swap.InstrumentReading) swap.Value { return r.RateAchieved },
	}
)

var calibrationSignals = []signal{
	{
		"requests", "Requests", "", false, "How many requests and tokens the errors rest on.",
		func(r swap.InstrumentReading) swap.Value { return counted(r.Requests) },
	},
	{
		"tokens", "Tokens", "", false, "",
		func(r swap.InstrumentReading) swap.Value { return counted(r.Tokens) },
	},
	{
		"token_error_p99_ms", "Token error P99", "ms", false,
		"How far off the time of a token can be. TPOT and the gaps between tokens are not known better.",
		func(r swap.InstrumentReading) swap.Value { return r.TokenErrorP99MS },
	},
	{
		"ttft_error_mean_ms", "TTFT error, mean", "ms", false, "Every TTFT is too long by about this, on both arms.",
		func(r swap.InstrumentReading) swap.Value { return r.TTFTErrorMeanMS },
	},
	{
		"ttft_error_p99_ms", "TTFT error P99", "ms", false, "One TTFT in a hundred is too long by more than this.",
		func(r swap.InstrumentReading) swap.Value { return r.TTFTErrorP99MS },
	},
	sentLate,
	sentInTime,
}

var stepSignals = []signal{
	sentLate,
	sentInTime,
	{
		"lag_p99_ms", "Lag P99", "ms", false,
		"From the kernel's receipt of bytes to the client's look at them. It is in every latency whose time is not the kernel's.",
		func(r swap.InstrumentReading) swap.Value { return r.LagP99MS },
	},
	{
		"kernel_stamped", "Kernel-stamped", "fraction", true,
		"Tokens whose time is the kernel's, which is right however busy the client was. Below 99 % the client must be less busy.",
		func(r swap.InstrumentReading) swap.Value { return r.KernelStamped },
	},
	{
		"cpu_share", "CPU share", "fraction", false,
		"Of the CPU time that the client may use. Near 100 % it queues by itself, and its queue is in the latencies.",
		func(r swap.InstrumentReading) swap.Value { return r.CPUShare },
	},
	{
		"sched_latency_p99_ms", "Scheduling delay P99", "ms", false,
		"How long work that was ready waited for a CPU. Sends are late by it, and so are times that are not the kernel's.",
		func(r swap.InstrumentReading) swap.Value { return r.SchedLatencyP99MS },
	},
	{
		"gc_pause_max_ms", "Longest GC pause", "ms", false, "For this long the client neither sent nor read.",
		func(r swap.InstrumentReading) swap.Value { return r.GCPauseMaxMS },
	},
	{
		"throttled", "Throttled", "fraction", false,
		"Time in which the container's CPU limit stopped the client. Latencies that end in it are too long.",
		func(r swap.InstrumentReading) swap.Value { return r.Throttled },
	},
	{
		"stolen", "Stolen", "fraction", false, "CPU time that the host gave to others. The client stood still and cannot tell.",
		func(r swap.InstrumentReading) swap.Value { return r.Stolen },
	},
}

// counted is absent where nothing was counted.
func counted(n int) swap.Value {
	if n == 0 {
		return swap.Absent()
	}
	return swap.Of(float64(n))
}
