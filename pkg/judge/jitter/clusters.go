package jitter

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/swapgate/swapgate/pkg/stats/outlier"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// leastGap keeps the logarithm of a gap finite, in seconds, and leastWait that of a wait, in ms.
	leastGap, leastWait = 1e-3, 1.
	// mostClustered bounds the work of clustering; the slowest are clustered.
	mostClustered = 2000
)

// axis is something that is known of a request: its value, NaN where it is not known of this one, and the scale on which values
// that are alike are near each other.
type axis struct {
	name  swap.JitterAxis
	of    func(slow) float64
	scale func(float64) float64
	// median is its place in a cluster.
	median func(*swap.JitterCluster) *swap.Value
}

func logAbove(least float64) func(float64) float64 {
	return func(v float64) float64 { return math.Log(max(v, least)) }
}

// axes are all that the raw record tells of a request by itself. It has neither the GPU nor the round-trip time of one.
var axes = [...]axis{
	{
		swap.AxisTTFT, func(s slow) float64 { return s.ttft }, math.Log,
		func(c *swap.JitterCluster) *swap.Value { return &c.TTFTms },
	},
	{
		swap.AxisGap, func(s slow) float64 { return s.gap }, logAbove(leastGap),
		func(c *swap.JitterCluster) *swap.Value { return &c.GapSeconds },
	},
	{
		swap.AxisTPOT, func(s slow) float64 { return float64(s.tpot) }, math.Log,
		func(c *swap.JitterCluster) *swap.Value { return &c.TPOTms },
	},
	{
		swap.AxisE2E, func(s slow) float64 { return float64(s.e2e) }, logAbove(leastWait),
		func(c *swap.JitterCluster) *swap.Value { return &c.E2Ems },
	},
	{
		swap.AxisQueue, func(s slow) float64 { return float64(s.queue) }, logAbove(leastWait),
		func(c *swap.JitterCluster) *swap.Value { return &c.QueueMS },
	},
	{
		swap.AxisClientLate, func(s slow) float64 { return float64(s.late) }, logAbove(leastWait),
		func(c *swap.JitterCluster) *swap.Value { return &c.ClientLateMS },
	},
	{
		swap.AxisPromptTokens, func(s slow) float64 { return float64(s.prompt) }, logAbove(1),
		func(c *swap.JitterCluster) *swap.Value { return &c.PromptTokens },
	},
	{
		swap.AxisTimeInStep, func(s slow) float64 { return s.in }, func(v float64) float64 { return v },
		func(c *swap.JitterCluster) *swap.Value { return &c.StepSeconds },
	},
}

// values are those of an axis, on its scale or as they are, of the outliers that have one.
func (a axis) values(of []slow, scale func(float64) float64) []float64 {
	var known []float64
	for _, s := range of {
		if v := a.of(s); !math.IsNaN(v) {
			known = append(known, scale(v))
		}
	}
	return known
}

// column is the axis of a clustering: an outlier of which it is not known stands in the middle of the others. ok is false where it is
// known of fewer than half, or the same of all.
func (a axis) column(of []slow) (column []float64, ok bool) {
	known := a.values(of, a.scale)
	if 2*len(known) < len(of) || len(known) == 0 || slices.Max(known) == slices.Min(known) {
		return nil, false
	}
	middle := median(known).Or(0)
	column = make([]float64, len(of))
	for i, s := range of {
		if column[i] = middle; !math.IsNaN(a.of(s)) {
			column[i] = a.scale(a.of(s))
		}
	}
	return column, true
}

// clusters groups the outliers by all that tells them apart.
func clusters(found []slow) (used []swap.JitterAxis, groups []swap.JitterCluster, message string) {
	if len(found) > mostClustered {
		found = slices.Clone(found)
		slices.SortStableFunc(found, func(a, b slow) int { return cmp.Compare(b.ttft, a.ttft) })
		found = found[:mostClustered]
	}
	points := make([][]float64, len(found))
	for _, a := range axes {
		column, ok := a.column(found)
		if !ok {
			continue
		}
		used = append(used, a.name)
		for i := range points {
			points[i] = append(points[i], column[i])
		}
	}
	c, err := outlier.Cluster(points)
	switch {
	case errors.Is(err, outlier.ErrInsufficient) || len(used) == 0:
		return nil, nil, fmt.Sprintf("%d outliers are insufficient for clusters", len(found))
	case err != nil:
		return nil, nil, "clusters could not be told: " + err.Error()
	}
	for k := range c.Clusters {
		groups = append(groups, clusterOf(found, c.Labels, k))
	}
	noun := "clusters"
	if c.Clusters == 1 {
		noun = "cluster"
	}
	return used, groups, fmt.Sprintf("%d %s in %d outliers", c.Clusters, noun, len(found))
}

func clusterOf(found []slow, labels []int, k int) swap.JitterCluster {
	var of []slow
	for i, label := range labels {
		if label == k {
			of = append(of, found[i])
		}
	}
	cluster := swap.JitterCluster{Count: len(of), Examples: examples(of)}
	for _, a := range axes {
		if known := a.values(of, func(v float64) float64 { return v }); 2*len(known) >= len(of) {
			*a.median(&cluster) = median(known)
		}
	}
	return cluster
}
