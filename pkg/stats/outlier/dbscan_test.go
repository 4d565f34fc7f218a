package outlier

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var groups = [][]float64{
	{.72, .17},
	{.04, -.75},
	{-.11, -.14},
	{-.03, -.25},
	{-.02, -.19},
	{-.53, .35},
	{.35, .68},
	{.02, -.16},
	{-.22, -.62},
	{.39, -.44},
	{-.47, -.08},
	{.59, .09},
	{3.59, 3.71},
	{4.25, 3.94},
	{3.69, 3.91},
	{4.3, 4.79},
	{3.5, 3.75},
	{3.68, 3.03},
	{3.63, 3.59},
	{4.45, 3.95},
	{3.35, 4.26},
	{3.86, 3.3},
	{-.95, -.99},
	{2.14, -2.13},
	{1.84, .62},
	{4.08, 4.47},
	{3.91, 3.89},
	{.74, 3.68},
}

// The expected labels are those of scikit-learn.
func TestDBSCAN(t *testing.T) {
	tests := []struct {
		eps       float64
		minPoints int
		want      []int
	}{
		{.5, 4, []int{-1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 1, 1, 1, -1, 1, 1, 1, -1, 1, 1, -1, -1, -1, -1, 1, -1}},
		{.8, 4, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, 1, 1, -1}},
		{.3, 2, []int{0, 1, 2, 2, 2, -1, -1, 2, 1, -1, -1, 0, 3, 4, 3, -1, 3, -1, 3, 4, -1, -1, -1, -1, -1, -1, 3, -1}},
		{1.5, 5, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, -1, 0, 1, 1, -1}},
		{100, 4, make([]int, len(groups))},
		{0, 2, slices.Repeat([]int{Noise}, len(groups))},
	}
	for _, tt := range tests {
		got, clusters, err := DBSCAN(groups, tt.eps, tt.minPoints)
		require.NoError(t, err)
		require.Equal(t, tt.want, got)
		require.Equal(t, slices.Max(tt.want)+1, clusters)
	}
	labels, clusters, err := DBSCAN(nil, 1, 4)
	require.NoError(t, err)
	require.Empty(t, labels)
	require.Zero(t, clusters)
}

func TestDBSCANRefuses(t *testing.T) {
	for _, tt := range []struct {
		points    [][]float64
		eps       float64
		minPoints int
		says      string
	}{
		{[][]float64{{1}, {1, 2}}, 1, 1, "point 1 has 2 dimensions"},
		{[][]float64{{}}, 1, 1, "point 0 has 0 dimensions"},
		{[][]float64{{1}, {math.NaN()}}, 1, 1, "point 1"},
		{groups, -1, 1, "eps -1"},
		{groups, math.NaN(), 1, "eps NaN"},
		{groups, 1, 0, "0 points"},
	} {
		_, _, err := DBSCAN(tt.points, tt.eps, tt.minPoints)
		require.ErrorContains(t, err, tt.says)
	}
}

// bySearch is DBSCAN by its definition.
func bySearch(points [][]float64, eps float64, minPoints int) []int {
	within := func(i int) (found []int) {
		for j := range points {
			if distance(points[i], points[j]) <= eps {
				found = append(found, j)
			}
		}
		return found
	}
	labels := slices.Repeat([]int{Noise}, len(points))
	clusters := 0
	for i := range points {
		if labels[i] != Noise || len(within(i)) < minPoints {
			continue
		}
		queue := []int{i}
		for len(queue) > 0 {
			p := queue[0]
			queue = queue[1:]
			if labels[p] != Noise {
				continue
			}
			labels[p] = clusters
			if near := within(p); len(near) >= minPoints {
				queue = append(queue, near...)
			}
		}
		clusters++
	}
	return labels
}

// drawPoints has many points in the same place or at the same distance, as measurements do that were rounded.
func drawPoints(t *rapid.T) [][]float64 {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	dimensions := rapid.IntRange(1, 4).Draw(t, "dimensions")
	grid := rapid.SampledFrom([]float64{1, 2, 1024}).Draw(t, "grid")
	points := make([][]float64, rapid.IntRange(0, 150).Draw(t, "n"))
	for i := range points {
		points[i] = make([]float64, dimensions)
		for k := range points[i] {
			points[i][k] = math.Round(2*grid*random.NormFloat64()) / grid
		}
	}
	return points
}

func TestDBSCANIsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t)
		eps := rapid.SampledFrom([]float64{0, .1, .5, 1, math.Sqrt2, 2}).Draw(t, "eps")
		minPoints := rapid.IntRange(1, 8).Draw(t, "minPoints")
		got, _, err := DBSCAN(points, eps, minPoints)
		require.NoError(t, err)
		require.Equal(t, bySearch(points, eps, minPoints), got)
	})
}

func TestNeighbourIsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t)
		k := rapid.IntRange(1, 5).Draw(t, "k")
		tree := newKDTree(points)
		for i := range points {
			var all []float64
			for j := range points {
				if j != i {
					all = append(all, distance(points[i], points[j]))
				}
			}
			slices.Sort(all)
			want := math.Inf(1)
			if len(all) >= k {
				want = all[k-1]
			}
			require.Equal(t, want, tree.neighbour(i, k)) //nolint:testifylint // the same sum, or infinite
		}
	})
}

// requests are points of usual requests, of slow ones of one cause in other units, and of a few that are like no other.
func requests(seed uint64, usual, slow, lone int) [][]float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	var points [][]float64
	normal := func(mean, deviation float64) float64 { return mean + deviation*random.NormFloat64() }
	for range usual {
		points = append(points, []float64{normal(5, .2), normal(1e6, 1e5), normal(0, 1)})
	}
	for range slow {
		points = append(points, []float64{normal(7.5, .1), normal(1e6, 1e5), normal(9, .5)})
	}
	for i := range lone {
		points = append(points, []float64{5, 1e6 + 3e6*float64(i+1), -30 * float64(i+1)})
	}
	return points
}

func TestCluster(t *testing.T) {
	for seed := range uint64(10) {
		c, err := Cluster(requests(seed, 400, 40, 3))
		require.NoError(t, err)
		require.Positive(t, c.Eps)
		require.Equal(t, []int{Noise, Noise, Noise}, c.Labels[440:])
		count := func(labels []int) (most, n int) {
			counts := map[int]int{}
			for _, l := range labels {
				if counts[l]++; l != Noise && counts[l] > n {
					most, n = l, counts[l]
				}
			}
			return most, n
		}
		usual, n := count(c.Labels[:400])
		require.Greater(t, n, 380)
		slow, n := count(c.Labels[400:440])
		require.Greater(t, n, 30)
		require.NotEqual(t, usual, slow)
	}
}

func TestClusterOfLittle(t *testing.T) {
	_, err := Cluster(requests(1, 19, 0, 0))
	require.ErrorIs(t, err, ErrInsufficient)
	_, err = Cluster(nil)
	require.ErrorIs(t, err, ErrInsufficient)
	_, err = Cluster([][]float64{{math.Inf(1)}})
	require.ErrorContains(t, err, "point 0")
	c, err := Cluster(slices.Repeat([][]float64{{1, 2}}, 30))
	require.NoError(t, err)
	require.Equal(t, Clustering{Labels: make([]int, 30), Clusters: 1}, c, "all are the same")
}

func TestScaleByMAD(t *testing.T) {
	got, err := ScaleByMAD([][]float64{{1, 5, 0}, {2, 5, 0}, {4, 5, 0}, {8, 5, 0}, {16, 5, 10}})
	require.NoError(t, err)
	for i, want := range [][]float64{{-1, 0}, {-2. / 3, 0}, {0, 0}, {4. / 3, 0}, {4, 0}} {
		require.Equal(t, want, got[i][:2])
	}
	require.InDelta(t, 10/(2*.8453), got[4][2], 1e-3, "by the mean deviation")
	_, err = ScaleByMAD([][]float64{{-1.7e308}, {1.7e308}, {1.7e308}})
	require.ErrorContains(t, err, "axis 0 cannot be scaled")
	got, err = ScaleByMAD(nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestClusterDoesNotDependOnUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := requests(rapid.Uint64().Draw(t, "seed"), 60, 15, 2)
		scaled := make([][]float64, len(points))
		for i, p := range points {
			scaled[i] = []float64{p[0] * 1024, p[1] / 4096, -p[2]}
		}
		a, err := Cluster(points)
		require.NoError(t, err)
		b, err := Cluster(scaled)
		require.NoError(t, err)
		require.Equal(t, a, b)
	})
}

func BenchmarkCluster(b *testing.B) {
	for name, points := range map[string][][]float64{
		"groups": requests(1, 18000, 1990, 10), "same": slices.Repeat([][]float64{{1, 2, 3}}, 20000),
		"half the same": slices.Concat(slices.Repeat([][]float64{{5, 1e6, 0}}, 10000), requests(1, 10000, 0, 0)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := Cluster(points)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkDBSCANWithinReachOfAll(b *testing.B) {
	points := requests(1, 20000, 0, 0)
	for b.Loop() {
		_, _, err := DBSCAN(points, 1e9, 4)
		require.NoError(b, err)
	}
}
