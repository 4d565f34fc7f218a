package instrument

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseProcStat(t *testing.T) {
	got, ok := parseProcStat("cpu  100 10 20 800 40 0 10 20 5 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
	require.True(t, ok)
	require.Equal(t, cpuTicks{all: 1000, stolen: 20}, got, "guest time is contained in user time")
	for _, text := range []string{"", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7 x", "cpu 1 2 3 -4 5 6 7 8"} {
		_, ok := parseProcStat(text)
		require.False(t, ok, text)
	}
}

func TestStolenShare(t *testing.T) {
	before := cpuTicks{all: 1000, stolen: 20}
	share, ok := cpuTicks{all: 1200, stolen: 50}.stolenSince(before)
	require.True(t, ok)
	require.InDelta(t, .15, share, 1e-12)
	for _, now := range []cpuTicks{before, {all: 1100, stolen: 10}, {all: 1001, stolen: 25}} {
		_, ok := now.stolenSince(before)
		require.False(t, ok)
	}
}

func FuzzParseProcStat(f *testing.F) {
	f.Add("cpu  100 10 20 800 40 0 10 20 5 0\n")
	f.Add("cpu")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseProcStat(text)
		require.True(t, got.stolen >= 0 && got.stolen <= got.all)
		require.True(t, ok || got == cpuTicks{})
	})
}
