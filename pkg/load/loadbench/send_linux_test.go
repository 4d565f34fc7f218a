package loadbench

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/metronome"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// BenchmarkSend: see the package comment.
func BenchmarkSend(b *testing.B) {
	b.Run("1000rps", func(b *testing.B) {
		for b.Loop() {
			cfg := metronome.Default()
			cfg.FirstToken = time.Millisecond
			child := startChild(b, cfg)
			before, err := mark(child.PID())
			require.NoError(b, err)
			records := drive(b, child, crowd{}.options(), swap.Step{Rate: 1000}, 1, opening+sendTime(b))
			after, err := mark(child.PID())
			require.NoError(b, err)
			reportSends(b, records, after.cpu-before.cpu)
		}
		b.ReportMetric(0, "ns/op")
	})
}

func sendTime(b *testing.B) time.Duration {
	b.Helper()
	text, set := os.LookupEnv("SWAPGATE_BENCH_SECONDS")
	if !set {
		return 10 * time.Second
	}
	seconds, err := strconv.Atoi(text)
	require.NoError(b, err)
	return time.Duration(seconds) * time.Second
}

func reportSends(b *testing.B, records []rawlog.Record, cpu time.Duration) {
	b.Helper()
	var late []float64
	var start, end int64
	for _, r := range records {
		if !r.Measured {
			continue
		}
		late = append(late, float64(r.LateUS-r.HeldUS))
		if start == 0 || r.PlannedUnixNS < start {
			start = r.PlannedUnixNS
		}
		end = max(end, r.PlannedUnixNS)
	}
	inTime := 0
	for _, r := range records {
		if r.SentUnixNS <= end {
			inTime++
		}
	}
	slices.Sort(late)
	planned := float64(len(records))
	b.ReportMetric(stats.Quantile(late, .5), "late-p50-µs")
	b.ReportMetric(stats.Quantile(late, .99), "late-p99-µs")
	b.ReportMetric(late[len(late)-1], "late-max-µs")
	b.ReportMetric(planned/time.Duration(end-start).Seconds(), "planned-rps")
	b.ReportMetric(100*(float64(inTime)/planned-1), "rate-err-%")
	b.ReportMetric(cpu.Seconds()*1e6/planned, "cpu-µs/request")
}
