package hypothesis

import (
	"cmp"
	"math"
	"slices"
)

// OfValues makes a statistic of all values of each sample's blocks, one block after the other. The slices that f gets are
// reused; it may sort them.
func OfValues(blocks [][]float64, f func(first, second []float64) float64) Statistic {
	var a, b []float64
	return func(second []bool) float64 {
		a, b = a[:0], b[:0]
		for k, values := range blocks {
			if second[k] {
				b = append(b, values...)
			} else {
				a = append(a, values...)
			}
		}
		return f(a, b)
	}
}

// KolmogorovSmirnovOfBlocks is D·√(mn/(m+n)) of the values of each sample's blocks. The values are sorted once for all
// relabellings. ok is false where there are no blocks, one is empty or holds a NaN.
func KolmogorovSmirnovOfBlocks(blocks [][]float64) (statistic Statistic, ok bool) {
	p, ok := pool(blocks)
	if !ok {
		return nil, false
	}
	return func(second []bool) float64 {
		m := p.split(second)
		return float64(m.reach()) / math.Sqrt(float64(m.first)*float64(m.second)*float64(m.first+m.second))
	}, true
}

// EnergyOfBlocks is EnergyDistance.Statistic of the values of each sample's blocks. The values are sorted once for all
// relabellings. ok is false where there are no blocks, one is empty or holds a value that is not finite.
func EnergyOfBlocks(blocks [][]float64) (statistic Statistic, ok bool) {
	p, ok := pool(blocks)
	if !ok || !isFinite(span(p.tallies)) {
		return nil, false
	}
	return func(second []bool) float64 { return p.split(second).energy().Statistic }, true
}

// pooled is the values of all blocks in ascending order.
type pooled struct {
	// of is the block of each value.
	of []int
	// ties is how many values each tally counts.
	ties    []int
	tallies []tally
	// marks is 1 for the blocks of the second sample, so that values are counted without a branch that no one can predict.
	marks []int
}

func (p *pooled) mark(second []bool) {
	for k, is := range second {
		p.marks[k] = 0
		if is {
			p.marks[k] = 1
		}
	}
}

func pool(blocks [][]float64) (p *pooled, ok bool) {
	type tagged struct {
		value float64
		block int
	}
	var all []tagged
	for k, values := range blocks {
		if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
			return nil, false
		}
		for _, v := range values {
			all = append(all, tagged{v, k})
		}
	}
	slices.SortFunc(all, func(a, b tagged) int { return cmp.Compare(a.value, b.value) })
	p = &pooled{of: make([]int, len(all)), marks: make([]int, len(blocks))}
	for i, t := range all {
		p.of[i] = t.block
		if i == 0 || t.value != all[i-1].value {
			p.tallies = append(p.tallies, tally{value: t.value})
			p.ties = append(p.ties, 0)
		}
		p.ties[len(p.ties)-1]++
	}
	return p, len(all) > 0
}

// split counts the values by the sample that their block is dealt to. The next call reuses the result.
func (p *pooled) split(second []bool) merged {
	m := merged{tallies: p.tallies}
	at := 0
	p.mark(second)
	for i, size := range p.ties {
		count := 0
		for _, block := range p.of[at : at+size] {
			count += p.marks[block]
		}
		at += size
		m.tallies[i].first, m.tallies[i].second = size-count, count
		m.second += count
	}
	m.first = len(p.of) - m.second
	return m
}
