package conformal

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func upTo(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64((7*i)%n + 1)
	}
	return values
}

func TestThreshold(t *testing.T) {
	c := Config{Target: .1, Step: .02, Window: 100, Fewest: 5}
	tests := []struct {
		level   float64
		healthy int
		want    float64
	}{
		{.1, 9, 9},
		{.1, 8, math.Inf(1)},
		{.2, 9, 8},
		{.5, 99, 50},
		{.01, 99, 99},
		{.009, 99, math.Inf(1)},
		{0, 99, math.Inf(1)},
		{-.02, 99, math.Inf(1)},
		{1, 99, math.Inf(-1)},
		{1.01, 99, math.Inf(-1)},
		{.999, 99, 1},
	}
	for _, tt := range tests {
		got, ok := c.Threshold(State{Level: tt.level, Healthy: upTo(tt.healthy)})
		require.True(t, ok)
		require.Equal(t, tt.want, got, "%+v", tt) //nolint:testifylint // one of the healthy values, or infinite
	}
	_, ok := c.Threshold(State{Level: .1, Healthy: upTo(4)})
	require.False(t, ok)
	_, ok = Config{}.Threshold(State{})
	require.False(t, ok)
}

func TestNext(t *testing.T) {
	c := Config{Target: .25, Step: .1, Window: 4, Fewest: 3}
	s := c.Start()
	for _, v := range []float64{1, 2, 3} {
		var j Judgement
		var err error
		s, j, err = c.Next(s, v, true)
		require.NoError(t, err)
		require.Equal(t, Judgement{}, j, "too few to judge")
	}
	require.InDelta(t, .25, s.Level, 0, "nothing was learned")

	before := s
	s, j, err := c.Next(s, 5, false)
	require.NoError(t, err)
	require.Equal(t, Judgement{Judged: true, Alarm: true, Threshold: 3}, j)
	require.InDelta(t, .25+.1*(.25-1), s.Level, 1e-15)
	require.Equal(t, []float64{1, 2, 3}, s.Healthy, "it was not healthy")
	require.Equal(t, State{Level: .25, Healthy: []float64{1, 2, 3}}, before)

	s.Level = .25
	s, j, err = c.Next(s, 3, true)
	require.NoError(t, err)
	require.False(t, j.Alarm, "it is not above the threshold")
	require.InDelta(t, .25+.1*.25, s.Level, 1e-15)
	s, _, err = c.Next(s, 9, true)
	require.NoError(t, err)
	require.Equal(t, []float64{2, 3, 3, 9}, s.Healthy, "the oldest is forgotten")
	require.Equal(t, 3, s.Judged)

	wire, err := json.Marshal(s)
	require.NoError(t, err)
	var back State
	require.NoError(t, json.Unmarshal(wire, &back))
	require.Equal(t, s, back)
}

func TestNextRefuses(t *testing.T) {
	c := Defaults()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		s, _, err := c.Next(c.Start(), v, true)
		require.Error(t, err)
		require.Equal(t, c.Start(), s)
	}
	_, _, err := c.Next(State{Level: math.NaN()}, 1, true)
	require.Error(t, err)
	for _, bad := range []Config{
		{},
		{Target: 1, Step: .1, Window: 2, Fewest: 1},
		{Target: .1, Window: 2, Fewest: 1},
		{Target: .1, Step: .1, Window: 2},
		{Target: .1, Step: .1, Window: 2, Fewest: 3},
		{Target: math.NaN(), Step: .1, Window: 2, Fewest: 1},
	} {
		_, _, err := bad.Next(State{}, 1, true)
		require.Error(t, err, "%+v", bad)
	}
}

// The bound holds for an adversary who sees the threshold and chooses each value, and what counts as healthy, as they like.
func TestTheBoundHoldsForAnyValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Target: rapid.Float64Range(.001, .999).Draw(t, "target"), Step: rapid.Float64Range(.001, .5).Draw(t, "step"),
			Window: rapid.IntRange(1, 20).Draw(t, "window"), Fewest: 1,
		}
		start := rapid.Float64Range(0, 1).Draw(t, "level")
		s := State{Level: start, Healthy: []float64{0}}
		alarm := rapid.SampledFrom([]string{"any", "always", "never", "in turn"}).Draw(t, "adversary")
		for i := range rapid.IntRange(1, 300).Draw(t, "steps") {
			threshold, ok := c.Threshold(s)
			require.True(t, ok)
			above := alarm == "always" || alarm == "in turn" && i/20%2 == 0 || alarm == "any" && rapid.Bool().Draw(t, "above")
			value := max(-1e9, min(1e9, threshold)) - 1
			if above {
				value += 2
			}
			next, j, err := c.Next(s, value, rapid.Bool().Draw(t, "healthy"))
			require.NoError(t, err)
			require.Equal(t, value > threshold, j.Alarm)
			s = next
			require.GreaterOrEqual(t, s.Level, -c.Step)
			require.LessOrEqual(t, s.Level, 1+c.Step)
			share := float64(s.Alarms) / float64(s.Judged)
			require.LessOrEqual(t, math.Abs(share-c.Target), c.Bound(start, s.Judged)+1e-9)
		}
	})
}

func TestBound(t *testing.T) {
	require.InDelta(t, .034, Config{Step: .02}.Bound(.05, 1440), 5e-4)
}

// A day of windows of a minute: as many alarms as wanted, also when the level of the series drifts by three standard deviations.
func TestAlarmsOfADay(t *testing.T) {
	for _, drift := range []float64{0, 3} {
		random := rand.New(rand.NewPCG(5, 6))
		c := Defaults()
		s := c.Start()
		const n = 1440
		for i := range n {
			next, _, err := c.Next(s, drift*float64(i)/n+random.NormFloat64(), true)
			require.NoError(t, err)
			s = next
		}
		share := float64(s.Alarms) / float64(s.Judged)
		t.Logf("drift %g: %.2f %% alarms", drift, 100*share)
		require.InDelta(t, c.Target, share, .01)
	}
}
