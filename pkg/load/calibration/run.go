package calibration

import (
	"context"
	"errors"
	"fmt"

	"github.com/swapgate/swapgate/pkg/engine"
	"github.com/swapgate/swapgate/pkg/engine/protocol"
	"github.com/swapgate/swapgate/pkg/load"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/sim/metronome"
	"github.com/swapgate/swapgate/pkg/sim/truth"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload"
)

// Run starts a server of known truth in a process of its own (metronome.StartChild, which needs the program's hook), drives
// it as the step will drive an engine, and compares every record with the truth. It returns ErrMisread for a client whose
// records are not about what the server did.
func Run(ctx context.Context, cfg Config) (swap.InstrumentReading, error) {
	if err := cfg.validate(); err != nil {
		return swap.InstrumentReading{}, err
	}
	records, truths, err := measure(ctx, cfg)
	if err == nil {
		err = Verify(records, truths)
	}
	if err != nil {
		return swap.InstrumentReading{}, fmt.Errorf("calibrate the load client: %w", err)
	}
	return Compare(records, truths), nil
}

func measure(ctx context.Context, cfg Config) ([]rawlog.Record, []truth.Entry, error) {
	g, err := workload.New(cfg.workload())
	if err != nil {
		return nil, nil, err
	}
	plan := load.PlanBlock(g, cfg.step(), cfg.settle(), cfg.Duration-cfg.settle(), cfg.Seed, 0, nil)
	child, err := metronome.StartChild(ctx, cfg.beat(len(plan.Arrivals)))
	if err != nil {
		return nil, nil, err
	}
	records, err := drive(ctx, cfg, plan, child.URL())
	var truths []truth.Entry
	if err == nil {
		truths, err = child.Truth(ctx)
	}
	return records, truths, errors.Join(err, child.Stop())
}

func drive(ctx context.Context, cfg Config, plan load.Plan, url string) ([]rawlog.Record, error) {
	target := engine.Target{URL: url, Model: metronome.Default().Model}
	client, err := engine.NewClient(target, engine.ClientOptions{Capabilities: protocol.Capabilities{UsageInStream: true}})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var records []rawlog.Record
	_, err = load.Run(ctx, client, plan, load.Options{
		Block: swap.BlockPlan{Arm: swap.Baseline}, Model: target.Model, Timeout: cfg.timeout(),
		OnRecord: func(r *rawlog.Record) { records = append(records, *r) },
	})
	return records, err
}
