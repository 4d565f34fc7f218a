package activities

import (
	"context"
	"fmt"
	"strings"

	"github.com/swapgate/swapgate/pkg/load/calibration"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Calibrate measures the load client against a server of known truth.
type Calibrate func(ctx context.Context, c calibration.Config) (swap.InstrumentReading, error)

// checkClient calibrates the load client at its own share of the load, once in an attempt. A check that cannot be made is a
// fault of the instrument and not of the step: the step is driven, and decides nothing.
func (w *shardWork) checkClient(ctx context.Context) error {
	if w.client != nil {
		return nil
	}
	asked := w.prompts.Spec()
	r, err := w.calibrate(ctx, calibration.Config{
		Step: w.shard.Step(w.spec), Duration: w.in.Spec.Load.Calibration.Duration.Std(), API: asked.API, Seed: asked.Seed,
		PromptTokens: max(1, asked.InputTokens.Median), OutputTokens: max(1, asked.OutputTokens.Median),
	})
	if ctx.Err() != nil {
		return fmt.Errorf("the check of the load client was cut off: %w", context.Cause(ctx))
	}
	w.client = &swap.SliceClient{Calibrated: w.attempt, Calibration: r}
	if err != nil {
		w.client.Problem = err.Error()
	}
	return nil
}

// stepInstrument is the load clients' account of themselves over one step, one for each load worker.
type stepInstrument struct{ shards []shardInstrument }

type shardInstrument struct {
	// checked are the attempts whose calibration counts already.
	checked map[string]bool
	// calibration is the worst that the checks said; problem is why there was none.
	calibration swap.InstrumentReading
	problem     string
	// records and process are the signals of the blocks. The worst block counts for the process: shares over a whole step
	// would hide it among pauses.
	records instrument.Tally
	process swap.InstrumentReading
}

// add takes what the load workers said of themselves in a block, and what its records tell of them.
func (i *stepInstrument) add(slices []swap.BlockSlice, records []*instrument.Tally) {
	for n, slice := range slices {
		if n == len(i.shards) {
			i.shards = append(i.shards, shardInstrument{checked: map[string]bool{}})
		}
		s, client := &i.shards[n], slice.Client
		if !s.checked[client.Calibrated] {
			s.checked[client.Calibrated] = true
			s.calibration = s.calibration.Worse(client.Calibration)
			if s.problem == "" {
				s.problem = client.Problem
			}
		}
		s.process = s.process.Worse(client.Process)
		s.records.Merge(records[n])
	}
}

// during is the reading of the step.
func (s *shardInstrument) during() swap.InstrumentReading {
	return s.process.Worse(s.records.Reading())
}

// state judges the readings, the worst of all load workers. baseline is what the baseline needed.
func (i *stepInstrument) state(limits swap.Calibration, baseline instrument.Medians) swap.InstrumentState {
	var all swap.InstrumentState
	own := make([][]swap.InstrumentFault, len(i.shards))
	for n := range i.shards {
		s := &i.shards[n]
		all.Calibration, all.During = all.Calibration.Worse(s.calibration), all.During.Worse(s.during())
		own[n] = append(instrument.Judge(s.calibration, s.during(), limits, baseline), unchecked(s.problem)...)
	}
	all.Faults = instrument.Judge(all.Calibration, all.During, limits, baseline)
	return swap.InstrumentState{Calibration: all.Calibration, During: all.During, Faults: whose(all.Faults, own)}
}

// unchecked is the fault of a client whose calibration could not be made.
func unchecked(problem string) []swap.InstrumentFault {
	if problem == "" {
		return nil
	}
	return []swap.InstrumentFault{{
		Signal: "calibration", Message: "the load client could not be checked: " + problem,
		Next: "see the log of the load worker, which runs the check in a process of its own",
	}}
}

// whose adds to the faults of all load workers together what only single ones have, such as a check that measured nothing,
// and says which of several load workers have each fault.
func whose(faults []swap.InstrumentFault, own [][]swap.InstrumentFault) []swap.InstrumentFault {
	have := map[string][]int{}
	known := map[string]bool{}
	for _, f := range faults {
		known[f.Signal] = true
	}
	for shard, found := range own {
		for _, f := range found {
			have[f.Signal] = append(have[f.Signal], shard)
			if !known[f.Signal] {
				known[f.Signal] = true
				faults = append(faults, f)
			}
		}
	}
	for i := range faults {
		if at := have[faults[i].Signal]; len(own) > 1 && len(at) > 0 {
			faults[i].Message += " (" + shardNames(at) + ")"
		}
	}
	return faults
}

// shardNames lists load workers for people.
func shardNames(shards []int) string {
	names := make([]string, len(shards))
	for i, n := range shards {
		names[i] = fmt.Sprintf("shard %d", n)
	}
	return strings.Join(names, ", ")
}
