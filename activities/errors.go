package activities

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.temporal.io/sdk/activity"
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

// Types of the errors that activities return. They are a wire contract: runs in flight, retry policies and people's
// filters know them by name. docs/errors.md lists them with what to do.
const (
	TypeInvalidRequest      = "InvalidRequest"
	TypeSecretMissing       = "SecretMissing"
	TypeEngineUnreachable   = "EngineUnreachable"
	TypeEngineOverloaded    = "EngineOverloaded"
	TypeEngineRefused       = "EngineRefused"
	TypeModelMismatch       = "ModelMismatch"
	TypeClientLimits        = "ClientLimits"
	TypeTooFewLoadWorkers   = "TooFewLoadWorkers"
	TypeLoadPlansDiffer     = "LoadPlansDiffer"
	TypeLoadWorkerRefused   = "LoadWorkerRefused"
	TypeLoadWorkerLate      = "LoadWorkerLate"
	TypeConductorLost       = "ConductorLost"
	TypeTelemetryMissing    = "TelemetryMissing"
	TypeRunStoreUnavailable = "RunStoreUnavailable"
	TypeRunStoreDenied      = "RunStoreDenied"
	TypeRunCorrupt          = "RunCorrupt"
	TypeRouteUnavailable    = "RouteUnavailable"
	TypeRouteRefused        = "RouteRefused"
	TypeRouteConflict       = "RouteConflict"
	TypeRouteNotApplied     = "RouteNotApplied"
	TypeSwapNotProven       = "SwapNotProven"
	TypeSwapRefused         = "SwapRefused"
	TypeSwapUnsafe          = "SwapUnsafe"
	TypeSwapUnsupported     = "SwapUnsupported"
	TypeSnapshotMissing     = "SnapshotMissing"
	TypeBaselineInvalid     = "BaselineInvalid"
	TypeBaselineConflict    = "BaselineConflict"
	TypeSlackRefused        = "SlackRefused"
	TypeSlackUnavailable    = "SlackUnavailable"
	TypeSlackUncertain      = "SlackUncertain"
	TypeWorkerStopping      = "WorkerStopping"
	TypeOutOfTime           = "OutOfTime"
	TypeInternal            = "Internal"
)

// errWorkerStopping ends a load activity between two blocks so that another worker can go on.
var errWorkerStopping = errors.New("this worker was asked to stop; another one goes on from the last sealed block")

// requestError is a request that no retry can mend.
type requestError struct{ err error }

func (e *requestError) Error() string { return e.err.Error() }
func (e *requestError) Unwrap() error { return e.err }

func invalidRequest(format string, args ...any) error {
	return &requestError{err: fmt.Errorf(format, args...)}
}

// rule maps the errors that match to a type.
type rule struct {
	name string
	// retry says whether trying again can help without a person changing something.
	retry bool
	match func(error) bool
}

