package pressure

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestLongestContext(t *testing.T) {
	fixed := func(n int) swap.Lengths { return swap.Lengths{Median: n} }
	for name, c := range map[string]struct {
		in, out  swap.Lengths
		topology *swap.Topology
		want     float64
	}{
		"constant":                   {fixed(7000), fixed(1000), nil, 8000},
		"P95 of a spread":            {swap.Lengths{Median: 1000, Sigma: .5}, fixed(100), nil, 2376.017},
		"clipped":                    {swap.Lengths{Median: 1000, Sigma: .5, Max: 2000}, swap.Lengths{Median: 10, Min: 100}, nil, 2100},
		"star":                       {fixed(70), fixed(10), &swap.Topology{Shape: swap.ShapeStar, Size: 8}, 80},
		"session holds all turns":    {fixed(70), fixed(10), &swap.Topology{Shape: swap.ShapeSession, Size: 8}, 640},
		"ring holds the last answer": {fixed(70), fixed(10), &swap.Topology{Shape: swap.ShapeRing, Size: 8}, 90},
		"prompts from a file":        {swap.Lengths{}, fixed(10), nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.InDelta(t, c.want, LongestContext(c.in, c.out, c.topology), .01)
		})
	}
}

func TestLongestContextIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.Custom(func(t *rapid.T) swap.Lengths {
			median := rapid.IntRange(1, 10000).Draw(t, "median")
			return swap.Lengths{
				Median: median, Sigma: rapid.Float64Range(0, 3).Draw(t, "sigma"),
				Min: rapid.IntRange(1, median).Draw(t, "min"), Max: rapid.IntRange(median, 20000).Draw(t, "max"),
			}
		})
		in, out := lengths.Draw(t, "in"), lengths.Draw(t, "out")
		got := LongestContext(in, out, nil)
		require.True(t, got >= float64(in.Median+out.Median)-1e-6 && got <= float64(in.Max+out.Max)+1e-6, got)
	})
}

// full is a step that fills 95 % of the context.
func full(change func(*StepCache)) StepCache {
	s := StepCache{
		Arm: swap.Candidate, Step: 3, Input: swap.Lengths{Median: 7000}, Output: swap.Lengths{Median: 800},
		MaxModelLen: swap.Of(8192), PeakUsage: swap.Of(.71),
		Before: CacheState{Usage: swap.Of(0), Preemptions: swap.Of(4), PrefixHits: swap.Of(10), PrefixQueries: swap.Of(100)},
		After:  CacheState{Usage: swap.Of(.02), Preemptions: swap.Of(4), PrefixHits: swap.Of(60), PrefixQueries: swap.Of(1100)},
	}
	if change != nil {
		change(&s)
	}
	return s
}

func TestCheckContext(t *testing.T) {
	const begin = "Long requests of step 3 fill 95 % of its context (7800 of 8192 tokens). "
	for name, c := range map[string]struct {
		step     StepCache
		severity swap.Severity
		message  string
		next     string
	}{
		"fine": {
			full(nil), swap.Harmless,
			"Its KV cache coped: up to 71 % in use (0.0 % before and 2.0 % after), 0 preemptions, " +
				"prefix hit rate 5.0 % after 10 % before the step.", "",
		},
		"preempted": {
			full(func(s *StepCache) { s.After.Preemptions = swap.Of(16) }), swap.Notable,
			"Its KV cache is too small for so many of them: up to 71 % in use (0.0 % before and 2.0 % after), 12 preemptions, " +
				"prefix hit rate 5.0 % after 10 % before the step.", "Lower the concurrency",
		},
		"nearly full": {
			full(func(s *StepCache) {
				s.PeakUsage, s.Before, s.After = swap.Of(.92), CacheState{}, CacheState{PrefixHitShare: swap.Of(.5)}
			}),
			swap.Notable, "Its KV cache was nearly full: up to 92 % in use, preemptions not reported, prefix hit rate 50 %.", "With any more load",
		},
		"full at rest": {
			full(func(s *StepCache) { s.PeakUsage, s.After.Usage, s.After.Preemptions = none, swap.Of(.97), swap.Of(5) }), swap.Notable,
			"Its KV cache is too small for so many of them: usage during the step not seen (0.0 % before and 97 % after), 1 preemption, " +
				"prefix hit rate 5.0 % after 10 % before the step.", "vLLM",
		},
		"usage unseen, preemptions counted": {
			full(func(s *StepCache) {
				s.PeakUsage, s.Before, s.After = none, CacheState{Preemptions: swap.Of(0)}, CacheState{Preemptions: swap.Of(0)}
			}),
			swap.Harmless, "Its KV cache coped: usage during the step not seen, 0 preemptions.", "",
		},
		"nothing known": {
			full(func(s *StepCache) { s.PeakUsage, s.Before, s.After = none, CacheState{}, CacheState{} }), swap.Notable,
			"Whether its KV cache coped is not known: its metrics tell neither usage nor preemptions.", "metrics on",
		},
		"usage at rest alone proves nothing": {
			full(func(s *StepCache) { s.PeakUsage, s.Before.Preemptions = none, none }), swap.Notable,
			"Whether its KV cache coped is not known: its metrics tell neither usage nor preemptions.", "metrics on",
		},
		"counter fell": {
			full(func(s *StepCache) { s.After.Preemptions = swap.Of(0) }), swap.Notable,
			"The engine restarted during the step, so its KV cache cannot be compared.", "log",
		},
		"other process": {
			full(func(s *StepCache) { s.Before.Started, s.After.Started = swap.Of(1.75e9), swap.Of(1.75e9+90) }), swap.Notable,
			"The engine restarted during the step, so its KV cache cannot be compared.", "log",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := CheckContext(c.step)
			require.Len(t, got, 1)
			require.Equal(t, c.severity, got[0].Severity)
			require.Equal(t, "candidate", got[0].Subject)
			require.Equal(t, begin+c.message, got[0].Message)
			require.Contains(t, got[0].Next, c.next)
			require.Equal(t, c.severity == swap.Harmless, got[0].Next == "")
		})
	}
}

func TestCheckContextIsForLongRequestsOnly(t *testing.T) {
	atLimit := full(func(s *StepCache) { s.Input.Median, s.Output.Median, s.MaxModelLen = 820, 100, swap.Of(1000) })
	require.Len(t, CheckContext(atLimit), 1)
	for name, change := range map[string]func(*StepCache){
		"shorter":             func(s *StepCache) { s.Input.Median = 6700 },
		"context unknown":     func(s *StepCache) { s.MaxModelLen = none },
		"prompts from a file": func(s *StepCache) { s.Input = swap.Lengths{} },
	} {
		t.Run(name, func(t *testing.T) { require.Empty(t, CheckContext(full(change))) })
	}
}
