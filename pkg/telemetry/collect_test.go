package telemetry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

type fakeSampler struct {
	name   string
	sample func(ctx context.Context) ([]Sample, error)
}

func (f fakeSampler) Name() string                                 { return f.name }
func (f fakeSampler) Sample(ctx context.Context) ([]Sample, error) { return f.sample(ctx) }

func one(context.Context) ([]Sample, error) {
	return []Sample{{Metric: RequestsRunning, Value: 1}}, nil
}

// slow takes d, or until ctx ends.
func slow(d time.Duration) func(context.Context) ([]Sample, error) {
	return func(ctx context.Context) ([]Sample, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(d):
			return one(ctx)
		}
	}
}

func TestSlowSourceDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
		defer cancel()
		start := time.Now()
		var quick []time.Duration
		states := Collect(ctx, []Source{
			{Sampler: fakeSampler{"slow", slow(time.Minute)}, Interval: time.Second, Required: true},
			{Sampler: fakeSampler{"quick", one}, Interval: time.Second, Arm: swap.Candidate},
		}, func(samples []Sample) error {
			quick = append(quick, time.Unix(0, samples[0].TimeUnixNS).Sub(start))
			return nil
		}, time.Now)

		require.Len(t, quick, 11, "at once and then every second")
		for i, at := range quick {
			require.Equal(t, time.Duration(i)*time.Second, at)
		}
		require.Equal(t, []swap.SourceState{
			{Source: "slow", Required: true},
			{Source: "quick", Arm: swap.Candidate, Samples: 11},
		}, states, "being cut off by the end is no error of the source")
		require.Equal(t, 10*time.Second+time.Millisecond, time.Since(start), "the end of ctx ends Collect at once")
	})
}

func TestSamplesAreStamped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		var got []Sample
		Collect(ctx, []Source{{Sampler: fakeSampler{"s", slow(30 * time.Millisecond)}, Interval: time.Hour, Arm: swap.Baseline}},
			func(s []Sample) error { got = append(got, s...); return nil }, time.Now)
		require.Equal(t, []Sample{{
			TimeUnixNS: start.UnixNano(), TookUS: 30_000, Source: "s", Arm: "baseline", Metric: RequestsRunning, Value: 1,
		}}, got)
	})
}

func TestLateSampleSkipsTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		states := Collect(ctx, []Source{{Sampler: fakeSampler{"s", slow(2500 * time.Millisecond)}, Interval: time.Second}},
			func([]Sample) error { return nil }, time.Now)
		require.LessOrEqual(t, states[0].Samples, 4, "no burst makes up for lost ticks")
		require.GreaterOrEqual(t, states[0].Samples, 3)
	})
}

func TestErrorsAreCountedAndSamplingGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		n := 0
		flaky := func(context.Context) ([]Sample, error) {
			n++
			if n == 2 {
				return nil, errors.New(strings.Repeat("ä", 500))
			}
			return []Sample{{Value: 1}}, nil
		}
		states := Collect(ctx, []Source{{Sampler: fakeSampler{"flaky", flaky}, Interval: time.Second}},
			func([]Sample) error { return nil }, time.Now)
		require.Equal(t, 2, states[0].Samples)
		require.Equal(t, 1, states[0].Errors)
		require.Equal(t, strings.Repeat("ä", maxErrorRunes)+"…", states[0].LastError)
	})
}

func TestPartialSampleCountsBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		partial := func(context.Context) ([]Sample, error) { return []Sample{{Value: 1}}, errors.New("GPU 3 is lost") }
		states := Collect(ctx, []Source{{Sampler: fakeSampler{"p", partial}, Interval: time.Second}},
			func([]Sample) error { return nil }, time.Now)
		require.Equal(t, []swap.SourceState{{Source: "p", Samples: 1, Errors: 1, LastError: "GPU 3 is lost"}}, states)
	})
}

func TestSamplesThatCannotBeKeptAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		states := Collect(ctx, []Source{{Sampler: fakeSampler{"s", one}, Interval: time.Second}},
			func([]Sample) error { return errors.New("disk full") }, time.Now)
		require.Equal(t, []swap.SourceState{{Source: "s", Errors: 1, LastError: "disk full"}}, states)
	})
}
