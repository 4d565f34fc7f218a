package phrase

import "strings"

// Signal names a signal of the load client by its path in swap.InstrumentState, such as "lag P99" for during.lag_p99_ms and
// "token error P99 in calibration" for calibration.token_error_p99_ms.
func Signal(path string) string {
	path = Clean(path)
	if signal, found := strings.CutPrefix(path, "calibration."); found && signalName(signal) != "" {
		return signalName(signal) + " in calibration"
	}
	if name := signalName(strings.TrimPrefix(path, "during.")); name != "" {
		return name
	}
	return path
}

// signalName is empty for a signal that is not one of swap.InstrumentReading.
func signalName(signal string) string {
	switch signal {
	case "requests":
		return "an error that is not known"
	case "token_error_p99_ms":
		return "token error P99"
	case "ttft_error_p99_ms":
		return "TTFT error P99"
	case "send_lateness_p99_ms":
		return "send lateness P99"
	case "lag_p99_ms":
		return "lag P99"
	case "kernel_stamped":
		return "kernel-stamped share"
	case "rate_achieved":
		return "share sent in time"
	case "cpu_share":
		return "CPU share"
	case "gc_pause_max_ms":
		return "longest GC pause"
	case "sched_latency_p99_ms":
		return "scheduling delay P99"
	case "throttled":
		return "throttled share"
	case "stolen":
		return "stolen share"
	}
	return ""
}
