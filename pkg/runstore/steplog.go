package runstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

var errClosed = errors.New("the step log is closed")

// logPolicy says when a running block is flushed, and bounds what is held in memory.
type logPolicy struct {
	uploadPolicy
	// A part is uploaded once so many rows or bytes of rows, or rows for so long, have been written since the last one.
	partRows  int
	partBytes int64
	partEvery time.Duration
	// groupBytes of rows make a row group of a block's table; tableMemory is how long a table may be without a file.
	groupBytes  int64
	tableMemory int64
	now         func() time.Time
}

var defaultLogPolicy = logPolicy{
	uploadPolicy: defaultUploadPolicy, partRows: 20_000, partBytes: 4 << 20, partEvery: 5 * time.Second,
	groupBytes: 16 << 20, tableMemory: 2 << 20, now: time.Now,
}

// StepLog is the crash-safe raw log of one load step, written by one attempt of an activity. Blocks are begun, written and
// sealed one after another:
//
//	log, err := OpenStepLog(ctx, store, run, step, spec, attempt)
//	for each planned block that is not in log.Sealed(): log.Begin, log.Write …, log.Seal
//	manifest, ref, err := log.Finish(ctx, plans)
//	log.Close(ctx)
//
// A block counts once its sealed.json is stored, and then for good: an attempt that finds a block sealed leaves it alone, and
// of two attempts at one block the first to seal it wins. An attempt that dies leaves parts behind that count for nothing and
// that the manifest lists as discarded.
//
// Uploads happen in the background and in order, and outlast any outage of the store that ctx of Finish allows, so Begin,
// Write and Seal never wait for it. Rows are encoded as they come; tables that are long, and whatever an outage keeps from
// being uploaded, lie in temporary files, so a log of any length needs the same memory. A StepLog is safe for concurrent use.
type StepLog struct {
	store   *Store
	run     swap.RunKey
	step    int
	spec    swap.Step
	attempt string
	policy  logPolicy
	files   *spillDir
	up      *uploader

	mu    sync.Mutex
	state stepState // as found, plus what this log has sealed
	begun map[int]bool
	open  *openBlock
	// Writers and rows of one block are used again for the next.
	tables, partTables recordWriter
	spare              []rawlog.Record
}

// OpenStepLog finds out what earlier attempts left of the step, and starts the uploader; call Close in any case. The id of
// the attempt must match AttemptPattern and be new for every try: Temporal's run id, activity id, attempt and start time
// make one.
func OpenStepLog(
	ctx context.Context, s *Store, run swap.RunKey, step int, spec swap.Step, attempt string,
) (*StepLog, error) {
	return openStepLog(ctx, s, run, step, spec, attempt, defaultLogPolicy)
}

