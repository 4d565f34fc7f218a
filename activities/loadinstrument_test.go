package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/calibration"
	"github.com/swapgate/swapgate/pkg/swap"
)

// failing is a check of the load client that fails so many times before it goes well.
func failing(times int64, with error) (Calibrate, *atomic.Int64) {
	var tries atomic.Int64
	return func(ctx context.Context, c calibration.Config) (swap.InstrumentReading, error) {
		if tries.Add(1) <= times {
			return swap.InstrumentReading{}, with
		}
		return goodClient(ctx, c)
	}, &tries
}

// calibrationFaults are the faults of a step whose client could not be checked.
func calibrationFaults(r swap.StepResult) []string {
	var said []string
	for _, f := range r.Instrument.Faults {
		if f.Signal == "calibration" {
			said = append(said, f.Message)
		}
	}
	return said
}

func TestACheckThatMayGoWellIsTriedAgain(t *testing.T) {
	t.Parallel()
	full := errors.New("start the metronome, against which the load client is calibrated: no more processes")
	misread := fmt.Errorf("%w: it saw no token", calibration.ErrMisread)
	invalid := fmt.Errorf("%w: the duration is 0", calibration.ErrInvalid)
	for name, c := range map[string]struct {
		times int64
		err   error
		tries int64
		says  string
	}{
		"it went wrong once":         {1, full, 2, ""},
		"it goes wrong all the time": {9, full, 3, full.Error() + " (tried 3 times)"},
		"the client is broken":       {9, misread, 1, misread.Error()},
		"it cannot be made":          {9, invalid, 1, invalid.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			calibrate, tries := failing(c.times, c.err)
			s.deps.Calibrate = calibrate
			got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
			require.Equal(t, c.tries, tries.Load())
			if c.says == "" {
				require.Empty(t, calibrationFaults(got))
				return
			}
			said := calibrationFaults(got)
			require.Len(t, said, 1)
			require.Equal(t, "the load client could not be checked: "+c.says, said[0])
			require.LessOrEqual(t, strings.Count(said[0], c.err.Error()), 1, "it is named once")
		})
	}
}

// A disturbance of a moment is not a client that is too slow.
func TestACheckThatFindsAFaultIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		times, tries int64
		believed     bool
	}{
		"disturbed once":          {1, 2, true},
		"disturbed all the time":  {9, 3, false},
		"not disturbed":           {0, 1, true},
		"the last reading counts": {2, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			var tries atomic.Int64
			s.deps.Calibrate = func(ctx context.Context, config calibration.Config) (swap.InstrumentReading, error) {
				r, err := goodClient(ctx, config)
				if tries.Add(1) <= c.times {
					r.TokenErrorP99MS = swap.Of(40)
				}
				return r, err
			}
			got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
			require.Equal(t, c.tries, tries.Load())
			require.Equal(t, c.believed, got.Instrument.Calibration.TokenErrorP99MS.Or(0) < 40)
			require.Equal(t, c.believed, !slices.ContainsFunc(got.Instrument.Faults, func(f swap.InstrumentFault) bool {
				return f.Signal == "calibration.token_error_p99_ms"
			}))
		})
	}
}

func TestACheckThatFailsIsLogged(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	logged := &lines{}
	s.logger = logged
	s.deps.Calibrate, _ = failing(9, errors.New("no more processes"))
	mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Contains(t, logged.String(), `level=WARN msg="the check of the load client failed and is tried again"`)
	require.Contains(t, logged.String(), `level=ERROR msg="the load client could not be checked; the step is driven and decides nothing"`)
	require.Contains(t, logged.String(), "no more processes")
}

func TestACheckIsNotTriedAgainOnceItIsCutOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	calibrate, tries := failing(9, errors.New("no more processes"))
	s.deps.Calibrate = calibrate
	c := start[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	eventually(t, "the first try", func() bool { return tries.Load() == 1 })
	c.cancel()
	_, err := c.wait(t)
	requireCancelled(t, err)
	require.LessOrEqual(t, tries.Load(), int64(2))
	require.Zero(t, s.served(swap.Baseline))
}

// The check is made under the load of the block to come: its units of work, its lengths, its arrivals and the engine's own pace.
func TestTheCheckIsMadeUnderTheLoadOfTheStep(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Workload.Topology = &swap.Topology{Shape: swap.ShapeStar, Size: 3}
	s.spec.Load.Calibration.Duration = swap.Duration(2 * time.Second)
	s.spec.Load.Steps[0].OutputTokens = &swap.Lengths{Median: 6, Min: 6, Max: 6}
	var got calibration.Config
	s.deps.Calibrate = func(ctx context.Context, c calibration.Config) (swap.InstrumentReading, error) {
		got = c
		return goodClient(ctx, c)
	}
	in := loadStepInput(s)
	in.TPOTms = swap.PerArm[swap.Value]{Baseline: swap.Of(8), Candidate: swap.Of(11)}
	result := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, in)
	require.Equal(t, 2*time.Second, got.Duration)
	require.Equal(t, 3, got.Plan.UnitSize())
	require.Equal(t, 6, got.Plan.Unit(0).Turns[2].MaxTokens)
	require.Equal(t, 11*time.Millisecond, got.Interval)
	manifest, _ := readStep(t, s, result)
	require.Equal(t, manifest.Blocks[0].ScheduleSHA256, got.Plan.SHA256, "it is the plan of the first block")
}

func TestTheIntervalOfTokensIsTheHarderOne(t *testing.T) {
	both := swap.PerArm[swap.Value]{Baseline: swap.Of(8), Candidate: swap.Of(11.5)}
	require.Equal(t, 11500*time.Microsecond, tokenInterval(true, both))
	require.Equal(t, 8*time.Millisecond, tokenInterval(false, both))
	one := swap.PerArm[swap.Value]{Candidate: swap.Of(5)}
	require.Equal(t, 5*time.Millisecond, tokenInterval(true, one))
	require.Equal(t, 5*time.Millisecond, tokenInterval(false, one))
	require.Zero(t, tokenInterval(true, swap.PerArm[swap.Value]{Baseline: swap.Of(0)}))
}
