package host

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/swapgate/swapgate/activities"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/workflows"
)

// Exit codes of a worker process.
const (
	exitOK    = 0
	exitFault = 1
	exitUsage = 64
)

// heartbeatThrottle bounds how old the progress of a killed worker can be.
const heartbeatThrottle = time.Second

// stickyPatience is how long a workflow waits for the worker that had it last before any other may go on with it. A rollback must
// not wait longer for a worker that was killed.
const stickyPatience = time.Second

// Main runs a worker process of the given version until ctx ends and returns its exit code.
func Main(ctx context.Context, version string, args []string, stderr io.Writer) int {
	o, err := ParseOptions(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "swapgate-worker: %v\n", err)
		return exitUsage
	}
	log := newLogger(o, stderr)
	if err := Run(ctx, version, o, log); err != nil {
		log.ErrorContext(ctx, "worker stopped", "error", err)
		return exitFault
	}
	return exitOK
}

func newLogger(o Options, w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: slog.LevelInfo}
	if o.LogJSON {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// Run connects to Temporal, takes on the roles, and serves health until ctx ends or a worker fails for good.
func Run(ctx context.Context, version string, o Options, log *slog.Logger) error {
	metrics, err := newMetrics()
	if err != nil {
		return fmt.Errorf("set up metrics: %w", err)
	}
	health := &health{}
	stopHealth, err := health.serve(ctx, o.Health, metrics.page)
	if err != nil {
		return err
	}
	defer stopHealth()

	c, err := dial(ctx, metrics.handler, log)
	if err != nil {
		return err
	}
	defer c.Close()
	health.connected(c)

	deps := activities.Production(log, version)
	deps.Shards = o.Shards
	deps.AllowCommands(o.Commands)
	acts := activities.New(deps)
	fatal := make(chan error, 1)
	for _, w := range build(c, o, acts, func(err error) {
		select {
		case fatal <- err:
		default:
		}
	}) {
		if err := w.Start(); err != nil {
			return fmt.Errorf("start worker: %w", err)
		}
		defer w.Stop()
	}
	stopSlack, err := o.Slack.hear(ctx, c, log)
	if err != nil {
		return err
	}
	defer stopSlack()
	stopFeedback, err := o.Feedback.take(ctx, c, log)
	if err != nil {
		return err
	}
	defer stopFeedback()
	health.ready()
	log.InfoContext(ctx, "worker is polling", "roles", o.Roles)
	select {
	case <-ctx.Done():
		log.InfoContext(ctx, "stopping", "timeout", o.StopTimeout)
		return nil
	case err := <-fatal:
		return err
	}
}

// build makes one worker for each role. Load has one slot, because two load generators on one machine measure each
// other; the GPU sampler has its host's own queue.
func build(c client.Client, o Options, acts *activities.Activities, onFatal func(error)) []worker.Worker {
	if o.Has(RoleLoad) {
		load.PrepareProcess()
	}
	opts := worker.Options{
		WorkerStopTimeout:            o.StopTimeout,
		MaxHeartbeatThrottleInterval: heartbeatThrottle,
		StickyScheduleToStartTimeout: stickyPatience,
		DisableRegistrationAliasing:  true,
		OnFatalError:                 onFatal,
	}
	var workers []worker.Worker
	if o.Has(RoleControl) {
		w := worker.New(c, swap.QueueControl, opts)
		workflows.Register(w)
		acts.RegisterControl(w)
		workers = append(workers, w)
	}
	opts.DisableWorkflowWorker = true
	if o.Has(RoleLoad) {
		loadOpts := opts
		loadOpts.MaxConcurrentActivityExecutionSize = 1
		w := worker.New(c, swap.QueueLoad, loadOpts)
		acts.RegisterLoad(w)
		workers = append(workers, w)
	}
	if o.Has(RoleGPU) {
		w := worker.New(c, swap.QueueGPUPrefix+o.GPUHost, opts)
		acts.RegisterGPU(w)
		workers = append(workers, w)
	}
	return workers
}
