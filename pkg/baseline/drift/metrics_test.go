package drift

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/swap"
)

var rules = Rules{
	Watch: swap.Watch{
		Rule: swap.DriftByBounds, Notify: .03, Fail: .05, Block: .08, Distribution: swap.DistributionByBlocks, Distance: .05,
	},
	Judge: swap.Judge{Level: .95, Resamples: 199, MinBlocks: 10, MinTail: 30, Seed: 1},
}

var (
	ttftP99    = swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP99, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter}
	throughput = swap.Gate{
		Metric: swap.MetricThroughput, Stat: swap.StatRate, Margin: .05, Unit: swap.Relative, Better: swap.HigherIsBetter,
	}
	errorRate = swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .005, Unit: swap.Absolute, Better: swap.LowerIsBetter}
	answers   = swap.Gate{Metric: swap.MetricOutputTokens, Stat: swap.StatMean, Margin: .05, Unit: swap.Relative, Better: swap.Either}
)

// measured are two levels of twenty blocks of 200 requests; latencies and tokens have the given factors against a usual run.
func measured(seed uint64, latency, tokens float64, failed int) []registry.Level {
	random := rand.New(rand.NewPCG(seed, 3))
	var levels []registry.Level
	for step := 1; step <= 2; step++ {
		l := registry.Level{Step: step, Label: map[int]string{1: "concurrency 8", 2: "concurrency 16"}[step]}
		for k := range 20 {
			v := 100 * float64(step) * latency * math.Exp(.02*random.NormFloat64())
			l.Blocks = append(l.Blocks, registry.Block{
				Block: k + 1, Seconds: 20, Requests: 200, Failed: failed, Tokens: swap.Of(200 * 128 * tokens * math.Exp(.005*random.NormFloat64())),
				Metrics: []registry.BlockMetrics{{
					Metric: swap.MetricTTFT, N: 200 - failed, P50: swap.Of(v), P95: swap.Of(2 * v), P99: swap.Of(3 * v),
				}},
			})
		}
		levels = append(levels, l)
	}
	return levels
}

func TestMetricResponses(t *testing.T) {
	then := measured(1, 1, 1, 0)
	for _, c := range []struct {
		name string
		gate swap.Gate
		now  []registry.Level
		want swap.DriftResponse
		says string
	}{
		{"the same", ttftP99, measured(2, 1, 1, 0), swap.DriftSilent, "upper bound is below the notify limit of +3.0 %"},
		{"faster", ttftP99, measured(2, .8, 1, 0), swap.DriftSilent, "ttft_p99 is 19.9 % better"},
		{"a little slower", ttftP99, measured(2, 1.042, 1, 0), swap.DriftNotify, "lower bound is above the notify limit"},
		{"slower", ttftP99, measured(2, 1.065, 1, 0), swap.DriftFail, "lower bound is above the fail limit of +5.0 %"},
		{"much slower", ttftP99, measured(2, 1.2, 1, 0), swap.DriftBlock, "lower bound is above the block limit of +8.0 %"},
		{"on the limit", ttftP99, measured(2, 1.03, 1, 0), swap.DriftInconclusive, "not decided"},
		{"less throughput", throughput, measured(2, 1, .9, 0), swap.DriftBlock, "worse"},
		{"more throughput", throughput, measured(2, 1, 1.1, 0), swap.DriftSilent, "better"},
		{"shorter answers", answers, measured(2, 1, .9, 0), swap.DriftBlock, "worse"},
		{"longer answers", answers, measured(2, 1, 1.1, 0), swap.DriftBlock, "worse"},
		{"no errors", errorRate, measured(2, 1, 1, 0), swap.DriftSilent, "error_rate is as it was (−0.03 percentage points to +0.03 "},
		{"errors", errorRate, measured(2, 1, 1, 4), swap.DriftBlock, "2.00 percentage points worse"},
		{"errors as shares", errorRate, measured(2, 1, 1, 4), swap.DriftBlock, "; 0 % → 2 %): "},
	} {
		got := rules.Metric(c.gate, then, c.now, Noise{})
		require.Equal(t, c.want, got.Response, "%s: %+v", c.name, got)
		require.Contains(t, got.Message, c.says, c.name)
		require.True(t, got.Change.Valid() && got.Low.Valid() && got.High.Valid(), c.name)
		require.Positive(t, got.Blocks, c.name)
	}
}

