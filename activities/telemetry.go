package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/telemetry"
)

// Bounds of the buffer of samples: a part is written when it is full or old. The result names every part, so a part a
// minute would make the result of a long run large.
const (
	partRows = 50_000
	partAge  = 5 * time.Minute
)

// sealTimeout bounds the writes after the activity was told to end.
const sealTimeout = time.Minute

// CaptureTelemetry samples until it is cancelled and then returns what it has: the cancel is how the workflow ends it.
func (a *Activities) CaptureTelemetry(ctx context.Context, in swap.CaptureTelemetryInput) (swap.TelemetryResult, error) {
	sources, closeSources, err := a.sources(in)
	if err != nil {
		return swap.TelemetryResult{}, err
	}
	defer closeSources()
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.TelemetryResult{}, err
	}
	defer store.Close()
	tape := &tape{store: store, run: runKey(ctx, in.Spec.Target), attempt: attemptID(ctx), now: a.Now}
	stop := startProgress(ctx, tape.progress)
	states := a.collect(ctx, sources, tape)
	stop()

	var cancelled *temporal.CanceledError
	if cause := context.Cause(ctx); !errors.As(cause, &cancelled) && !errors.Is(cause, context.Canceled) {
		return swap.TelemetryResult{}, cause
	}
	seal, done := context.WithTimeout(context.WithoutCancel(ctx), sealTimeout)
	defer done()
	parts, err := tape.finish(seal)
	return swap.TelemetryResult{Samples: parts, Sources: states}, err
}

// collect samples and writes parts as they fill, until ctx ends.
func (a *Activities) collect(ctx context.Context, sources []telemetry.Source, tape *tape) []swap.SourceState {
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if err := tape.flushIfDue(ctx); err != nil {
					activity.GetLogger(ctx).Warn("telemetry part not written yet", "error", err)
				}
			}
		}
	})
	states := telemetry.Collect(ctx, sources, tape.add, a.Now)
	wg.Wait()
	return states
}

// sources are the samplers of a capture: the GPUs of this host, or the pages that are read over HTTP.
func (a *Activities) sources(in swap.CaptureTelemetryInput) (sources []telemetry.Source, closeAll func(), err error) {
	interval := in.Spec.Telemetry.Interval.Std()
	closeAll = func() {}
	if in.Host != "" {
		nvml, err := telemetry.OpenNVML()
		if err != nil {
			return nil, closeAll, err
		}
		closeAll = func() { _ = nvml.Close() }
		for _, src := range in.Spec.Telemetry.Sources {
			if src.Kind == swap.SourceNVML && src.Host == in.Host {
				sources = append(sources, telemetry.Source{
					Sampler: telemetry.NewGPUSampler("nvml "+src.Host, nvml.GPUs()), Arm: src.Arm, Interval: interval, Required: src.Required,
				})
			}
		}
		return sources, closeAll, nil
	}
	for _, arm := range swap.Arms {
		facts := in.Facts.Get(arm)
		src, ok, err := enginePage(in.Spec, arm, facts)
		if err != nil {
			return nil, closeAll, err
		}
		if ok {
			page := telemetry.NewEnginePage(fmt.Sprintf("engine %s", facts.URL), src.URL, src.Key, a.HTTP)
			sources = append(sources, telemetry.Source{Sampler: page, Arm: arm, Interval: interval})
		}
	}
	for _, src := range in.Spec.Telemetry.Sources {
		if src.Kind == swap.SourceDCGM {
			sources = append(sources, telemetry.Source{Sampler: a.exporter(src), Arm: src.Arm, Interval: interval, Required: src.Required})
		}
	}
	return sources, closeAll, nil
}

func (a *Activities) exporter(src swap.TelemetrySource) telemetry.Sampler {
	return telemetry.NewDCGMPage("dcgm "+src.URL, src.URL, a.HTTP)
}

// tape buffers samples and writes them in parts.
type tape struct {
	store   *runstore.Store
	run     swap.RunKey
	attempt string
	now     func() time.Time

	mu      sync.Mutex
	rows    []telemetry.Sample
	flushed time.Time
	parts   []swap.ObjectRef
	total   int
}

func (t *tape) add(samples []telemetry.Sample) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flushed.IsZero() {
		t.flushed = t.now()
	}
	t.rows = append(t.rows, samples...)
	t.total += len(samples)
	return nil
}

func (t *tape) progress() swap.Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return swap.Progress{What: "samples", Done: t.total, Pending: len(t.rows)}
}

func (t *tape) flushIfDue(ctx context.Context) error {
	t.mu.Lock()
	due := len(t.rows) >= partRows || (len(t.rows) > 0 && t.now().Sub(t.flushed) >= partAge)
	t.mu.Unlock()
	if !due {
		return nil
	}
	return t.flush(ctx)
}

// flush writes what is buffered as one part; what could not be written stays buffered. Only one goroutine flushes.
func (t *tape) flush(ctx context.Context) error {
	t.mu.Lock()
	rows := t.rows
	t.mu.Unlock()
	if len(rows) == 0 {
		return nil
	}
	key := runstore.TelemetryKey(t.run, t.attempt, len(t.parts))
	ref, err := runstore.WriteTable(ctx, t.store, key, telemetry.Schema, rows)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = t.rows[len(rows):]
	t.flushed = t.now()
	t.parts = append(t.parts, ref)
	return nil
}

func (t *tape) finish(ctx context.Context) ([]swap.ObjectRef, error) {
	err := t.flush(ctx)
	return t.parts, err
}
