package rollout

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func same(perWindow int) scene {
	return scene{perWindow: perWindow, ttft: 1, itl: 1, errors: baseErrors}
}

// heldAt is a plan that stays at a weight.
func heldAt(weight int) Plan {
	p := usualPlan()
	p.Weights = []int{weight, 100}
	p.Steps = []swap.RolloutStep{{Weight: weight, MinTime: swap.Duration(1000 * time.Hour)}}
	return p
}

// A thousand requests a minute give the candidate fifty at 5 %.
func TestSlowTokensAreRolledBackWithinTwelveWindows(t *testing.T) {
	slow := same(1000)
	slow.itl = 1.5
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		o := slow.run(random, heldAt(5), 5)
		require.Equal(t, swap.ActionRollback, o.action)
		require.Equal(t, swap.ReasonGuardLatency, o.code)
		require.LessOrEqual(t, o.atFive, 12)
	}
}

func TestAlikeModelsArePromoted(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		o := same(1000).run(random, usualPlan(), 1)
		require.Equal(t, swap.ActionPromote, o.action, "%+v", o)
	}
}

// T is the value that a tenth, a twentieth or a hundredth of the first latencies are above, however they come.
func TestATailIsTheQuantileOfTheFirstLatencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]float64{.5, .9, .95, .99}).Draw(t, "p")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var all []float64
		tail := Tail{}
		for tail.Value == 0 {
			part := make([]float64, rapid.IntRange(0, 700).Draw(t, "latencies"))
			for i := range part {
				part[i] = 1 + random.Float64()
			}
			all = append(all, part...)
			tail = tail.plus(p, part)
			require.LessOrEqual(t, len(tail.Top), 52, "the state stays small")
			if len(all) > 5000 {
				t.Fatal("no value in 5000 latencies")
			}
		}
		want := int(max(fewestTail, tailBeyond/(1-p)) + .5)
		first := slices.Sorted(slices.Values(all[:want]))
		above := len(first) - (slices.Index(first, tail.Value) + 1)
		require.InDelta(t, float64(want)*(1-p), above, .5)
		require.Equal(t, tail, tail.plus(p, []float64{1e9}), "and stays")
	})
}

func TestTheStateStaysSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	state := State{}
	plan := usualPlan()
	plan.Waiting = true
	for i := range 110 {
		w, records := same(400).window(random, 5, i, 1)
		_, state = Next(plan, State{Index: 1, Watch: state.Watch, Decay: state.Decay, Seen: state.Seen}, w, Evidence{Probes: records})
	}
	text, err := json.Marshal(state)
	require.NoError(t, err)
	require.Less(t, len(text), 4000, "%s", text)
}

func TestWhatTheGuardHolds(t *testing.T) {
	p := Plan{Gates: append(usualGates(),
		swap.Gate{Metric: swap.MetricE2E, Stat: swap.StatP99, VS: swap.AgainstSLO, Limit: 5000, Better: swap.LowerIsBetter},
		swap.Gate{Metric: swap.MetricOutputTokens, Stat: swap.StatP50, Margin: .1, Better: swap.Either},
	)}
	var names []string
	for _, w := range p.watched() {
		names = append(names, w.name())
	}
	require.Equal(t, []string{
		"ttft_p50", "ttft_p95", "ttft_p99", "tpot_p95", "error_rate", "error_rate (gateway)", "output_tokens_mean",
	}, names)
}
