package judge

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// withhold makes every decided gate on the metrics that something spoils inconclusive. Its numbers stay, for people.
func withhold(gates []swap.GateResult, code, why string, spoils func(swap.Metric) bool) {
	for i := range gates {
		gate := &gates[i]
		if gate.Decision == swap.Inconclusive || !spoils(gate.Gate.Metric) {
			continue
		}
		gate.Reason.Message = fmt.Sprintf("not decided, because %s; it would otherwise be a %s: %s", why, gate.Decision, gate.Reason.Message)
		gate.Decision, gate.Regressed, gate.Reason.Code = swap.Inconclusive, false, code
	}
}

func anyMetric(swap.Metric) bool { return true }
