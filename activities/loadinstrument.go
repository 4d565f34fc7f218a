package activities

import (
	"context"
	"fmt"

	"github.com/swapgate/swapgate/pkg/load/calibration"
	"github.com/swapgate/swapgate/pkg/load/instrument"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Calibrate measures the load client against a server of known truth.
type Calibrate func(ctx context.Context, c calibration.Config) (swap.InstrumentReading, error)

// stepInstrument is the load client's account of itself over one step.
type stepInstrument struct {
	calibrate Calibrate
	// calibration is what the client's check said; problem is why there was none.
	calibration swap.InstrumentReading
	problem     string
	// records and process are the signals of the blocks.
	records instrument.Tally
	process swap.InstrumentReading
}

// watched takes what was seen of the process during one block. The worst block counts: shares over a whole step would hide it
// among pauses.
func (i *stepInstrument) watched(r swap.InstrumentReading) { i.process = i.process.Worse(r) }

// state judges the readings. baseline is what the baseline needed.
func (i *stepInstrument) state(limits swap.Calibration, baseline instrument.Medians) swap.InstrumentState {
	s := swap.InstrumentState{Calibration: i.calibration, During: i.process.Worse(i.records.Reading())}
	s.Faults = instrument.Judge(s.Calibration, s.During, limits, baseline)
	if i.problem != "" {
		s.Faults = append(s.Faults, swap.InstrumentFault{
			Signal: "calibration", Message: "the load client could not be checked: " + i.problem,
			Next: "see the log of the load worker, which runs the check in a process of its own",
		})
	}
	return s
}

// calibrate checks the load client before the first block that this attempt drives. A check that cannot be made is a fault of
// the instrument and not of the step: the step is driven, and decides nothing.
func (s *step) calibrate(ctx context.Context) error {
	load, w := s.in.Spec.Load, s.prompts.Spec()
	r, err := s.instrument.calibrate(ctx, calibration.Config{
		Step: s.spec, Duration: load.Calibration.Duration.Std(), API: w.API, Seed: w.Seed,
		PromptTokens: max(1, w.InputTokens.Median), OutputTokens: max(1, w.OutputTokens.Median),
	})
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the check of the load client was cut off: %w", context.Cause(ctx))
	case err != nil:
		s.instrument.problem = err.Error()
	}
	s.instrument.calibration = r
	return nil
}
