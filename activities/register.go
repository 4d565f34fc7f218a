package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"

	"github.com/swapgate/swapgate/pkg/swap"
)

// RegisterControl registers the light activities, each under its stable name.
func (a *Activities) RegisterControl(r worker.ActivityRegistry) {
	register(r, swap.ActivityPreflight, a.Preflight)
	register(r, swap.ActivityTakeSnapshot, a.TakeSnapshot)
	register(r, swap.ActivityMarkHealthy, a.MarkHealthy)
	register(r, swap.ActivityCaptureTelemetry, a.CaptureTelemetry)
	register(r, swap.ActivityFitBaseline, a.FitBaseline)
	register(r, swap.ActivityCompareArms, a.CompareArms)
	register(r, swap.ActivitySetWeights, a.SetWeights)
	register(r, swap.ActivityRestoreSnapshot, a.RestoreSnapshot)
	register(r, swap.ActivityInspectModel, a.InspectModel)
	register(r, swap.ActivityRestoreModel, a.RestoreModel)
	register(r, swap.ActivityRegisterBaseline, a.RegisterBaseline)
	register(r, swap.ActivityPublishReport, a.PublishReport)
	register(r, swap.ActivityNotifySlack, a.NotifySlack)
	register(r, swap.ActivityUpdateThread, a.UpdateSlackThread)
	register(r, swap.ActivityCheckIdle, a.CheckIdle)
	register(r, swap.ActivityCompareDrift, a.CompareDrift)
	register(r, swap.ActivityRecordDrift, a.RecordDrift)
}

// RegisterLoad registers the load generators.
func (a *Activities) RegisterLoad(r worker.ActivityRegistry) {
	register(r, swap.ActivityWarmUp, announced(a, a.WarmUp))
	register(r, swap.ActivityLoadStep, announced(a, a.LoadStep))
	register(r, swap.ActivityObserveWindow, announced(a, a.ObserveWindow))
	register(r, swap.ActivitySwapModel, announced(a, a.SwapModel))
}

// RegisterGPU registers what runs on a GPU host.
func (a *Activities) RegisterGPU(r worker.ActivityRegistry) {
	register(r, swap.ActivityCaptureTelemetry, a.CaptureTelemetry)
}

// register is the only way in which an activity is registered, so that every activity ends before Temporal ends it and every
// error passes the table in errors.go.
func register[In, Out any](r worker.ActivityRegistry, name string, run func(context.Context, In) (Out, error)) {
	classified := func(ctx context.Context, in In) (Out, error) {
		began := time.Now()
		work, done := inTime(ctx)
		defer done()
		out, err := run(work, in)
		return out, classify(ctx, overdue(work, name, time.Since(began), err))
	}
	r.RegisterActivityWithOptions(classified, activity.RegisterOptions{Name: name})
}
