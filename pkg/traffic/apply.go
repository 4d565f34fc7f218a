package traffic

import (
	"context"
	"errors"
	"fmt"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Apply is the way in which every controller sets weights: it reads, does nothing where they are right, writes on the condition
// that nobody wrote since that read, and lets a last read decide. write must fail with ErrConflict when somebody did; whatever
// else it fails with, but ErrRefused, may have taken effect. where names the gateway in errors.
func Apply(
	ctx context.Context, where string, want swap.Weights, read func(context.Context) (State, error), write func(context.Context, State) error,
) (State, error) {
	before, err := read(ctx)
	if err != nil || (before.Weights == want && before.Pending == "") {
		return before, err
	}
	writeErr := write(ctx, before)
	if writeErr != nil {
		writeErr = fmt.Errorf("set weights to baseline %d / candidate %d: %w", want.Baseline, want.Candidate, writeErr)
	}
	if errors.Is(writeErr, ErrRefused) {
		return before, writeErr
	}
	after, err := read(ctx)
	switch {
	case err != nil:
		return before, errors.Join(writeErr, err)
	case after.Weights == want && after.Pending == "":
		return after, nil
	case writeErr != nil:
		return after, writeErr
	case after.Weights == want:
		return after, fmt.Errorf("%w: %s: %s", ErrNotApplied, where, after.Pending)
	}
	return after, fmt.Errorf("%w: wanted baseline %d / candidate %d, read %d / %d from %s",
		ErrNotApplied, want.Baseline, want.Candidate, after.Baseline, after.Candidate, where)
}
