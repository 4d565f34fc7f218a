package instrument

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

// usual is what is measured: a limit of 30 ms for sends and of 1 ms for tokens.
var usual = Medians{TTFT: swap.Of(300), TPOT: swap.Of(15)}

func calibrated() swap.InstrumentReading {
	return swap.InstrumentReading{
		Requests: 200, Tokens: 20_000,
		TTFTErrorMeanMS: swap.Of(.4), TTFTErrorP99MS: swap.Of(1.2), TokenErrorP99MS: swap.Of(.3),
		SendLatenessP99MS: swap.Of(.6), RateAchieved: swap.Of(1), KernelStamped: swap.Of(1), LagP99MS: swap.Of(1),
	}
}

// healthy is a client with kernel times and CPU to spare.
func healthy() swap.InstrumentReading {
	return swap.InstrumentReading{
		Requests: 5000, Tokens: 500_000,
		SendLatenessP99MS: swap.Of(.8), LagP99MS: swap.Of(2), KernelStamped: swap.Of(1), RateAchieved: swap.Of(1),
		CPUShare: swap.Of(.4), GCPauseMaxMS: swap.Of(.3), SchedLatencyP99MS: swap.Of(.2), Throttled: swap.Of(0), Stolen: swap.Of(.01),
	}
}

func userSpace(r swap.InstrumentReading) swap.InstrumentReading {
	r.KernelStamped, r.LagP99MS = swap.Of(0), swap.Absent()
	return r
}

func signals(faults []swap.InstrumentFault) []string {
	var found []string
	for _, f := range faults {
		found = append(found, f.Signal)
	}
	return found
}

func TestJudgeOfAStep(t *testing.T) {
	for _, c := range []struct {
		name    string
		reading func(*swap.InstrumentReading)
		stamped []string
		user    []string
	}{
		{"healthy", func(*swap.InstrumentReading) {}, nil, nil},
		{
			"throttled to a tenth of the CPU it needs, as its quota shows",
			func(r *swap.InstrumentReading) {
				r.SendLatenessP99MS, r.RateAchieved, r.LagP99MS = swap.Of(95), swap.Of(.9), swap.Of(900)
				r.CPUShare, r.Throttled, r.SchedLatencyP99MS, r.GCPauseMaxMS = swap.Of(.99), swap.Of(.9), swap.Of(180), swap.Of(90)
			},
			[]string{"during.send_lateness_p99_ms", "during.rate_achieved", "during.lag_p99_ms", "during.cpu_share", "during.throttled"},
			[]string{
				"during.send_lateness_p99_ms", "during.rate_achieved", "during.sched_latency_p99_ms", "during.gc_pause_max_ms", "during.cpu_share",
				"during.throttled",
			},
		},
		{
			"a closed loop throttled so that it sends when it runs: its sends look in time",
			func(r *swap.InstrumentReading) {
				r.LagP99MS, r.CPUShare, r.Throttled, r.SchedLatencyP99MS = swap.Of(90), swap.Of(.94), swap.Of(.6), swap.Of(3)
			},
			[]string{"during.lag_p99_ms", "during.throttled"},
			[]string{"during.cpu_share", "during.throttled"},
		},
		{
			"starved by neighbours, with no quota to show it",
			func(r *swap.InstrumentReading) {
				r.LagP99MS, r.CPUShare, r.SchedLatencyP99MS, r.Throttled = swap.Of(200), swap.Of(.1), swap.Of(60), swap.Of(0)
			},
			[]string{"during.lag_p99_ms"},
			[]string{"during.sched_latency_p99_ms"},
		},
		{
			"starved where nothing but its records tells",
			func(r *swap.InstrumentReading) {
				*r = swap.InstrumentReading{
					Requests: 100, Tokens: 100, SendLatenessP99MS: swap.Of(240), LagP99MS: swap.Of(700), KernelStamped: r.KernelStamped,
				}
			},
			[]string{"during.send_lateness_p99_ms", "during.lag_p99_ms"},
			[]string{"during.send_lateness_p99_ms"},
		},
		{
			"bound by its garbage collector",
			func(r *swap.InstrumentReading) {
				r.GCPauseMaxMS, r.SchedLatencyP99MS, r.CPUShare, r.LagP99MS = swap.Of(45), swap.Of(9), swap.Of(.97), swap.Of(30)
			},
			[]string{"during.cpu_share"},
			[]string{"during.sched_latency_p99_ms", "during.gc_pause_max_ms", "during.cpu_share"},
		},
		{
			"one slow burst that few sends and arrivals met",
			func(r *swap.InstrumentReading) { r.LagP99MS, r.GCPauseMaxMS = swap.Of(200), swap.Of(8) },
			nil, nil,
		},
		{
			"one slow burst that many sends met",
			func(r *swap.InstrumentReading) { r.SendLatenessP99MS, r.LagP99MS = swap.Of(200), swap.Of(200) },
			[]string{"during.send_lateness_p99_ms"},
			[]string{"during.send_lateness_p99_ms"},
		},
		{
			"a busy machine",
			func(r *swap.InstrumentReading) {
				r.CPUShare, r.SchedLatencyP99MS, r.LagP99MS = swap.Of(.9), swap.Of(12), swap.Of(20)
			},
			nil,
			[]string{"during.sched_latency_p99_ms", "during.cpu_share"},
		},
		{
			"a little throttling without consequences",
			func(r *swap.InstrumentReading) { r.Throttled, r.Stolen = swap.Of(.03), swap.Of(.2) }, nil, nil,
		},
		{
			"stolen with consequences",
			func(r *swap.InstrumentReading) { r.SendLatenessP99MS, r.Stolen = swap.Of(31), swap.Of(.2) },
			[]string{"during.send_lateness_p99_ms", "during.stolen"},
			[]string{"during.send_lateness_p99_ms", "during.stolen"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := healthy()
			c.reading(&r)
			require.Equal(t, c.stamped, signals(Judge(calibrated(), r, swap.Calibration{}, usual)), "with kernel times")
			require.Equal(t, c.user, signals(Judge(calibrated(), userSpace(r), swap.Calibration{}, usual)), "without")
		})
	}
}

