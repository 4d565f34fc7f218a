package activities

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/admin"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/ensemble"
	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/secret"
	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/telemetry"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// The table is a wire contract: a line that changes here changes what people filter and what is retried.
func TestEveryDomainErrorHasItsStableType(t *testing.T) {
	cases := []struct {
		err   error
		name  string
		retry bool
	}{
		{invalidRequest("step 3"), "InvalidRequest", false},
		{secret.ErrInvalid, "SecretMissing", false},
		{&engine.UnreachableError{URL: "http://x", Err: errors.New("refused")}, "EngineUnreachable", true},
		{&engine.RefusedError{Status: 503}, "EngineOverloaded", true},
		{&engine.RefusedError{Status: 429}, "EngineOverloaded", true},
		{&engine.RefusedError{Status: 401}, "EngineRefused", false},
		{&engine.ModelMismatchError{Want: "a"}, "ModelMismatch", false},
		{&load.LimitError{Resource: "open files"}, "ClientLimits", false},
		{ensemble.ErrTooFew, "TooFewLoadWorkers", false},
		{ensemble.ErrPlansDiffer, "LoadPlansDiffer", false},
		{ensemble.ErrRefused, "LoadWorkerRefused", false},
		{ensemble.ErrLate, "LoadWorkerLate", true},
		{errStartMissed, "LoadWorkerLate", true},
		{ensemble.ErrNoConductor, "ConductorLost", true},
		{ensemble.ErrStopped, "ConductorLost", true},
		{load.ErrLostRecords, "RunCorrupt", false},
		{telemetry.ErrNoDriver, "TelemetryMissing", false},
		{runstore.ErrUnavailable, "RunStoreUnavailable", true},
		{runstore.ErrDenied, "RunStoreDenied", false},
		{runstore.ErrNoBucket, "RunStoreDenied", false},
		{runstore.ErrCorrupt, "RunCorrupt", false},
		{runstore.ErrNotFound, "RunCorrupt", false},
		{snapshot.ErrCorrupt, "RunCorrupt", false},
		{snapshot.ErrNone, "SnapshotMissing", false},
		{snapshot.ErrInvalid, "InvalidRequest", false},
		{snapshot.ErrAmbiguous, "InvalidRequest", false},
		{registry.ErrCorrupt, "RunCorrupt", false},
		{registry.ErrInvalid, "BaselineInvalid", false},
		{registry.ErrBusy, "BaselineConflict", true},
		{admin.ErrNotProven, "SwapNotProven", false},
		{errors.Join(admin.ErrUnreachable, admin.ErrNotProven), "SwapNotProven", false},
		{admin.ErrRefused, "SwapRefused", false},
		{admin.ErrUnsafe, "SwapUnsafe", false},
		{admin.ErrUnsupported, "SwapUnsupported", false},
		{admin.ErrUnreachable, "EngineUnreachable", true},
		{traffic.ErrUnreachable, "RouteUnavailable", true},
		{traffic.ErrRefused, "RouteRefused", false},
		{traffic.ErrUnsupported, "RouteRefused", false},
		{traffic.ErrConflict, "RouteConflict", true},
		{traffic.ErrNotApplied, "RouteNotApplied", true},
		{notify.ErrRefused, "SlackRefused", false},
		{notify.ErrBadToken, "SlackRefused", false},
		{notify.ErrChannel, "SlackRefused", false},
		{notify.ErrOutcomeUnknown, "SlackUncertain", false},
		{&notify.PostError{Detail: "HTTP 500"}, "SlackUncertain", false},
		{&notify.PostError{Detail: "refused", NotPosted: true}, "SlackUnavailable", true},
		{errWorkerStopping, "WorkerStopping", true},
		{errOutOfTime, "OutOfTime", true},
		{&overdueError{text: "Preflight was given up", err: context.DeadlineExceeded}, "OutOfTime", true},
		{errors.New("surprise"), "Internal", true},
	}
	doc, err := os.ReadFile("../docs/errors.md")
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.name+"/"+c.err.Error(), func(t *testing.T) {
			// As it reaches the boundary: wrapped with what it was about.
			wrapped := fmt.Errorf("candidate: %w", c.err)
			var app *temporal.ApplicationError
			require.ErrorAs(t, classify(t.Context(), wrapped), &app)
			require.Equal(t, c.name, app.Type())
			require.Equal(t, !c.retry, app.NonRetryable())
			require.Equal(t, wrapped.Error(), app.Message())
			yes := map[bool]string{true: "yes", false: "no"}[c.retry]
			require.Contains(t, string(doc), fmt.Sprintf("| `%s` | %s |", c.name, yes), "docs/errors.md")

			require.ErrorAs(t, insist(wrapped), &app)
			require.Equal(t, c.name, app.Type())
			require.False(t, app.NonRetryable(), "a rollback retries everything")
		})
	}
}

func TestClassifyKeepsWhatIsClassified(t *testing.T) {
	own := temporal.NewNonRetryableApplicationError("m", "Own", nil)
	require.Same(t, own, classify(t.Context(), own))
	require.NoError(t, classify(t.Context(), nil))
}

func TestJoinedErrorsDoNotLoseTheirText(t *testing.T) {
	joined := errors.Join(runstore.ErrUnavailable, errors.New("and more"))
	var app *temporal.ApplicationError
	require.ErrorAs(t, classify(t.Context(), joined), &app)
	require.Equal(t, TypeRunStoreUnavailable, app.Type())
	require.Equal(t, joined.Error(), app.Message())
}

func TestEndOfTheContextGoesBeforeWhatItBroke(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, classify(ctx, &engine.UnreachableError{URL: "http://x", Err: context.Canceled}), context.Canceled)
}

func TestSlackSaysWhenToTryAgain(t *testing.T) {
	var app *temporal.ApplicationError
	require.ErrorAs(t, classify(t.Context(), &notify.RateLimitedError{RetryAfter: 7 * time.Second}), &app)
	require.Equal(t, TypeSlackUnavailable, app.Type())
	require.Equal(t, 7*time.Second, app.NextRetryDelay())
}