// openLoop are two levels of eight pairs of blocks whose requests are what a schedule brings: it differs by 15 % from pair to pair and
// is the same in every run. The arms are those of the halves that are asked for. Of the tokens the share is served, off by noise.
func openLoop(seed uint64, share, noise float64, halves ...int) []registry.Level {
	schedule, random := rand.New(rand.NewPCG(8, 8)), rand.New(rand.NewPCG(seed, 5))
	var levels []registry.Level
	for step := 1; step <= 2; step++ {
		l := registry.Level{Step: step, Label: map[int]string{1: "8 req/s", 2: "16 req/s"}[step], Load: swap.Step{Rate: 8 * float64(step)}}
		for pair := range 8 {
			tokens := 2e4 * float64(step) * math.Exp(.15*schedule.NormFloat64())
			for _, half := range halves {
				l.Blocks = append(l.Blocks, registry.Block{
					Block: 2*pair + half, Seconds: 10, Requests: int(tokens / 100), Tokens: swap.Of(tokens * share * math.Exp(noise*random.NormFloat64())),
				})
			}
		}
		levels = append(levels, l)
	}
	return levels
}

func TestThroughputOfAnOpenLoopIsHeldAgainstItsSchedule(t *testing.T) {
	then := openLoop(1, 1, 0, 1)
	same := rules.Metric(throughput, then, openLoop(2, 1, 0, 1, 2), Noise{})
	require.Equal(t, swap.DriftSilent, same.Response, "%+v", same)
	require.Contains(t, same.Message, "throughput is as it was (+0.0 % to +0.0 % by")
	require.Equal(t, []int{16, 32}, []int{same.BaselineBlocks, same.Blocks})
	require.InDelta(t, 0, same.Change.Or(1), 1e-12)

	for share, want := range map[float64]swap.DriftResponse{
		1: swap.DriftSilent, .99: swap.DriftSilent, .958: swap.DriftNotify, .93: swap.DriftFail, .85: swap.DriftBlock,
	} {
		got := rules.Metric(throughput, then, openLoop(3, share, .01, 1, 2), Noise{})
		require.Equal(t, want, got.Response, "%g: %+v", share, got)
		require.InDelta(t, 1-share, got.Change.Or(9), .01)
	}
	noisy := rules.Metric(throughput, then, openLoop(2, 1, 0, 1, 2), Noise{SD: .05, Runs: 9})
	require.Equal(t, swap.DriftInconclusive, noisy.Response, "the spread between runs widens the bounds all the same")

	closed := openLoop(2, 1, 0, 1, 2)
	for i := range closed {
		closed[i].Load = swap.Step{Concurrency: 8}
	}
	asFast := rules.Metric(throughput, then, closed, Noise{})
	require.Equal(t, swap.DriftInconclusive, asFast.Response, "a closed loop sends as fast as it is served")
	others := openLoop(2, 1, 0, 1, 2)
	for i := range others {
		for k := range others[i].Blocks {
			others[i].Blocks[k].Block += 100
		}
	}
	require.Equal(t, swap.DriftInconclusive, rules.Metric(throughput, then, others, Noise{}).Response, "no pair is on both sides")
	uncounted := openLoop(2, 1, 0, 1, 2)
	uncounted[1].Blocks[3].Tokens = swap.Absent()
	require.False(t, rules.Metric(throughput, then, uncounted, Noise{}).Change.Valid())
}

// On equal days the bounds hold: few of them tell of a change.
func TestPairedComparisonKeepsItsLevel(t *testing.T) {
	told := 0
	for seed := range uint64(400) {
		then, now := openLoop(2*seed+1, 1, .05, 1), openLoop(2*seed+2, 1, .05, 1, 2)
		c, ok := ComparePaired(scheduledOf(throughput, then), scheduledOf(throughput, now), Settings{
			Relative: true, Better: swap.HigherIsBetter, Level: .95,
		})
		require.True(t, ok)
		if c.Worsening.Low > 0 {
			told++
		}
	}
	require.InDelta(t, 20, told, 14, "5 % of 400, within three standard errors")
}