// rules is the table of errors; the first that matches counts.
func rules() []rule {
	return []rule{
		{TypeWorkerStopping, true, is(errWorkerStopping)},
		{TypeInvalidRequest, false, as[*requestError]},
		{TypeInvalidRequest, false, is(snapshot.ErrInvalid, snapshot.ErrAmbiguous)},
		{TypeSecretMissing, false, is(secret.ErrInvalid)},
		{TypeModelMismatch, false, as[*engine.ModelMismatchError]},
		// An engine that answered 500 and still serves the old model is both of these; going back comes first.
		{TypeSwapNotProven, false, is(admin.ErrNotProven)},
		{TypeSwapRefused, false, is(admin.ErrRefused)},
		{TypeSwapUnsafe, false, is(admin.ErrUnsafe)},
		{TypeSwapUnsupported, false, is(admin.ErrUnsupported)},
		{TypeEngineUnreachable, true, is(admin.ErrUnreachable)},
		{TypeEngineUnreachable, true, as[*engine.UnreachableError]},
		{TypeEngineOverloaded, true, engineOverloaded},
		{TypeEngineRefused, false, as[*engine.RefusedError]},
		{TypeClientLimits, false, as[*load.LimitError]},
		{TypeTooFewLoadWorkers, false, is(ensemble.ErrTooFew)},
		{TypeLoadPlansDiffer, false, is(ensemble.ErrPlansDiffer)},
		{TypeLoadWorkerRefused, false, is(ensemble.ErrRefused)},
		{TypeLoadWorkerLate, true, is(ensemble.ErrLate, errStartMissed)},
		{TypeConductorLost, true, is(ensemble.ErrNoConductor, ensemble.ErrStopped)},
		{TypeTelemetryMissing, false, is(telemetry.ErrNoDriver)},
		{TypeRunCorrupt, false, is(runstore.ErrCorrupt, snapshot.ErrCorrupt, registry.ErrCorrupt, load.ErrLostRecords)},
		{TypeRunStoreDenied, false, is(runstore.ErrDenied, runstore.ErrNoBucket)},
		{TypeSnapshotMissing, false, is(snapshot.ErrNone)},
		{TypeBaselineInvalid, false, is(registry.ErrInvalid)},
		{TypeBaselineConflict, true, is(registry.ErrBusy)},
		{TypeRunCorrupt, false, is(runstore.ErrNotFound)},
		{TypeRunStoreUnavailable, true, is(runstore.ErrUnavailable)},
		{TypeRouteConflict, true, is(traffic.ErrConflict)},
		{TypeRouteNotApplied, true, is(traffic.ErrNotApplied)},
		{TypeRouteUnavailable, true, is(traffic.ErrUnreachable)},
		{TypeRouteRefused, false, is(traffic.ErrRefused, traffic.ErrUnsupported)},
		{TypeSlackRefused, false, is(notify.ErrRefused, notify.ErrBadToken, notify.ErrChannel, notify.ErrMessageGone)},
		{TypeSlackUncertain, false, uncertain},
		{TypeSlackUnavailable, true, slackUnavailable},
		{TypeOutOfTime, true, func(err error) bool { return as[*overdueError](err) || is(errOutOfTime)(err) }},
	}
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
}

func as[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

func engineOverloaded(err error) bool {
	var refused *engine.RefusedError
	return errors.As(err, &refused) &&
		(refused.Status == http.StatusTooManyRequests || refused.Status == http.StatusServiceUnavailable)
}

// uncertain is a message that Slack may have posted. It is not posted again, so trying again cannot help.
func uncertain(err error) bool {
	var failed *notify.PostError
	return errors.Is(err, notify.ErrOutcomeUnknown) || (errors.As(err, &failed) && !failed.NotPosted)
}

func slackUnavailable(err error) bool { return notify.NotPosted(err) && notify.Retryable(err) }

// classify gives err its stable type. The SDK records the outermost error only, so everything leaves an activity either as
// an ApplicationError made here or as the end of its context.
func classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := contextEnd(ctx); ended != nil {
		return ended
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return err
	}
	r := ruleFor(err)
	return temporal.NewApplicationErrorWithOptions(err.Error(), r.name, temporal.ApplicationErrorOptions{
		NonRetryable: !r.retry, Cause: flat(err), NextRetryDelay: retryAfter(err),
	})
}

func ruleFor(err error) rule {
	for _, r := range rules() {
		if r.match(err) {
			return r
		}
	}
	return rule{name: TypeInternal, retry: true}
}

// insist makes any error one that is retried, keeping its type: a rollback must not end because a token is wrong.
func insist(err error) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), ruleFor(err).name, temporal.ApplicationErrorOptions{Cause: flat(err)})
}

// contextEnd is what to return when the activity was ended from outside, or nil.
func contextEnd(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, activity.ErrActivityPaused) || errors.Is(cause, activity.ErrActivityReset) {
		return cause
	}
	return ctx.Err()
}

// flat keeps the text of a cause and drops its tree: a joined error would lose its causes on the way.
func flat(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return errors.New(inner.Error())
	}
	return nil
}

// retryAfter is the pause that the other side asked for; 0 leaves it to the policy.
func retryAfter(err error) time.Duration {
	var limited *notify.RateLimitedError
	if errors.As(err, &limited) {
		return limited.RetryAfter
	}
	return 0
}