func openStepLog(
	ctx context.Context, s *Store, run swap.RunKey, step int, spec swap.Step, attempt string, policy logPolicy,
) (*StepLog, error) {
	if !AttemptPattern.MatchString(attempt) {
		return nil, fmt.Errorf("step %d: attempt id %q does not match %s", step, attempt, AttemptPattern)
	}
	state, err := s.scanStep(ctx, run, step)
	if err != nil {
		return nil, err
	}
	files := &spillDir{parent: policy.spillDir}
	return &StepLog{
		store: s, run: run, step: step, spec: spec, attempt: attempt, policy: policy,
		files: files, up: newUploader(ctx, s, policy.uploadPolicy, files), state: state, begun: map[int]bool{},
		tables: newRecordWriter(), partTables: newRecordWriter(),
	}, nil
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

// Pending counts the objects that the store has not accepted yet.
func (l *StepLog) Pending() int { return l.up.pending() }

// Outage is why objects wait, while the store is unavailable; nil otherwise.
func (l *StepLog) Outage() error { return l.up.problem() }

// Begin records that this attempt begins a block: once, while no other block is open, and only if none has sealed it.
func (l *StepLog) Begin(plan swap.BlockPlan, started time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.mayBegin(plan); err != nil {
		return l.failed("begin", plan, err)
	}
	begun := swap.DiscardedAttempt{BlockPlan: plan, Attempt: l.attempt, Started: started}
	o, err := jsonObject(l.store, l.key(plan, attemptName), schemaAttempt, begun)
	if err != nil {
		return err
	}
	if err := l.up.push(o, false); err != nil {
		return err
	}
	l.begun[plan.Block] = true
	l.open = &openBlock{
		plan: plan, count: newRowCount(plan), table: newSpool(l.files.create, l.policy.tableMemory),
		waiting: l.spare[:0], flushAt: l.policy.now().Add(l.policy.partEvery),
	}
	l.tables.Reset(l.open.table)
	return nil
}

func (l *StepLog) mayBegin(plan swap.BlockPlan) error {
	switch {
	case plan.Step != l.step:
		return fmt.Errorf("the block is of step %d, the log of step %d", plan.Step, l.step)
	case l.open != nil:
		return fmt.Errorf("block %d is still open", l.open.plan.Block)
	case l.state.sealed[plan.Block].Attempt != "":
		return fmt.Errorf("the block was sealed by attempt %s", l.state.sealed[plan.Block].Attempt)
	case l.begun[plan.Block]:
		return errors.New("this attempt has begun the block before; another try needs an attempt id of its own")
	}
	return nil
}

// Write adds finished requests to the open block; the rows may be used again after it. Of a block that is written little by
// little, what there was before is uploaded every few seconds, so that little of it is lost in a crash; a short block that is
// written at once has no parts.
func (l *StepLog) Write(rows []rawlog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.open
	if b == nil {
		return fmt.Errorf("step %d: write without an open block", l.step)
	}
	late := !l.policy.now().Before(b.flushAt)
	for i := range rows {
		if l.due(b, late) {
			late = false
			if err := l.flush(b); err != nil {
				return err
			}
		}
		b.count.add(&rows[i])
		b.waiting = append(b.waiting, rows[i])
		b.waitingBytes += bytesOf(&rows[i])
	}
	return nil
}

// Seal ends the open block: its rows become one table, and result, with the reference to that table filled in, says that they
// count. The rows must be exactly the planned requests with the outcomes that result counts; otherwise Seal gives ErrCorrupt
// and the block stays unsealed.
func (l *StepLog) Seal(result swap.BlockResult) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil || l.open.plan != result.BlockPlan {
		return l.failed("seal", result.BlockPlan, errors.New("the block is not the open one"))
	}
	b := l.open
	l.open = nil
	table, err := l.finishTable(b, result)
	if err != nil {
		b.table.discard()
		return err
	}
	result.Raw = l.store.ref(table)
	sealed := sealedBlock{Attempt: l.attempt, Result: result}
	seal, err := jsonObject(l.store, sealedKey(l.run, result.BlockPlan), schemaSealed, sealed)
	if err != nil {
		return err
	}
	if err := l.up.push(table, false); err != nil {
		return err
	}
	if err := l.up.push(seal, true); err != nil {
		return err
	}
	l.state.sealed[result.Block] = sealed
	return nil
}

// Close waits for pending uploads for as long as ctx lasts, gives up the rest and releases everything the log holds. It may
// be called again. An error says that something was not stored.
func (l *StepLog) Close(ctx context.Context) error {
	err := l.up.close(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		l.open.table.discard()
		l.open = nil
	}
	return errors.Join(err, l.files.remove())
}

func (l *StepLog) key(plan swap.BlockPlan, name string) string {
	return attemptPrefix(l.run, plan, l.attempt) + name
}

func (l *StepLog) failed(op string, plan swap.BlockPlan, why error) error {
	return &Error{Op: op, URI: l.store.URI(BlockPrefix(l.run, plan)), Cause: why}
}