func TestWorstFirst(t *testing.T) {
	metric := func(name string, g swap.Gate, r swap.DriftResponse, change swap.Value) swap.DriftMetric {
		return swap.DriftMetric{Name: name, Gate: g, Response: r, Change: change}
	}
	var names []string
	for _, m := range rules.WorstFirst([]swap.DriftMetric{
		metric("silent", ttftP99, swap.DriftSilent, swap.Of(.2)),
		metric("ttft_p95", ttftP99, swap.DriftNotify, swap.Of(.03)),
		metric("ttft_p99", ttftP99, swap.DriftNotify, swap.Of(.113)),
		metric("error_rate", errorRate, swap.DriftNotify, swap.Of(.004)),
		metric("failing", ttftP99, swap.DriftBlock, swap.Absent()),
		metric("blocked", ttftP99, swap.DriftBlock, swap.Of(.09)),
	}) {
		names = append(names, m.Name)
	}
	require.Equal(t, []string{"failing", "blocked", "ttft_p99", "error_rate", "ttft_p95", "silent"}, names)
}

func TestNumbersOfADriftHaveARealMinusSign(t *testing.T) {
	for want, v := range map[string]float64{"+0.0 %": math.Copysign(.0001, -1), "−1.2 %": -.012, "+3.0 %": .03} {
		require.Equal(t, want, amountOf(ttftP99, v))
	}
	require.Equal(t, "+0.0 %", amountOf(ttftP99, math.Copysign(0, -1)))
	require.Equal(t, "−0.50 percentage points", amountOf(errorRate, -.005))
	require.Equal(t, "as it was", worseBy(ttftP99, -.0001))
	require.Equal(t, "1.2 % better", worseBy(ttftP99, -.012))
}

func TestMetricByTheEstimateAlone(t *testing.T) {
	byPoint := rules
	byPoint.Watch.Rule = swap.DriftClassic3_8
	got := byPoint.Metric(ttftP99, measured(1, 1, 1, 0), measured(2, 1.036, 1, 0), Noise{SD: .05, Runs: 5})
	require.Equal(t, swap.DriftNotify, got.Response)
	require.Contains(t, got.Message, "notify by the estimate alone")
}

func TestInconclusiveMetricSaysWhatIsMissing(t *testing.T) {
	then, now := measured(1, 1, 1, 0), measured(2, 1, 1, 0)
	for i := range now {
		now[i].Blocks = now[i].Blocks[:3]
		for k, factor := range []float64{.98, 1, 1.05} {
			now[i].Blocks[k].Metrics[0].P99 = swap.Of(300 * float64(i+1) * factor)
		}
	}
	few := rules
	few.Judge.MinTail = 5
	got := few.Metric(ttftP99, then, now, Noise{})
	require.Equal(t, swap.DriftInconclusive, got.Response, "%+v", got)
	require.Greater(t, got.NeedBlocks, 6)
	require.Contains(t, got.Message, "blocks would decide in place of 6")

	wide := rules.Metric(ttftP99, then, measured(2, 1, 1, 0), Noise{SD: .05, Runs: 10})
	require.Equal(t, swap.DriftInconclusive, wide.Response)
	require.Zero(t, wide.NeedBlocks)
	require.Contains(t, wide.Message, "more blocks alone would not decide")
	require.InDelta(t, .05, wide.RunToRun.Or(0), 1e-12)
}

func TestMetricRefusals(t *testing.T) {
	then := measured(1, 1, 1, 0)
	p90 := ttftP99
	p90.Stat = swap.StatP90
	got := rules.Metric(p90, then, then, Noise{})
	require.Equal(t, swap.DriftInconclusive, got.Response)
	require.Contains(t, got.Message, "watch p50, p95 or p99")

	few := measured(2, 1, 1, 0)[:1]
	few[0].Blocks = few[0].Blocks[:10]
	got = rules.Metric(ttftP99, then, few, Noise{})
	require.Equal(t, swap.DriftInconclusive, got.Response)
	require.Contains(t, got.Message, "20 of 2000 requests beyond the quantile")

	uncounted := measured(2, 1, 1, 0)
	for i := range uncounted {
		for k := range uncounted[i].Blocks {
			uncounted[i].Blocks[k].Tokens = swap.Absent()
		}
	}
	got = rules.Metric(throughput, then, uncounted, Noise{})
	require.Equal(t, swap.DriftInconclusive, got.Response)
	require.Contains(t, got.Message, "no level to compare")

	other := measured(2, 1, 1, 0)
	other[0].Label, other[1].Label = "concurrency 4", "concurrency 2"
	require.Equal(t, swap.DriftInconclusive, rules.Metric(ttftP99, then, other, Noise{}).Response)
}

