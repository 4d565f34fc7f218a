package arrival

import (
	"testing"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// BenchmarkSchedule plans a million arrivals.
func BenchmarkSchedule(b *testing.B) {
	const rate = 10_000
	for name, arrival := range arrivals {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Schedule(swap.Step{Rate: rate, Arrival: arrival}, recording, 0, 100*time.Second, 1, 1)
			}
		})
	}
	b.Run("ramp", func(b *testing.B) {
		for b.Loop() {
			Schedule(swap.Step{Rate: rate, Ramp: &swap.Ramp{From: 1}}, nil, 0, 200*time.Second, 1, 1)
		}
	})
}

func BenchmarkSlice(b *testing.B) {
	for b.Loop() {
		Slice(1_000_000, 8, 3, 1, 1)
	}
}
