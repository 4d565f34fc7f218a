package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Source is a sampler and how it is used.
type Source struct {
	Sampler Sampler
	// Arm is stamped on the samples; empty when both arms share what is read.
	Arm swap.Arm
	// Interval is the time between two samples; it must be positive. A sample that takes longer skips the ticks it missed.
	Interval time.Duration
	// Required is passed on to the source's state.
	Required bool
}

// Collect samples every source until ctx ends and returns how each did, in the order given. The first sample of a source
// is taken at once. Each source runs in a goroutine of its own, so that a slow one delays no other; all have ended when
// Collect returns. Samples are stamped with now and handed to sink, which is called from one goroutine at a time and
// must be quick. An error of a sampler or of sink is counted and does not stop the source.
func Collect(ctx context.Context, sources []Source, sink func([]Sample) error, now func() time.Time) []swap.SourceState {
	states := make([]swap.SourceState, len(sources))
	var mu sync.Mutex
	oneAtATime := func(samples []Sample) error {
		mu.Lock()
		defer mu.Unlock()
		return sink(samples)
	}
	var wg sync.WaitGroup
	for i, src := range sources {
		c := collector{src: src, sink: oneAtATime, now: now, state: &states[i]}
		wg.Go(func() { c.run(ctx) })
	}
	wg.Wait()
	return states
}

// collector owns one source and its state.
type collector struct {
	src   Source
	sink  func([]Sample) error
	now   func() time.Time
	state *swap.SourceState
}

func (c *collector) run(ctx context.Context) {
	*c.state = swap.SourceState{Source: c.src.Sampler.Name(), Arm: c.src.Arm, Required: c.src.Required}
	ticker := time.NewTicker(c.src.Interval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		c.once(ctx)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (c *collector) once(ctx context.Context) {
	start := c.now()
	samples, err := c.src.Sampler.Sample(ctx)
	took := c.now().Sub(start)
	if err != nil && ctx.Err() == nil {
		c.fault(err)
	}
	if len(samples) == 0 {
		return
	}
	for i := range samples {
		samples[i].TimeUnixNS = start.UnixNano()
		samples[i].TookUS = took.Microseconds()
		samples[i].Source = c.src.Sampler.Name()
		samples[i].Arm = string(c.src.Arm)
	}
	if err := c.sink(samples); err != nil {
		c.fault(err)
		return
	}
	c.state.Samples += len(samples)
}

// maxErrorRunes keeps a state small enough for a workflow's history.
const maxErrorRunes = 200

func (c *collector) fault(err error) {
	c.state.Errors++
	c.state.LastError = err.Error()
	if r := []rune(c.state.LastError); len(r) > maxErrorRunes {
		c.state.LastError = string(r[:maxErrorRunes]) + "…"
	}
}