func TestQuantilesOnFailures(t *testing.T) {
	then, some, all := measured(1, 1, 1, 0), measured(2, 1, 1, 0), measured(3, 1, 1, 0)
	fail := func(b *registry.Block) { b.Failed, b.Metrics[0].P99 = 4, swap.Absent() }
	fail(&some[0].Blocks[3])
	for i := range all {
		for k := range all[i].Blocks {
			fail(&all[i].Blocks[k])
		}
	}
	got := rules.Metric(ttftP99, then, some, Noise{})
	require.Equal(t, swap.DriftInconclusive, got.Response)
	require.Contains(t, got.Message, "1 of 40 blocks now and in 0 of 40")
	got = rules.Metric(ttftP99, then, all, Noise{})
	require.Equal(t, swap.DriftBlock, got.Response)
	require.Contains(t, got.Message, "all 40 blocks")
}

func TestMergeAddsBlocksOfTheSameStep(t *testing.T) {
	merged := Merge(measured(1, 1, 1, 0), measured(2, 1, 1, 0))
	require.Len(t, merged, 2)
	require.Len(t, merged[0].Blocks, 40)
	require.Equal(t, "concurrency 16", merged[1].Label)
}

func TestLevelInARun(t *testing.T) {
	levels := measured(1, 1, 1, 2)
	v, se, ok := LevelIn(ttftP99, levels)
	require.True(t, ok)
	require.InDelta(t, 300*math.Sqrt2, v, 6, "the geometric mean of both levels")
	require.InDelta(t, .02/math.Sqrt(40), se, .001)
	v, se, ok = LevelIn(errorRate, levels)
	require.True(t, ok)
	require.InDelta(t, .01, v, 1e-12)
	require.InDelta(t, math.Sqrt(.01*.99/8000), se, 1e-9)
	_, _, ok = LevelIn(swap.Gate{Metric: swap.MetricE2E, Stat: swap.StatMean}, levels)
	require.False(t, ok)
}

func TestNoiseOfRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	runs := make([]Run, 400)
	for i := range runs {
		level := 800.0
		if i >= 200 {
			level = 1600 // a change of level is not noise
		}
		runs[i] = Run{Value: level * math.Exp(.02*random.NormFloat64()+.01*random.NormFloat64()), Error: .01}
	}
	n := NoiseOf(runs, true)
	require.True(t, n.Known())
	require.InDelta(t, .02, n.SD, .005)
	require.Equal(t, 400, n.Runs)

	require.Zero(t, NoiseOf(runs[:2], true).SD)
	require.False(t, NoiseOf(runs[:2], true).Known())
	quiet := NoiseOf([]Run{{Value: 100, Error: .05}, {Value: 101, Error: .05}, {Value: 100, Error: .05}}, true)
	require.True(t, quiet.Known())
	require.Zero(t, quiet.SD, "the blocks explain it all")
	require.Equal(t, 1, NoiseOf([]Run{{Value: 1}, {Value: math.NaN()}, {Value: 0}, {Value: 1, Error: math.NaN()}}, true).Runs)
}

func TestDistanceForPeople(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	then, now := day(random, 100, .5, 10, 60), day(random, 150, .5, 10, 60)
	d, ok := rules.Distance(swap.MetricTTFT, then, now)
	require.True(t, ok)
	require.True(t, d.Drifted && d.Larger)
	require.Contains(t, d.Message, "tolerated 0.050")
	require.Contains(t, d.Message, "larger values")

	classic := rules
	classic.Watch.Distribution = swap.DistributionKSAdaptive
	d, ok = classic.Distance(swap.MetricTTFT, then, now)
	require.True(t, ok)
	require.True(t, d.Drifted && d.Larger)
	require.Contains(t, d.Message, "classic_ks_adaptive")
	require.False(t, d.Low.Valid())
	for _, r := range []Rules{rules, classic} {
		_, ok = r.Distance(swap.MetricTTFT, then, Blocks{})
		require.False(t, ok)
	}
}
