package outlier

import (
	"errors"
	"fmt"
)

// Noise is the label of a point in no cluster.
const Noise = -1

// DBSCAN clusters points by density (Ester et al. 1996): a point with at least minPoints points within eps, itself among them,
// is a core point; core points within eps of each other are in one cluster, and so are the points within eps of them. A point
// that is near two clusters is in the one whose first core point comes first. The result is exact, in about n·log n steps.
//
// labels has for each point its cluster, from 0 in the order of the first core points, or Noise. Distances are Euclidean: use
// ScaleByMAD where the axes have different units. The error is for points of unlike or no dimensions, values that are not
// finite, a negative eps, and minPoints below 1.
func DBSCAN(points [][]float64, eps float64, minPoints int) (labels []int, clusters int, err error) {
	if err := checkPoints(points); err != nil {
		return nil, 0, err
	}
	if !(eps >= 0) || minPoints < 1 {
		return nil, 0, fmt.Errorf("eps %g and %d points: eps must not be negative and there must be at least 1 point", eps, minPoints)
	}
	labels, clusters = scan(newKDTree(points), eps, minPoints)
	return labels, clusters, nil
}

func scan(tree *kdTree, eps float64, minPoints int) (labels []int, clusters int) {
	labels = make([]int, len(tree.points))
	core := make([]bool, len(labels))
	for i, p := range tree.points {
		labels[i] = Noise
		core[i] = tree.hasAtLeast(minPoints, p, eps)
	}
	var reached []int
	for i := range labels {
		if !core[i] || labels[i] != Noise {
			continue
		}
		reached = tree.take(reached[:0], tree.points[i], eps)
		for next := 0; next < len(reached); next++ {
			if p := reached[next]; core[p] {
				reached = tree.take(reached, tree.points[p], eps)
			}
		}
		for _, p := range reached {
			labels[p] = clusters
		}
		clusters++
	}
	return labels, clusters
}

func checkPoints(points [][]float64) error {
	for i, p := range points {
		if len(p) != len(points[0]) || len(p) == 0 {
			return fmt.Errorf("point %d has %d dimensions and the first has %d: they must be equal and not 0", i, len(p), len(points[0]))
		}
		if err := checkFinite(p); err != nil {
			return errors.Join(fmt.Errorf("point %d", i), err)
		}
	}
	return nil
}
