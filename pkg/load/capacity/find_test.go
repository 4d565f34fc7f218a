package capacity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func curve(loads, rates []float64) []Point {
	points := make([]Point, len(loads))
	for k, load := range loads {
		points[k] = Point{Label: fmt.Sprintf("concurrency %g", load), Load: load, Throughput: swap.Of(rates[k])}
	}
	return points
}

func along(loads []float64, f func(load float64) float64) []Point {
	rates := make([]float64, len(loads))
	for k, load := range loads {
		rates[k] = f(load)
	}
	return curve(loads, rates)
}

func labelOf(l *swap.LoadLevel) string {
	if l == nil {
		return ""
	}
	return l.Label
}

var doubling = []float64{1, 2, 4, 8, 16, 32, 64, 128}

func TestFind(t *testing.T) {
	absent := curve(doubling, []float64{20, 39.5, 78, 150, 281, 480, 640, 655})
	absent[3].Throughput = swap.Absent()
	stopped := curve([]float64{8, 16, 32}, []float64{100, 198, 120})
	stopped[2].Limited, stopped[2].Throughput = true, swap.Absent()
	stoppedAfterFlat := curve([]float64{8, 16, 32, 64}, []float64{100, 198, 199, 190})
	stoppedAfterFlat[3].Limited = true
	unsorted := curve([]float64{64, 8, 32, 16}, []float64{420, 100, 400, 200})
	noisy := curve([]float64{8, 16, 32, 64}, []float64{100, 180, 260, 320})
	for k := range noisy {
		noisy[k].ThroughputSE = swap.Of(60)
	}
	upTo40 := func(load float64) float64 { return 10 * min(load, 40) }
	tests := []struct {
		name                   string
		points                 []Point
		knee, peak, saturation string
	}{
		// Kneedle finds 32 too, and the universal scalability law a maximum at 92.8.
		{
			"a batching server", curve(doubling, []float64{20, 39.5, 78, 150, 281, 480, 640, 655}),
			"concurrency 32", "concurrency 128", "concurrency 128",
		},
		{"one step is missing", absent, "concurrency 32", "concurrency 128", "concurrency 128"},
		{"unequal steps", curve([]float64{8, 32, 64}, []float64{142, 416, 489}), "concurrency 32", "concurrency 64", ""},
		{"in any order", unsorted, "concurrency 32", "concurrency 64", ""},
		{"linear", along(doubling, func(x float64) float64 { return 20 * x }), "", "concurrency 128", ""},
		{"steady but less than linear", along(doubling, func(x float64) float64 { return math.Pow(x, .6) }), "", "concurrency 128", ""},
		{
			"falls beyond its peak", curve([]float64{8, 16, 32, 64}, []float64{100, 190, 350, 250}),
			"concurrency 32", "concurrency 32", "concurrency 64",
		},
		{
			"flat from the beginning", curve([]float64{8, 16, 32}, []float64{100, 101, 100}),
			"", "concurrency 16", "concurrency 16",
		},
		{"a limit", stopped, "", "concurrency 16", "concurrency 32"},
		{"a limit after saturation", stoppedAfterFlat, "concurrency 16", "concurrency 32", "concurrency 32"},
		{"noise hides the knee", noisy, "", "concurrency 64", ""},
		{
			"steps close to each other", along([]float64{20, 21, 22, 23, 24, 25, 40, 42, 44, 46, 48, 51, 54, 57}, upTo40),
			"concurrency 40", "concurrency 40", "concurrency 44",
		},
		{
			"too close to tell", along([]float64{37, 38, 39, 40, 41, 42, 43}, upTo40),
			"", "concurrency 40", "",
		},
		{"one step", curve([]float64{8}, []float64{100}), "", "concurrency 8", ""},
		{"nothing", nil, "", "", ""},
		{"loads that are none", curve([]float64{0, -1, math.Inf(1), math.NaN()}, []float64{1, 2, 3, 4}), "", "", ""},
		{"nothing answered", curve([]float64{8, 16}, []float64{0, 0}), "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Find(tt.points)
			t.Log(r.KneeMessage, "|", r.SaturationMessage)
			require.Equal(t, []string{tt.knee, tt.peak, tt.saturation}, []string{labelOf(r.Knee), labelOf(r.Peak), labelOf(r.Saturation)})
			require.NotEmpty(t, r.KneeMessage)
			require.NotEmpty(t, r.SaturationMessage)
		})
	}
}

