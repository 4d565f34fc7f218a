package activities

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// mute answers pages and never a request for tokens.
func mute(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			silent(nil).ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// silent accepts and says nothing.
func silent(http.Handler) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server looks whether the client has gone once it has read all
		<-r.Context().Done()
	})
}

// Whoever does not answer is named by the activity itself, before Temporal ends it.
func TestAnActivityNamesWhoDidNotAnswerInTime(t *testing.T) {
	t.Parallel()
	weights := swap.Weights{Baseline: 50, Candidate: 50}
	for name, c := range map[string]struct {
		change   func(*plan)
		activity string
		input    func(*site) any
		kind     string
		url      func(*site) string
	}{
		"a server that never answers a request": {
			func(p *plan) { p.servers.Candidate = mute }, swap.ActivityPreflight,
			func(s *site) any { return swap.PreflightInput{Spec: s.spec} }, TypeEngineUnreachable,
			func(s *site) string { return s.spec.Candidate.URL },
		},
		"a server that says nothing at all": {
			func(p *plan) { p.servers.Baseline = silent }, swap.ActivityPreflight,
			func(s *site) any { return swap.PreflightInput{Spec: s.spec} }, TypeEngineUnreachable,
			func(s *site) string { return s.spec.Baseline.URL },
		},
		"a gateway that says nothing when it is read": {
			func(p *plan) { p.admin = silent }, swap.ActivityTakeSnapshot,
			func(s *site) any { return swap.TakeSnapshotInput{Spec: s.spec} }, TypeRouteUnavailable,
			func(s *site) string { return s.spec.Rollout.Route.AdminURL },
		},
		"a gateway that says nothing when it is set": {
			func(p *plan) { p.admin = silent }, swap.ActivitySetWeights,
			func(s *site) any { return swap.SetWeightsInput{Route: s.spec.Rollout.Route, Weights: weights} }, TypeRouteUnavailable,
			func(s *site) string { return s.spec.Rollout.Route.AdminURL },
		},
		"a gateway that says nothing in a rollback": {
			func(p *plan) { p.admin = silent }, swap.ActivityRestoreSnapshot,
			func(s *site) any {
				return swap.RestoreSnapshotInput{Target: s.spec.Target, Store: s.spec.Store, Fallback: &s.spec.Rollout.Route}
			}, TypeRouteUnavailable,
			func(s *site) string { return s.spec.Rollout.Route.AdminURL },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.change)
			s.allowed = 6 * time.Second
			_, err := run[any](t, s, c.activity, c.input(s))
			requireType(t, err, c.kind, true)
			require.ErrorContains(t, err, c.url(s))
		})
	}
}

// A store that does not answer is named too; it is an error of the time, for the time was all that ended it.
func TestAnActivityNamesTheStoreThatDidNotAnswerInTime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.allowed = 2 * time.Second
	s.spec.Store.Endpoint = serve(t, silent(nil), nil)
	_, err := run[any](t, s, swap.ActivityCompareArms, swap.CompareInput{
		Spec: s.spec, Manifests: []swap.ObjectRef{{URI: "s3://" + s.spec.Store.Bucket + "/m.json", SHA256: strings.Repeat("0", 64)}},
	})
	requireType(t, err, TypeOutOfTime, true)
	require.ErrorContains(t, err, swap.ActivityCompareArms)
	require.ErrorContains(t, err, s.spec.Store.Bucket)
}

func TestWorkEndsBeforeItsActivity(t *testing.T) {
	for allowed, want := range map[time.Duration]time.Duration{
		2 * time.Second: 1800 * time.Millisecond, 30 * time.Second: 27 * time.Second, 150 * time.Second: 135 * time.Second,
		time.Hour: time.Hour - longestMargin,
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), allowed)
			defer cancel()
			work, done := inTime(ctx)
			defer done()
			<-work.Done()
			require.Equal(t, want, time.Since(began))
			require.ErrorIs(t, context.Cause(work), errOutOfTime)
			require.NoError(t, ctx.Err())
		})
	}
	work, done := inTime(t.Context())
	defer done()
	_, bounded := work.Deadline()
	require.False(t, bounded, "an activity without an end has work without an end")
}

func TestOnlyWorkThatWasCutOffIsOverdue(t *testing.T) {
	cut, cancel := context.WithCancelCause(t.Context())
	cancel(errOutOfTime)
	reset, named := errors.New("reset"), &engine.UnreachableError{URL: "http://x", Err: context.DeadlineExceeded}
	require.NoError(t, overdue(cut, "Preflight", time.Second, nil))
	require.Equal(t, reset, overdue(t.Context(), "Preflight", time.Second, reset))
	require.Equal(t, named, overdue(cut, "Preflight", time.Second, named))
	err := overdue(cut, "Preflight", 27*time.Second, context.DeadlineExceeded)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.EqualError(t, err, "Preflight was given up after 27s, shortly before its time was over: context deadline exceeded; "+
		"look at what it was waiting for, and at how busy its worker is")
}
