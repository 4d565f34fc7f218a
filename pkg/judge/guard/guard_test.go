package guard

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func throughput() swap.Gate {
	return swap.Gate{Metric: swap.MetricThroughput, Stat: swap.StatRate, Margin: .1, Unit: swap.Relative, Better: swap.HigherIsBetter}
}

func errorRate() swap.Gate {
	return swap.Gate{Metric: swap.MetricErrorRate, Stat: swap.StatRate, Margin: .005, Unit: swap.Absolute, Better: swap.LowerIsBetter}
}

func length() swap.Gate {
	return swap.Gate{Metric: swap.MetricOutputTokens, Stat: swap.StatMean, Margin: .1, Unit: swap.Relative, Better: swap.Either}
}

func TestWhatCannotBeWatchedIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(g *swap.Gate)
		tail   float64
		err    string
	}{
		"no baseline":       {func(*swap.Gate) {}, math.NaN(), "a finite one above 0 is needed"},
		"a failed baseline": {func(*swap.Gate) {}, math.Inf(1), "a finite one above 0 is needed"},
		"a fall":            {func(g *swap.Gate) { g.Better = swap.Either }, 100, "for a rise only"},
	} {
		t.Run(name, func(t *testing.T) {
			g := p99()
			c.change(&g)
			_, err := New(g, c.tail)
			require.ErrorContains(t, err, c.err)
			require.ErrorContains(t, err, "ttft_p99")
		})
	}
}

func TestThresholds(t *testing.T) {
	relative, err := New(p99(), 200)
	require.NoError(t, err)
	require.InDelta(t, 200, relative.Threshold(swap.Baseline), 1e-9)
	require.InDelta(t, 220, relative.Threshold(swap.Candidate), 1e-9)
	g := p99()
	g.Unit, g.Margin = swap.Absolute, 30
	absolute, err := New(g, 200)
	require.NoError(t, err)
	require.InDelta(t, 230, absolute.Threshold(swap.Candidate), 1e-9)
}

// feed gives a gate slices of a constant and a slightly varying value.
func feed(g swap.Gate, slices int, base, cand, den float64) State {
	watches := []Watch{{Gate: g}}
	var s State
	for k := range slices {
		wobble := 1 + .01*math.Sin(float64(k))
		s = s.Observe(Default(), watches, []swap.PerArm[Sum]{{Baseline: Sum{base * den, den}, Candidate: Sum{cand * wobble * den, den}}})
	}
	return s
}

func TestAlarms(t *testing.T) {
	for name, c := range map[string]struct {
		gate       swap.Gate
		base, cand float64
		fires      bool
	}{
		"throughput fell by half":         {throughput(), 100, 50, true},
		"throughput doubled":              {throughput(), 100, 200, false},
		"throughput fell inside":          {throughput(), 100, 93, false},
		"nothing is generated any more":   {throughput(), 100, 0, true},
		"errors appeared":                 {errorRate(), 0, .1, true},
		"errors vanished":                 {errorRate(), .1, 0, false},
		"errors rose inside":              {errorRate(), .01, .012, false},
		"answers got longer":              {length(), 100, 150, true},
		"answers got shorter":             {length(), 100, 50, true},
		"the baseline generates nothing":  {throughput(), 0, 100, false},
		"neither arm generates anything":  {throughput(), 0, 0, false},
		"answers have the length of then": {length(), 100, 101, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, feed(c.gate, 7, c.base, c.cand, 200).Alarms(Default()), "seven slices are too few for any alarm")
			alarms := feed(c.gate, 40, c.base, c.cand, 200).Alarms(Default())
			if !c.fires {
				require.Empty(t, alarms)
				return
			}
			require.Len(t, alarms, 1)
			require.Less(t, alarms[0].P, Default().Alpha)
			require.Equal(t, 40, alarms[0].Slices)
		})
	}
}

func TestSmallSlicesAreJoined(t *testing.T) {
	s := feed(errorRate(), 39, 0, .5, 10)
	require.Equal(t, 3, s.Gates[0].Directions[0].N, "slices of 10 requests count by tens")
	require.InDelta(t, 90, s.Gates[0].Pending.Baseline.Den, 0)
}

func TestAnArmWithoutRequestsSaysNothing(t *testing.T) {
	watches := []Watch{{Gate: errorRate()}}
	var s State
	for range 50 {
		s = s.Observe(Default(), watches, []swap.PerArm[Sum]{{Candidate: Sum{100, 100}}})
	}
	require.Empty(t, s.Alarms(Default()))
}

func TestAStateSurvivesJSON(t *testing.T) {
	watches := []Watch{{Gate: errorRate()}, {Gate: length()}}
	rapid.Check(t, func(t *rapid.T) {
		var direct, stored State
		for range rapid.IntRange(1, 30).Draw(t, "slices") {
			slice := []swap.PerArm[Sum]{drawn(t, "errors"), drawn(t, "tokens")}
			direct = direct.Observe(Default(), watches, slice)
			stored = stored.Observe(Default(), watches, slice)
			text, err := json.Marshal(stored)
			require.NoError(t, err)
			stored = State{}
			require.NoError(t, json.Unmarshal(text, &stored))
		}
		require.Equal(t, direct.Alarms(Default()), stored.Alarms(Default()))
	})
}

// An alarm never goes away: what was shown once stays shown.
func TestAlarmsStay(t *testing.T) {
	watches := []Watch{{Gate: errorRate()}}
	rapid.Check(t, func(t *rapid.T) {
		var s State
		fired := false
		for range 40 {
			s = s.Observe(Default(), watches, []swap.PerArm[Sum]{drawn(t, "errors")})
			now := len(s.Alarms(Default())) > 0
			require.True(t, now || !fired)
			fired = now
		}
	})
}

func drawn(t *rapid.T, what string) swap.PerArm[Sum] {
	sum := func(arm string) Sum {
		den := rapid.Float64Range(0, 300).Draw(t, what+" den "+arm)
		return Sum{den * rapid.Float64Range(0, 1).Draw(t, what+" "+arm), den}
	}
	return swap.PerArm[Sum]{Baseline: sum("baseline"), Candidate: sum("candidate")}
}