func TestLagCountsInFullWhereSomeTimesAreTheClients(t *testing.T) {
	r := healthy()
	r.KernelStamped, r.LagP99MS = swap.Of(.9), swap.Of(6)
	require.Equal(t, []string{"during.lag_p99_ms"}, signals(Judge(calibrated(), r, swap.Calibration{}, usual)))
}

func TestJudgeOfTheCalibration(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*swap.InstrumentReading)
		limits swap.Calibration
		want   []string
	}{
		{"good", func(*swap.InstrumentReading) {}, swap.Calibration{}, nil},
		{
			"never tested", func(r *swap.InstrumentReading) { *r = swap.InstrumentReading{} },
			swap.Calibration{},
			[]string{"calibration.requests"},
		},
		{
			"wrong times", func(r *swap.InstrumentReading) { r.TokenErrorP99MS, r.TTFTErrorP99MS = swap.Of(1.1), swap.Of(31) },
			swap.Calibration{},
			[]string{"calibration.token_error_p99_ms", "calibration.ttft_error_p99_ms"},
		},
		{
			"tolerated times", func(r *swap.InstrumentReading) { r.TokenErrorP99MS, r.TTFTErrorP99MS = swap.Of(1.1), swap.Of(31) },
			swap.Calibration{TokenError: swap.Duration(2 * time.Millisecond), SendLateness: swap.Duration(40 * time.Millisecond)},
			nil,
		},
		{
			"stricter than the default", func(*swap.InstrumentReading) {},
			swap.Calibration{TokenError: swap.Duration(200 * time.Microsecond), SendLateness: swap.Duration(time.Millisecond)},
			[]string{"calibration.token_error_p99_ms", "calibration.ttft_error_p99_ms"},
		},
		{
			"late sends", func(r *swap.InstrumentReading) { r.SendLatenessP99MS, r.RateAchieved = swap.Of(50), swap.Of(.98) },
			swap.Calibration{},
			[]string{"calibration.send_lateness_p99_ms", "calibration.rate_achieved"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := calibrated()
			c.change(&r)
			require.Equal(t, c.want, signals(Judge(r, healthy(), c.limits, usual)))
		})
	}
}

func TestLimitsFollowWhatIsMeasured(t *testing.T) {
	r := calibrated()
	r.TokenErrorP99MS, r.SendLatenessP99MS = swap.Of(2), swap.Of(10)
	slow := Medians{TTFT: swap.Of(2000), TPOT: swap.Of(60)}
	require.Empty(t, Judge(r, healthy(), swap.Calibration{}, slow))
	require.Len(t, Judge(r, healthy(), swap.Calibration{}, Medians{}), 2)
}

func TestFaultsSayWhatWasMeasuredAgainstWhichLimitAndWhatToDo(t *testing.T) {
	c, r := calibrated(), healthy()
	c.TokenErrorP99MS, r.SendLatenessP99MS, r.Throttled = swap.Of(4), swap.Of(95.04), swap.Of(.62)
	require.Equal(t, []swap.InstrumentFault{
		{
			Signal: "calibration.token_error_p99_ms", Next: nextCalibrate,
			Message: "in its check against the server of known truth, the load client took tokens' times wrong by up to 4.0 ms (P99), more than " +
				"the 1.0 ms tolerated",
		},
		{
			Signal: "during.send_lateness_p99_ms", Next: nextShare,
			Message: "the load client sent late, over both arms together, by up to 95.0 ms (P99), more than the 30.0 ms tolerated",
		},
		{
			Signal: "during.throttled", Next: nextUnlimit,
			Message: "the load client was stopped by its CPU limit for 62.0 % of the time, more than the 1 % tolerated",
		},
	}, Judge(c, r, swap.Calibration{}, usual))
}

func drawReading(t *rapid.T, label string) swap.InstrumentReading {
	value := func(name string, top float64) swap.Value {
		if rapid.IntRange(0, 5).Draw(t, label+name+" is there") == 0 {
			return swap.Absent()
		}
		return swap.Of(rapid.Float64Range(0, top).Draw(t, label+name))
	}
	return swap.InstrumentReading{
		TTFTErrorP99MS: value("ttft", 60), TokenErrorP99MS: value("token", 3), SendLatenessP99MS: value("late", 60),
		LagP99MS: value("lag", 600), RateAchieved: value("rate", 1), CPUShare: value("cpu", 1), GCPauseMaxMS: value("gc", 40),
		SchedLatencyP99MS: value("sched", 10), Throttled: value("throttled", .2), Stolen: value("stolen", .2),
		KernelStamped: rapid.SampledFrom([]swap.Value{swap.Of(0), swap.Of(.5), swap.Of(1)}).Draw(t, label+"stamped"),
	}
}

// Several load workers are believed only as far as the worst of them: joining the readings of workers that had tokens never
// hides a fault of one.
func TestTheWorseOfTwoReadingsKeepsTheFaultsOfBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := calibrated()
		a, b := drawReading(t, "a "), drawReading(t, "b ")
		together := signals(Judge(c, a.Worse(b), swap.Calibration{}, usual))
		for _, alone := range append(signals(Judge(c, a, swap.Calibration{}, usual)), signals(Judge(c, b, swap.Calibration{}, usual))...) {
			require.Contains(t, together, alone)
		}
	})
}
