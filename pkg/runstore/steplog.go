package runstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// StepLog is the crash-safe raw log of one load step, written by one attempt of an activity. Blocks are begun, written, stored
// and sealed one after another:
//
//	log, err := OpenStepLog(ctx, store, run, step, spec, attempt)
//	for each planned block that is not in log.Sealed(): log.Begin, log.Write …, log.Store, log.Seal
//	manifest, ref, err := log.Finish(ctx, plans)
//	log.Close(ctx)
//
// Where several load workers drive a step, that of shard 0 has the StepLog and the others have a SliceLog each; Seal is given
// the slices of all, whose tables must be in the store then. Its own may still be on its way.
//
// A block counts once its sealed.json is stored, and then for good: an attempt that finds a block sealed leaves it alone, and
// of two attempts at one block the first to seal it wins. An attempt that dies leaves parts behind that count for nothing and
// that the manifest lists as discarded.
//
// Begin, Write, Store and Seal never wait for the store. A StepLog is safe for concurrent use.
type StepLog struct {
	*SliceLog
	spec swap.Step

	mu    sync.Mutex
	state stepState // as found, plus what this log has sealed
}

// OpenStepLog finds out what earlier attempts left of the step, and starts the uploader; see OpenSliceLog.
func OpenStepLog(
	ctx context.Context, s *Store, run swap.RunKey, step int, spec swap.Step, attempt string,
) (*StepLog, error) {
	return openStepLog(ctx, s, run, step, spec, attempt, defaultLogPolicy)
}

func openStepLog(
	ctx context.Context, s *Store, run swap.RunKey, step int, spec swap.Step, attempt string, policy logPolicy,
) (*StepLog, error) {
	state, err := s.scanStep(ctx, run, step)
	if err != nil {
		return nil, err
	}
	l, err := openSliceLog(ctx, s, run, step, 0, attempt, policy)
	if err != nil {
		return nil, err
	}
	return &StepLog{SliceLog: l, spec: spec, state: state}, nil
}

// Sealed returns the blocks that count, by number: those found, and those that this log has sealed. What this log sealed may
// still be on its way, and another attempt may yet turn out to have been first; Finish tells.
func (l *StepLog) Sealed() map[int]swap.BlockResult {
	l.mu.Lock()
	defer l.mu.Unlock()
	results := make(map[int]swap.BlockResult, len(l.state.sealed))
	for block, b := range l.state.sealed {
		results[block] = b.Result
	}
	return results
}

// Discarded returns the attempts that were found begun and not sealed when the log was opened.
func (l *StepLog) Discarded() []swap.DiscardedAttempt { return l.state.discarded }

// Begin is SliceLog.Begin for a block that nobody has sealed.
func (l *StepLog) Begin(plan swap.BlockPlan, started time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if by := l.state.sealed[plan.Block].Attempt; by != "" {
		return l.failed("begin", plan, fmt.Errorf("the block was sealed by attempt %s", by))
	}
	return l.SliceLog.Begin(plan, started)
}

// Seal makes a block count. Its slices must be one of each shard, in their order, and hold together as many rows as requests
// were planned and outcomes are counted; otherwise Seal gives ErrCorrupt and the block stays unsealed.
func (l *StepLog) Seal(result swap.BlockResult) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch by := l.state.sealed[result.Block].Attempt; {
	case result.Step != l.step:
		return l.failed("seal", result.BlockPlan, fmt.Errorf("the block is of step %d, the log of step %d", result.Step, l.step))
	case by != "":
		return l.failed("seal", result.BlockPlan, fmt.Errorf("the block was sealed by attempt %s", by))
	case len(result.Slices) == 0 || slices.ContainsFunc(result.Slices, func(s swap.BlockSlice) bool { return s.Raw.URI == "" }):
		return l.failed("seal", result.BlockPlan, errors.New("a slice of the block is not stored"))
	}
	if err := checkCounts(result); err != nil {
		return &Error{Op: "seal", URI: l.store.URI(BlockPrefix(l.run, result.BlockPlan)), Kind: ErrCorrupt, Cause: err}
	}
	sealed := sealedBlock{Attempt: l.attempt, Result: result}
	seal, err := jsonObject(l.store, sealedKey(l.run, result.BlockPlan), schemaSealed, sealed)
	if err != nil {
		return err
	}
	if err := l.up.push(seal, true); err != nil {
		return err
	}
	l.state.sealed[result.Block] = sealed
	return nil
}
