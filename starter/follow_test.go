package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

// fakeRun closes with verdict after lasts. While down, Temporal cannot be asked.
type fakeRun struct {
	began    time.Time
	lasts    time.Duration
	down     func(since time.Duration) bool
	err      error
	observed int
}

func newFakeRun(lasts time.Duration) *fakeRun {
	return &fakeRun{began: time.Now(), lasts: lasts, down: func(time.Duration) bool { return false }}
}

var errDown = &control.UnreachableError{What: "Temporal does not answer"}

func (r *fakeRun) Observe(ctx context.Context) (control.Observation, error) {
	r.observed++
	if r.down(time.Since(r.began)) {
		return control.Observation{}, errDown
	}
	return control.Observation{Status: &swap.Status{Target: "chat"}}, ctx.Err()
}

func (r *fakeRun) Wait(ctx context.Context, out any) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for time.Since(r.began) < r.lasts {
		if r.down(time.Since(r.began)) {
			return errDown
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if v, ok := out.(*swap.Verdict); ok && r.err == nil {
		v.Verdict = swap.Pass
	}
	return r.err
}

type recorder struct{ shown []control.Observation }

func (r *recorder) Show(o control.Observation, _ time.Time) { r.shown = append(r.shown, o) }

func TestFollowShowsTheRunUntilItCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run, shown := newFakeRun(time.Minute), &recorder{}
		var v swap.Verdict
		require.NoError(t, follow(t.Context(), run, shown, &v))
		require.Equal(t, swap.Pass, v.Verdict)
		require.InDelta(t, 61, len(shown.shown), 2, "once a second and once at the end")
	})
}

func TestFollowReturnsTheErrorOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := newFakeRun(time.Second)
		run.err = &control.ClosedError{Err: errors.New("x")}
		require.ErrorIs(t, follow(t.Context(), run, &recorder{}, nil), run.err)
	})
}

func TestFollowSurvivesAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run, shown := newFakeRun(10*time.Minute), &recorder{}
		run.down = func(since time.Duration) bool { return since > time.Minute && since < 4*time.Minute }
		var v swap.Verdict
		require.NoError(t, follow(t.Context(), run, shown, &v))
		require.Equal(t, swap.Pass, v.Verdict)
		during := shown.shown[120]
		require.Equal(t, []string{errDown.Error()}, during.Problems)
		require.NotNil(t, during.Status, "the last known state stays in sight")
		require.Empty(t, shown.shown[len(shown.shown)-1].Problems)
	})
}

func TestFollowGivesUpAfterALongOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := newFakeRun(time.Hour)
		run.down = func(since time.Duration) bool { return since > time.Minute }
		require.ErrorIs(t, follow(t.Context(), run, &recorder{}, nil), error(errDown))
		require.InDelta(t, 6*time.Minute, time.Since(run.began), float64(10*time.Second))
	})
}

func TestFollowStartsTheClockAnewForEachOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := newFakeRun(time.Hour)
		run.down = func(since time.Duration) bool { return since%(20*time.Minute) > 16*time.Minute }
		var v swap.Verdict
		require.NoError(t, follow(t.Context(), run, &recorder{}, &v))
		require.Equal(t, swap.Pass, v.Verdict)
	})
}

func TestFollowEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := (&waitFlags{timeout: time.Minute}).context(t.Context())
		defer cancel()
		run := newFakeRun(time.Hour)
		require.ErrorIs(t, follow(ctx, run, &recorder{}, nil), errWaitOver)
		require.Equal(t, time.Minute, time.Since(run.began))
	})
}
