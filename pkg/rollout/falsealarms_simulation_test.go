//go:build simulation

package rollout

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// rollouts is how many are simulated, soon how many windows a rollback may take.
const (
	rollouts = 500
	soon     = 12
)

// rolledBack is how many of the rollouts end so, and how many of them within soon windows at 5 %.
func rolledBack(t *testing.T, s scene, plan Plan, from int) (count, inTime int) {
	t.Helper()
	random := rand.New(rand.NewPCG(11, 12))
	windows, latest := 0, 0
	for range rollouts {
		o := s.run(random, plan, from)
		windows += o.windows
		if o.action == swap.ActionRollback {
			count++
			latest = max(latest, o.atFive)
			if o.atFive <= soon {
				inTime++
			}
		}
	}
	t.Logf("%d of %d rolled back, %d of them within %d windows at 5 %%, the last after %d; %d windows on average",
		count, rollouts, inTime, soon, latest, windows/rollouts)
	return count, inTime
}

func TestFalseAlarmsOfRollouts(t *testing.T) {
	margin := same(1000)
	margin.itl = 1.1
	live := same(1000)
	live.live = true
	for name, s := range map[string]scene{
		"identical": same(1000), "identical, counted by the gateway too": live, "tokens slower by the margin": margin,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count, _ := rolledBack(t, s, usualPlan(), 1)
			require.LessOrEqual(t, count, rollouts/100)
		})
	}
}

func TestRolloutCharacteristics(t *testing.T) {
	for name, perWindow := range map[string]int{"50 candidate requests a window": 1000, "100": 2000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slow := same(perWindow)
			slow.itl = 1.5
			count, inTime := rolledBack(t, slow, heldAt(5), 5)
			require.Equal(t, rollouts, count)
			require.GreaterOrEqual(t, inTime, rollouts*99/100)
		})
	}
}
