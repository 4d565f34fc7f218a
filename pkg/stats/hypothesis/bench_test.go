package hypothesis

import (
	"strconv"
	"testing"
)

// Ten times as many values may take little more than ten times as long.
func BenchmarkLargeSamples(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		first, second := normals(1, n, 0), normals(2, n, .01)
		for name, f := range map[string]func() bool{
			"KolmogorovSmirnov": func() bool { t, ok := KolmogorovSmirnov(first, second); return ok && t.P() > 0 },
			"MannWhitney":       func() bool { t, ok := MannWhitney(first, second); return ok && t.P() > 0 },
			"Energy":            func() bool { _, ok := Energy(first, second); return ok },
			"MannKendall":       func() bool { t, ok := MannKendall(first); return ok && t.P() > 0 },
			"HodgesLehmann": func() bool {
				shift, ok := HodgesLehmann(first, second)
				low, high := shift.Interval(.95)
				return ok && low < high
			},
		} {
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				for b.Loop() {
					if !f() {
						b.Fatal("no result")
					}
				}
			})
		}
	}
}

func BenchmarkExactP(b *testing.B) {
	first, second := normals(1, 4096, 0), normals(2, 4096, .01)
	smirnov, _ := KolmogorovSmirnov(first, second)
	rank, _ := MannWhitney(first[:75], second[:75])
	tied, _ := MannWhitney(rounded(first[:60]), rounded(second[:60]))
	trend, _ := MannKendall(first[:60])
	for name, f := range map[string]func() (float64, bool){
		"KolmogorovSmirnov": smirnov.ExactP, "MannWhitney": rank.ExactP, "MannWhitneyTied": tied.ExactP, "MannKendall": trend.ExactP,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, ok := f(); !ok {
					b.Fatal("not exact")
				}
			}
		})
	}
}

func BenchmarkPermutationOfBlocks(b *testing.B) {
	design := alternating(20)
	var blocks [][]float64
	for k := range design.Second {
		blocks = append(blocks, normals(uint64(k), 200, 0))
	}
	for b.Loop() {
		statistic, _ := EnergyOfBlocks(blocks)
		if _, ok := design.Permute(statistic, 1999, 1); !ok {
			b.Fatal("no result")
		}
	}
}
