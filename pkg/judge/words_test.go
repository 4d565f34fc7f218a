package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestLargeNumbersStayReadable(t *testing.T) {
	latency, rate := gate(swap.MetricTTFT, swap.StatP50, .1), gate(swap.MetricThroughput, swap.StatRate, .1)
	for want, got := range map[string]string{
		"9999 ms":       quantityText(latency, 9999.4),
		"200.4 s":       quantityText(latency, 200_400),
		"200,400 s":     quantityText(latency, 200_400_123),
		"200,400 tok/s": quantityText(rate, 200_400),
		"+105,144.1 %":  changeText(latency, swap.Of(1051.441)),
		"−1234.5 %":     changeText(latency, swap.Of(-12.345)),
		"−1,234,567":    signed(-1234567, 0),
		"0.5":           short(.5),
	} {
		require.Equal(t, want, got)
	}
	require.Equal(t, "+Inf", grouped("+Inf"))
}
