package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/swapgate/swapgate/pkg/load/calibration"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Calibrate measures the load client against a server of known truth.
type Calibrate func(ctx context.Context, c calibration.Config) (swap.InstrumentReading, error)

const (
	// calibrationTries is how often a check of the load client is begun: it may fail because a process could not be started just
	// then, and find a fault because the machine was disturbed just then. A client that is too slow fails every one.
	calibrationTries = 3
	// calibrationPause is the pause before the second try; it grows with each.
	calibrationPause = 500 * time.Millisecond
)

// checkClient calibrates the load client at its own share of the load to come, once in an attempt. A check that cannot be made is
// a fault of the instrument and not of the step: the step is driven, and decides nothing.
func (w *shardWork) checkClient(ctx context.Context) error {
	if w.client != nil {
		return nil
	}
	r, err := w.calibrated(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("the check of the load client was cut off: %w", context.Cause(ctx))
	}
	w.client = &swap.SliceClient{Calibrated: w.attempt, Calibration: r}
	if err != nil {
		activity.GetLogger(ctx).Error("the load client could not be checked; the step is driven and decides nothing",
			"step", w.in.Step, "shard", w.shard.Index, "error", err)
		w.client.Problem = err.Error()
	}
	return nil
}

// calibrated calibrates the load client, and tries again what may go well then. The last reading counts.
func (w *shardWork) calibrated(ctx context.Context) (r swap.InstrumentReading, err error) {
	config := w.calibration()
	for try := 1; ; try++ {
		r, err = w.calibrate(ctx, config)
		problem := w.calibrationProblem(r, err)
		if problem == "" || ctx.Err() != nil {
			return r, err
		}
		if errors.Is(err, calibration.ErrMisread) || errors.Is(err, calibration.ErrInvalid) {
			return r, err
		}
		if try == calibrationTries {
			if err != nil {
				err = fmt.Errorf("%w (tried %d times)", err, try)
			}
			return r, err
		}
		activity.GetLogger(ctx).Warn("the check of the load client failed and is tried again",
			"step", w.in.Step, "shard", w.shard.Index, "try", try, "error", problem)
		select {
		case <-time.After(time.Duration(try) * calibrationPause):
		case <-ctx.Done():
			return r, context.Cause(ctx)
		}
	}
}

// calibrationProblem says what a check failed with or found; nothing of a client that can be believed.
func (w *shardWork) calibrationProblem(r swap.InstrumentReading, err error) string {
	if err != nil {
		return err.Error()
	}
	baseline := instrument.Medians{TPOT: w.in.TPOTms.Baseline}
	if faults := instrument.JudgeCalibration(r, w.in.Spec.Load.Calibration, baseline); len(faults) > 0 {
		return faults[0].Message
	}
	return ""
}

// calibration is the check before the block that was just planned.
func (w *shardWork) calibration() calibration.Config {
	asked := w.prompts.Spec()
	return calibration.Config{
		Plan: w.plan, Shard: w.shard, Duration: w.in.Spec.Load.Calibration.Duration.Std(), API: asked.API, Seed: asked.Seed,
		Interval: tokenInterval(w.plan.Open(), w.in.TPOTms),
	}
}

// tokenInterval is the time between tokens that is the hardest on the client: in a closed loop the shorter one of both arms, for
// more tokens come in a second; in an open loop the longer one, for more streams are open at a time. It is 0 if none is known.
func tokenInterval(open bool, tpot swap.PerArm[swap.Value]) time.Duration {
	var hardest time.Duration
	for _, arm := range swap.Arms {
		v, known := tpot.Get(arm).Get()
		d := time.Duration(v * float64(time.Millisecond))
		if known && d > 0 && (hardest == 0 || (d > hardest) == open) {
			hardest = d
		}
	}
	return hardest
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
