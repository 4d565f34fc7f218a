package rollout

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestGuardFired(t *testing.T) {
	inARow := func(w swap.WindowStats, n int) swap.WindowStats {
		w.LongestFailureRun = n
		return w
	}
	atGateway := func(requests, errors float64) swap.WindowStats {
		return swap.WindowStats{GatewayRequests: swap.Of(requests), GatewayErrors: swap.Of(errors)}
	}
	refused := inARow(arm(0, 0, 0), 10)
	refused.Outcomes = swap.OutcomeCounts{swap.ConnectFailed: 10}
	for _, c := range []struct {
		name       string
		base, cand swap.WindowStats
		code       string
	}{
		{"nothing seen", swap.WindowStats{}, swap.WindowStats{}, ""},
		{"quiet", arm(100, 0, 100), arm(100, 0, 120), ""},
		{"failures in a row", arm(100, 0, 100), inARow(arm(5, 10, 100), 10), swap.ReasonGuardErrors},
		{"one failure less", arm(100, 0, 100), inARow(arm(5, 9, 100), 9), ""},
		{"unreachable", arm(100, 0, 100), refused, swap.ReasonGuardUnreachable},
		{"errors over the limit", arm(100, 0, 100), arm(94, 6, 100), swap.ReasonGuardErrors},
		{"errors at the limit", arm(100, 0, 100), arm(95, 5, 100), ""},
		{"errors of both arms", arm(90, 10, 100), arm(90, 10, 100), ""},
		{"errors of too few", arm(100, 0, 100), arm(30, 9, 100), ""},
		{"errors without a baseline", swap.WindowStats{}, arm(94, 6, 100), swap.ReasonGuardErrors},
		{"abandoned are no errors", arm(100, 0, 100), swap.WindowStats{Outcomes: swap.OutcomeCounts{swap.OK: 60, swap.Abandoned: 40}}, ""},
		{"errors by the gateway", atGateway(1000, 0), atGateway(1000, 60), swap.ReasonGuardErrors},
		{"slow", arm(30, 0, 100), arm(30, 0, 301), swap.ReasonGuardLatency},
		{"slow at the limit", arm(30, 0, 100), arm(30, 0, 300), ""},
		{"slow but few", arm(30, 0, 100), arm(29, 0, 900), ""},
		{"slow against too few", arm(29, 0, 100), arm(100, 0, 900), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := GuardFired(limits(), c.base, c.cand)
			if c.code == "" {
				require.Nil(t, got)
				return
			}
			require.NotNil(t, got)
			require.Equal(t, c.code, got.Code)
		})
	}
}

func TestALimitOfZeroIsNotChecked(t *testing.T) {
	worst := arm(10, 90, 9000)
	worst.LongestFailureRun = 90
	require.Nil(t, GuardFired(swap.Guard{}, arm(100, 0, 1), worst))
}