func TestMessages(t *testing.T) {
	points := curve([]float64{8, 16, 32, 64}, []float64{100, 200, 400, 402})
	points[2].TTFTP95ms = swap.Of(431.2)
	r := Find(points)
	require.Equal(t, "the knee is at concurrency 32 (400 tokens/s, P95 of TTFT 431 ms): 1 % more load gives 1.00 % more throughput "+
		"up to there, and 0.01 % from there to concurrency 64", r.KneeMessage)
	require.Equal(t, "concurrency 64 adds no throughput beyond noise; the highest throughput was 402 tokens/s at concurrency 64",
		r.SaturationMessage)
	r = Find(points[:3])
	require.Equal(t, "no knee was found up to concurrency 32: growth did not fall by 40 % beyond noise", r.KneeMessage)
	require.Equal(t, "saturation was not reached up to concurrency 32; the highest throughput was 400 tokens/s at concurrency 32",
		r.SaturationMessage)
	points[3].Limited = true
	require.Equal(t, "a limit ended concurrency 64; the highest throughput was 402 tokens/s at concurrency 64",
		Find(points).SaturationMessage)
	require.Equal(t, "a knee needs at least 3 load levels with a throughput, and there is 1", Find(points[:1]).KneeMessage)
	require.Equal(t, "saturation needs at least 2 load levels with a throughput, and there are 0", Find(nil).SaturationMessage)
}

// drawCurve follows the universal scalability law, with noise.
func drawCurve(t *rapid.T) []Point {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	sigma, kappa := rapid.Float64Range(0, .2).Draw(t, "sigma"), rapid.Float64Range(0, .01).Draw(t, "kappa")
	load, loads := 1., []float64{}
	for range rapid.IntRange(0, 12).Draw(t, "levels") {
		loads = append(loads, load)
		load *= rapid.Float64Range(1.01, 3).Draw(t, "spacing")
	}
	return along(loads, func(n float64) float64 {
		return 20 * n / (1 + sigma*(n-1) + kappa*n*(n-1)) * math.Exp(.01*random.NormFloat64())
	})
}

func TestUnitsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawCurve(t)
		scaled := make([]Point, len(points))
		for k, p := range points {
			p.Load *= 256
			p.Throughput = swap.Of(1024 * p.Throughput.Or(0))
			scaled[len(points)-1-k] = p
		}
		a, b := Find(points), Find(scaled)
		if labelOf(a.Knee) != labelOf(b.Knee) || labelOf(a.Peak) != labelOf(b.Peak) || labelOf(a.Saturation) != labelOf(b.Saturation) {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

func TestAKneeIsFollowedByAStepThatAddsLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawCurve(t)
		r := Find(points)
		if r.Knee == nil {
			return
		}
		first, last := points[0], points[len(points)-1]
		if r.Knee.Load.Or(0) <= first.Load || r.Knee.Load.Or(0) >= last.Load {
			t.Fatalf("a knee at an end of the range: %+v", r.Knee)
		}
		if r.Saturation != nil && r.Saturation.Load.Or(0) <= first.Load {
			t.Fatalf("saturated from the first step: %+v", r.Saturation)
		}
	})
}

// A server that really saturates is found out about at its corner, in spite of noise.
func TestACornerIsFoundInNoise(t *testing.T) {
	found, flat := 0, 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		r := Find(along(doubling, func(n float64) float64 { return 20 * min(n, 32) * math.Exp(.02*random.NormFloat64()) }))
		if labelOf(r.Knee) == "concurrency 32" {
			found++
		}
		if labelOf(r.Saturation) == "concurrency 64" {
			flat++
		}
	}
	t.Log(found, flat)
	require.Greater(t, found, 195)
	require.Greater(t, flat, 180)
}
