package rawlog

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/stats"
)

// Six tools measure the same stream.
func TestOneStreamByEveryDefinition(t *testing.T) {
	// R@0, C1@200, C3 (3 tokens)@230, F@231, usage N=4.
	worked := stream{role: 0, visible: 200, chunks: []int64{200, 230}, tokens: []int32{1, 3}, finish: 231, end: 231, usage: 4}
	// Reasoning until 300, the finish reason on the last content, [DONE] late, no role-only chunk.
	reasoning := stream{
		role: 100, visible: 300, chunks: []int64{100, 120, 300, 340, 400}, tokens: []int32{1, 1, 2, 2, 2}, finish: 400, end: 450, usage: 8,
	}
	one := stream{role: 40, visible: 50, chunks: []int64{50}, finish: 55, end: 60, usage: 1}
	uncounted := stream{role: 40, visible: 50, chunks: []int64{50, 70}, finish: 70, end: 80, usage: -1, asked: 11}
	empty := stream{role: 40, visible: -1, finish: 50, end: 60, usage: 0}
	cases := []struct {
		name string
		s    stream
		// want has the values of ttft, tpot, e2e, output_tokens and itl by tool; −1 is absent.
		want map[string][4]float64
		itl  map[string][]float64
	}{
		{
			"the worked example", worked,
			map[string][4]float64{
				"canonical": {200, 10, 230, 4}, "vllm": {0, 77, 231, 4}, "sglang": {200, 31.0 / 3, 231, 4},
				"aiperf": {200, 10, 230, 4}, "guidellm": {200, 57.5, 231, 4}, "inference-perf": {200, 31.0 / 3, 231, 4},
			},
			map[string][]float64{
				"canonical": {10, 10, 10}, "vllm": {200, 30, 1}, "sglang": {30}, "aiperf": {10}, "guidellm": {10, 10, 10},
				"inference-perf": {10, 10, 10},
			},
		},
		{
			"reasoning", reasoning,
			map[string][4]float64{
				"canonical": {100, 300.0 / 7, 400, 8}, "vllm": {100, 300.0 / 7, 400, 8}, "sglang": {100, 50, 450, 8},
				"aiperf": {100, 300.0 / 7, 400, 8}, "guidellm": {100, 50, 450, 8}, "inference-perf": {300, 150.0 / 7, 450, 8},
			},
			map[string][]float64{
				"canonical": {20, 90, 90, 20, 20, 30, 30}, "vllm": {20, 180, 40, 60}, "sglang": {20, 180, 40, 60},
				"aiperf": {300.0 / 7}, "guidellm": slices.Repeat([]float64{300.0 / 7}, 7), "inference-perf": {20, 20, 30, 30},
			},
		},
		{
			"one token", one,
			map[string][4]float64{
				"canonical": {50, -1, 50, 1}, "vllm": {40, -1, 55, 1}, "sglang": {50, -1, 60, 1}, "aiperf": {50, -1, 50, 1},
				"guidellm": {50, 50, 60, 1}, "inference-perf": {50, -1, 60, 1},
			},
			map[string][]float64{"vllm": {10, 5}},
		},
		{
			"no usage", uncounted,
			map[string][4]float64{
				"canonical": {50, -1, 70, -1}, "vllm": {40, -1, 70, -1}, "sglang": {50, 3, 80, 11}, "aiperf": {50, -1, 70, -1},
				"guidellm": {50, -1, 80, -1}, "inference-perf": {50, -1, 80, -1},
			},
			map[string][]float64{"vllm": {10, 20}, "sglang": {20}},
		},
		{
			"an empty answer", empty,
			map[string][4]float64{
				"canonical": {-1, -1, -1, 0}, "vllm": {40, -1, 50, 0}, "sglang": {-1, -1, 60, 0}, "aiperf": {-1, -1, -1, 0},
				"guidellm": {-1, -1, 60, 0}, "inference-perf": {-1, -1, 60, 0},
			},
			nil,
		},
	}
	for _, c := range cases {
		for _, p := range Profiles() {
			t.Run(c.name+" by "+p.Name, func(t *testing.T) {
				r := c.s.record()
				want, ok := c.want[p.Name]
				require.True(t, ok)
				for i, name := range []string{"ttft", "tpot", "e2e", "output_tokens"} {
					if p.Name == "guidellm" && name == "tpot" && want[i] >= 0 {
						requireMetric(t, p, name, r, slices.Repeat(want[i:i+1], int(want[3]))...)
						continue
					}
					requireMetric(t, p, name, r, want[i])
				}
				requireMetric(t, p, "itl", r, c.itl[p.Name]...)
			})
		}
	}
}

func TestMetricsThatOnlySomeToolsHave(t *testing.T) {
	r := stream{role: 0, visible: 200, chunks: []int64{200, 230}, tokens: []int32{1, 3}, finish: 231, end: 240, usage: 4}.record()
	for tool, want := range map[string]map[string]float64{
		"canonical": {"ttfv": 200, "e2e_stream": 240, "chunk_gap": 30, "queue": 0}, "aiperf": {"icl": 30}, "inference-perf": {"ntpot": 60},
	} {
		p, ok := ProfileNamed(tool)
		require.True(t, ok)
		for name, v := range want {
			requireMetric(t, p, name, r, v)
		}
	}
	_, ok := ProfileNamed("stopwatch")
	require.False(t, ok)
	_, ok = canonical().Metric("ntpot")
	require.False(t, ok)
}

func TestEveryProfileIsExplained(t *testing.T) {
	for _, p := range Profiles() {
		require.NotEmpty(t, p.PercentileMethod)
		require.NotEmpty(t, p.Throughput.Requests)
		require.NotEmpty(t, p.Throughput.Tokens)
		for _, name := range []string{"ttft", "itl", "tpot", "e2e", "output_tokens"} {
			m, ok := p.Metric(name)
			require.True(t, ok, "%s has no %s", p.Name, name)
			require.NotEmpty(t, m.Definition)
			require.Contains(t, []string{"ms", "tokens"}, m.Unit)
		}
	}
}

func TestADistributionIsItsValuesRepeated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d Distribution
		var all []float64
		for range rapid.IntRange(0, 30).Draw(t, "values") {
			v, w := float64(rapid.IntRange(0, 9).Draw(t, "v"))/4, rapid.IntRange(0, 4).Draw(t, "w")
			d.Add(v, int64(w))
			all = append(all, slices.Repeat([]float64{v}, w)...)
		}
		d.Add(math.NaN(), 1)
		slices.Sort(all)
		require.Equal(t, int64(len(all)), d.Weight())
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		if len(all) == 0 {
			require.False(t, d.Linear(p).Valid())
			require.False(t, d.InverseCDF(p).Valid())
			require.False(t, d.Mean().Valid())
			return
		}
		require.InDelta(t, stats.Quantile(all, p), d.Linear(p).Or(-1), 1e-9)
		require.InDelta(t, stats.Mean(all), d.Mean().Or(-1), 1e-9)
		at := d.InverseCDF(p).Or(-1)
		below, _ := slices.BinarySearch(all, at)
		require.LessOrEqual(t, float64(below), p*float64(len(all))+1e-6)
	})
}
