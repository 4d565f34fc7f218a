package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWarnsOfLimitsThatLookLikeSeconds(t *testing.T) {
	spec, err := Parse("swap.yaml", []byte(minimal+`gates:
  - {metric: ttft, stat: p95, vs: slo, limit: 0.02}
  - {metric: e2e, stat: p95, vs: slo, limit: 900}
  - {metric: error_rate, stat: rate, vs: slo, limit: 0.01}
`), nil)
	require.NoError(t, err)
	e := Estimate(spec)
	require.Equal(t, []PlanWarning{{
		Field: "gates[0].limit", Message: "limits of latencies are in ms, and 0.02 looks like seconds: did you mean 20?",
	}}, e.Warnings)
	require.Contains(t, e.String(), "warning: gates[0].limit: limits of latencies are in ms")
}
