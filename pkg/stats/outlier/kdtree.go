package outlier

import (
	"cmp"
	"math"
	"slices"
)

const (
	// leafSize is how many points a leaf holds; a leaf of equal points can be larger.
	leafSize = 12
	// slack keeps rounding from cutting off a branch with a point just within reach.
	slack = 1 + 1e-9
)

// kdTree finds points near a point (Bentley 1975). Points can be taken out of it.
type kdTree struct {
	points [][]float64
	root   *kdNode
}

type kdNode struct {
	// axis and split divide a branch: what is on the left is at most split.
	axis        int
	split       float64
	left, right *kdNode
	// members are the points of a leaf, the first left of which were not taken.
	members []int
	untaken int
	// equal says that the points of a leaf are all the same; there can be many.
	equal bool
}

func newKDTree(points [][]float64) *kdTree {
	t := &kdTree{points: points}
	all := make([]int, len(points))
	for i := range all {
		all[i] = i
	}
	t.root = t.build(all)
	return t
}

func (t *kdTree) build(members []int) *kdNode {
	axis, width := t.widest(members)
	if len(members) <= leafSize || width == 0 {
		return &kdNode{members: members, untaken: len(members), equal: len(members) > 0 && width == 0}
	}
	slices.SortFunc(members, func(a, b int) int { return cmp.Compare(t.points[a][axis], t.points[b][axis]) })
	middle := len(members) / 2
	split := t.points[members[middle]][axis]
	return &kdNode{
		axis: axis, split: split, untaken: len(members), left: t.build(members[:middle]), right: t.build(members[middle:]),
	}
}

func (t *kdTree) widest(members []int) (axis int, width float64) {
	if len(members) == 0 {
		return 0, 0
	}
	for a := range t.points[members[0]] {
		low, high := math.Inf(1), math.Inf(-1)
		for _, i := range members {
			low, high = min(low, t.points[i][a]), max(high, t.points[i][a])
		}
		if high-low > width {
			axis, width = a, high-low
		}
	}
	return axis, width
}

// near are the branches that can hold points within reach of p, the one with p first.
func (n *kdNode) near(p []float64, reach float64) (first, second *kdNode) {
	beyond := p[n.axis] - n.split
	first, second = n.left, n.right
	if beyond > 0 {
		first, second = second, first
	}
	if math.Abs(beyond) > reach*slack {
		second = nil
	}
	return first, second
}

// apart says of a leaf of equal points that none is within reach of p.
func (t *kdTree) apart(n *kdNode, p []float64, reach float64) bool {
	return n.equal && distance(t.points[n.members[0]], p) > reach
}

// hasAtLeast says whether so many points, taken or not, are within reach of p.
func (t *kdTree) hasAtLeast(count int, p []float64, reach float64) bool {
	return t.missing(t.root, count, p, reach) <= 0
}

// missing is how many points of count a node does not have; it stops looking at 0.
func (t *kdTree) missing(n *kdNode, count int, p []float64, reach float64) int {
	if t.apart(n, p, reach) {
		return count
	}
	for _, i := range n.members {
		if count <= 0 {
			break
		}
		if distance(t.points[i], p) <= reach {
			count--
		}
	}
	if n.left == nil {
		return count
	}
	first, second := n.near(p, reach)
	count = t.missing(first, count, p, reach)
	if count > 0 && second != nil {
		count = t.missing(second, count, p, reach)
	}
	return count
}

// take appends the points within reach of p that were not taken before, and takes them.
func (t *kdTree) take(taken []int, p []float64, reach float64) []int {
	return t.takeFrom(t.root, taken, p, reach)
}

func (t *kdTree) takeFrom(n *kdNode, taken []int, p []float64, reach float64) []int {
	if n.untaken == 0 || t.apart(n, p, reach) {
		return taken
	}
	before := len(taken)
	if n.left == nil {
		kept := 0
		for k, i := range n.members[:n.untaken] {
			if distance(t.points[i], p) <= reach {
				taken = append(taken, i)
				continue
			}
			n.members[kept], n.members[k] = n.members[k], n.members[kept]
			kept++
		}
	} else {
		first, second := n.near(p, reach)
		taken = t.takeFrom(first, taken, p, reach)
		if second != nil {
			taken = t.takeFrom(second, taken, p, reach)
		}
	}
	n.untaken -= len(taken) - before
	return taken
}

// neighbour is the distance from a point to the k-th nearest other one.
func (t *kdTree) neighbour(point, k int) float64 {
	closest := make([]float64, k)
	for i := range closest {
		closest[i] = math.Inf(1)
	}
	t.closer(t.root, point, closest)
	return closest[k-1]
}

// closer puts distances from a point to others into closest, which is sorted.
func (t *kdTree) closer(n *kdNode, point int, closest []float64) {
	last := len(closest) - 1
	for _, i := range n.members {
		if i == point {
			continue
		}
		d := distance(t.points[i], t.points[point])
		if d >= closest[last] {
			if n.equal {
				return
			}
			continue
		}
		at, _ := slices.BinarySearch(closest, d)
		copy(closest[at+1:], closest[at:last])
		closest[at] = d
	}
	if n.left == nil {
		return
	}
	first, second := n.near(t.points[point], math.Inf(1))
	t.closer(first, point, closest)
	if math.Abs(t.points[point][n.axis]-n.split) <= closest[last]*slack {
		t.closer(second, point, closest)
	}
}

// distance is Euclidean.
func distance(a, b []float64) float64 {
	sum := 0.0
	for k, v := range a {
		sum += (v - b[k]) * (v - b[k])
	}
	return math.Sqrt(sum)
}
