package calibration

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/metronome"
	"github.com/swapgate/swapgate/pkg/sim/truth"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// ErrInvalid is a configuration that no retry mends.
var ErrInvalid = errors.New("calibration")

// Run starts a server of known truth in a process of its own (metronome.StartChild, which needs the program's hook), drives
// it as the step will drive an engine, and compares every record with the truth. It returns ErrMisread for a client whose
// records are not about what the server did, and ErrInvalid for a load that cannot be driven; after any other error another
// try may go well.
func Run(ctx context.Context, cfg Config) (swap.InstrumentReading, error) {
	plan, err := cfg.plan()
	if err != nil {
		return swap.InstrumentReading{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	records, truths, err := measure(ctx, cfg, plan)
	if err == nil {
		err = Verify(records, truths)
	}
	if err != nil {
		return swap.InstrumentReading{}, err
	}
	return Compare(records, truths), nil
}

// plan is what is driven.
func (c Config) plan() (load.Plan, error) {
	if err := c.validate(); err != nil {
		return load.Plan{}, err
	}
	units := sampleOf(c.Plan)
	if !c.Plan.Open() {
		return c.closedPlan(units)
	}
	block, err := c.forecast(units)
	if err != nil {
		return load.Plan{}, err
	}
	return c.openPlan(c.schedule(block))
}

// openPlan drives a schedule, in which every request stands alone.
func (c Config) openPlan(s schedule) (load.Plan, error) {
	lengths, at := make([]length, len(s.sends)), make([]time.Duration, len(s.sends))
	for i, r := range s.sends {
		lengths[i], at[i] = r.length, r.at
	}
	g, err := c.generator(nil, lengths)
	if err != nil {
		return load.Plan{}, err
	}
	step := swap.Step{Rate: float64(len(at)) / (s.settle + s.measure).Seconds()}
	p := load.PlanBlock(g, step, s.settle, s.measure, c.Seed, 0, nil)
	p.Arrivals = at
	return p, nil
}

// closedPlan keeps as many streams open as the step does. The requests of a star are sent together; other units are the same to
// the client as requests that stand alone. There is no think time. Answers are over in half of the duration, so that whole ones
// are seen: the number of streams makes the tokens per second, and more requests than planned are only harder.
func (c Config) closedPlan(units sample) (load.Plan, error) {
	lengths := units.lengths()
	for i := range lengths {
		lengths[i].output = min(lengths[i].output, c.tokensIn(c.Duration/2))
	}
	star := c.Plan.Topology()
	if star != nil && star.Shape != swap.ShapeStar {
		star = nil
	}
	g, err := c.generator(star, lengths)
	if err != nil {
		return load.Plan{}, err
	}
	step := swap.Step{Concurrency: max(1, c.Shard.Step(c.Plan.Step).Concurrency)}
	return load.PlanBlock(g, step, c.settle(), c.Duration-c.settle(), c.Seed, 0, nil), nil
}

// generator makes requests of these lengths, in turn.
func (c Config) generator(topology *swap.Topology, lengths []length) (*workload.Generator, error) {
	g, err := workload.New(c.workload(topology))
	if err != nil {
		return nil, err
	}
	digest := make([]byte, 0, 16*len(lengths))
	for _, l := range lengths {
		digest = binary.LittleEndian.AppendUint64(digest, uint64(l.input))  //nolint:gosec // positive
		digest = binary.LittleEndian.AppendUint64(digest, uint64(l.output)) //nolint:gosec // positive
	}
	return g.WithLengths(sha256.Sum256(digest), func(i uint64) (input, output int) {
		l := lengths[i%uint64(len(lengths))]
		return l.input, l.output
	}), nil
}

func measure(ctx context.Context, cfg Config, plan load.Plan) ([]rawlog.Record, []truth.Entry, error) {
	child, err := metronome.StartChild(ctx, cfg.beat(len(plan.Arrivals)))
	if err != nil {
		return nil, nil, err
	}
	records, err := drive(ctx, plan, child.URL())
	var truths []truth.Entry
	if err == nil {
		truths, err = child.Truth(ctx)
	}
	switch ended := child.Stop(); {
	case err == nil:
		err = ended
	case ended != nil:
		err = fmt.Errorf("%w; %w", err, ended)
	}
	return records, truths, err
}

func drive(ctx context.Context, plan load.Plan, url string) ([]rawlog.Record, error) {
	target := engine.Target{URL: url, Model: metronome.Default().Model}
	client, err := engine.NewClient(target, engine.ClientOptions{Capabilities: protocol.Capabilities{UsageInStream: true}})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var records []rawlog.Record
	_, err = load.Run(ctx, client, plan, load.Options{
		Block: swap.BlockPlan{Arm: swap.Baseline}, Model: target.Model, Timeout: timeout(plan),
		OnRecord: func(r *rawlog.Record) { records = append(records, *r) },
	})
	return records, err
}

// timeout is far more than an answer takes.
func timeout(p load.Plan) time.Duration { return p.Length() + 10*time.Second }
