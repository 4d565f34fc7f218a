package judge

import (
	"fmt"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// spoiled is a fault of the evidence that makes gates on some metrics compare something other than the models: neither a pass
// nor a fail of such a gate stands.
type spoiled struct {
	code, why string
	metric    func(swap.Metric) bool
}

func anyMetric(swap.Metric) bool { return true }

func (c *checks) spoil(s spoiled) { c.spoiled = append(c.spoiled, s) }

// spoils reports whether gates with this reason were withheld.
func (c *checks) spoils(code string) bool {
	return slices.ContainsFunc(c.spoiled, func(s spoiled) bool { return s.code == code })
}

// withhold makes every decided gate that is spoiled inconclusive. Its numbers stay, for people.
func (s spoiled) withhold(gates []swap.GateResult) {
	for i := range gates {
		gate := &gates[i]
		if gate.Decision == swap.Inconclusive || !s.metric(gate.Gate.Metric) {
			continue
		}
		gate.Reason.Message = fmt.Sprintf("not decided, because %s; it would otherwise be a %s: %s", s.why, gate.Decision, gate.Reason.Message)
		gate.Decision, gate.Regressed, gate.Reason.Code = swap.Inconclusive, false, s.code
	}
}
