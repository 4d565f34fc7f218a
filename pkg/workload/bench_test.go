package workload

import (
	"testing"

	"github.com/swapgate/swapgate/pkg/swap"
)

func BenchmarkAt(b *testing.B) {
	g := generator(b, spec())
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		g.At(1, i)
	}
}

func BenchmarkUnit(b *testing.B) {
	for _, shape := range []swap.Shape{swap.ShapeSession, swap.ShapeStar} {
		b.Run(string(shape), func(b *testing.B) {
			g := generator(b, grouped(shape, 4))
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				g.Unit(1, i)
			}
		})
	}
}

func BenchmarkRecording(b *testing.B) {
	g := generator(b, listening())
	b.ReportAllocs()
	for b.Loop() {
		g.Recording(10, "salt")
	}
}
