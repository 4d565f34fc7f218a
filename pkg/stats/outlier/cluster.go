package outlier

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats/knee"
)

const (
	// minPoints make a core point, and neighbours is the neighbour whose distance says how dense a point lies.
	minPoints  = 4
	neighbours = 4
	// fewestPoints can be clustered without a scale of their own.
	fewestPoints = 20
)

// ErrInsufficient says that there are too few points to find clusters in.
var ErrInsufficient = errors.New("insufficient")

// Clustering groups points.
type Clustering struct {
	// Labels has for each point its cluster, from 0, or Noise.
	Labels   []int
	Clusters int
	// Eps is the distance within which points are neighbours, in scaled units.
	Eps float64
}

// Cluster groups points, such as slow requests with their duration, gap, GPU and network, without being told a distance: it
// scales the axes by ScaleByMAD and runs DBSCAN with 4 points and, for eps, the knee of the distances to the 4th nearest other
// point in the order of their size (Ester et al. 1996, section 4.2). Fewer than 20 points are ErrInsufficient. Other errors are
// those of DBSCAN.
func Cluster(points [][]float64) (Clustering, error) {
	scaled, err := ScaleByMAD(points)
	if err != nil {
		return Clustering{}, err
	}
	if len(points) < fewestPoints {
		return Clustering{}, fmt.Errorf("%w: %d points, and clusters need at least %d", ErrInsufficient, len(points), fewestPoints)
	}
	tree := newKDTree(scaled)
	c := Clustering{Eps: density(tree)}
	c.Labels, c.Clusters = scan(tree, c.Eps, minPoints)
	return c, nil
}

// density is the distance beyond which points lie alone: the knee of the sorted distances to a near neighbour, or the largest
// distance where they have no knee.
func density(tree *kdTree) float64 {
	far, rank := make([]float64, len(tree.points)), make([]float64, len(tree.points))
	for i := range tree.points {
		far[i], rank[i] = tree.neighbour(i, neighbours), float64(i)
	}
	slices.Sort(far)
	at, found := knee.Elbow(rank, far, knee.Sensitivity)
	if !found {
		at = len(far) - 1
	}
	return far[at]
}

// ScaleByMAD makes each axis free of its unit: its median becomes 0 and its median absolute deviation 1. Where more than half
// of an axis is equal, the mean absolute deviation over 1.18 is used, which is the same for normal values; an axis that is
// constant becomes 0. The errors are those of DBSCAN.
func ScaleByMAD(points [][]float64) ([][]float64, error) {
	if err := checkPoints(points); err != nil {
		return nil, err
	}
	scaled := make([][]float64, len(points))
	for i, p := range points {
		scaled[i] = make([]float64, len(p))
	}
	if len(points) == 0 {
		return scaled, nil
	}
	column := make([]float64, len(points))
	for a := range points[0] {
		for i, p := range points {
			column[i] = p[a]
		}
		median, scale := scaleOf(column)
		for i, v := range column {
			if scaled[i][a] = (v - median) / scale; !(math.Abs(scaled[i][a]) <= math.MaxFloat64) {
				return nil, fmt.Errorf("axis %d cannot be scaled: its values are too far apart", a)
			}
		}
	}
	return scaled, nil
}

// scaleOf is never 0.
func scaleOf(values []float64) (median, scale float64) {
	const meanToMedian = 1.2533 / toDeviation // √(π/2)·Φ⁻¹(3/4)
	median, scale = spread(values)
	if scale > 0 {
		return median, scale
	}
	for _, v := range values {
		scale += math.Abs(v-median) / float64(len(values))
	}
	if scale == 0 {
		return median, 1
	}
	return median, scale * meanToMedian
}
