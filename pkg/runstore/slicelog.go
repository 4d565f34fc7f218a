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

// SliceLog is the raw log of one load worker's part of a step, its shard, written by one attempt of an activity. Slices of
// blocks are begun, written, and stored or voided, one after another. What it stores counts for nothing until a StepLog seals
// the block with it.
//
// Uploads happen in the background and in order, and outlast any outage of the store. Rows are encoded as they come; tables
// that are long, and whatever an outage keeps from being uploaded, lie in temporary files, so a log of any length needs the
// same memory. A SliceLog is safe for concurrent use.
type SliceLog struct {
	store   *Store
	run     swap.RunKey
	step    int
	shard   int
	attempt string
	policy  logPolicy
	files   *spillDir
	up      *uploader

	mu    sync.Mutex
	tries map[int]int // by block
	open  *openBlock
	// Writers and rows of one block are used again for the next.
	tables, partTables recordWriter
	spare              []rawlog.Record
}

// OpenSliceLog starts the uploader of a log; call Close in any case. The id of the attempt must match AttemptPattern and be
// new for every try: Temporal's run id, activity id, attempt and start time make one.
func OpenSliceLog(ctx context.Context, s *Store, run swap.RunKey, step, shard int, attempt string) (*SliceLog, error) {
	return openSliceLog(ctx, s, run, step, shard, attempt, defaultLogPolicy)
}

func openSliceLog(
	ctx context.Context, s *Store, run swap.RunKey, step, shard int, attempt string, policy logPolicy,
) (*SliceLog, error) {
	if !AttemptPattern.MatchString(attempt) {
		return nil, fmt.Errorf("step %d: attempt id %q does not match %s", step, attempt, AttemptPattern)
	}
	files := &spillDir{parent: policy.spillDir}
	return &SliceLog{
		store: s, run: run, step: step, shard: shard, attempt: attempt, policy: policy,
		files: files, up: newUploader(ctx, s, policy.uploadPolicy, files), tries: map[int]int{},
		tables: newRecordWriter(), partTables: newRecordWriter(),
	}, nil
}

// Pending counts the objects that the store has not accepted yet.
func (l *SliceLog) Pending() int { return l.up.pending() }

// Outage is why objects wait, while the store is unavailable; nil otherwise.
func (l *SliceLog) Outage() error { return l.up.problem() }

// Drain waits until everything is stored. ctx bounds how long an unavailable store is waited for.
func (l *SliceLog) Drain(ctx context.Context) error {
	if err := l.up.drain(ctx); err != nil {
		return fmt.Errorf("store shard %d of step %d: %w", l.shard, l.step, err)
	}
	return nil
}

// Begin records that this attempt begins its slice of a block, while no other is open. A block may be begun again: every try
// has keys of its own.
func (l *SliceLog) Begin(plan swap.BlockPlan, started time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case plan.Step != l.step:
		return l.failed("begin", plan, fmt.Errorf("the block is of step %d, the log of step %d", plan.Step, l.step))
	case l.open != nil:
		return l.failed("begin", plan, fmt.Errorf("block %d is still open", l.open.plan.Block))
	}
	l.tries[plan.Block]++
	attempt := tryName(l.attempt, l.tries[plan.Block])
	begun := swap.DiscardedAttempt{BlockPlan: plan, Shard: l.shard, Attempt: attempt, Started: started}
	o, err := jsonObject(l.store, attemptPrefix(l.run, plan, attempt)+attemptName, schemaAttempt, begun)
	if err != nil {
		return err
	}
	if err := l.up.push(o, false); err != nil {
		return err
	}
	l.open = &openBlock{
		plan: plan, attempt: attempt, count: newRowCount(plan, l.shard), table: newSpool(l.files.create, l.policy.tableMemory),
		waiting: l.spare[:0], flushAt: l.policy.now().Add(l.policy.partEvery),
	}
	l.tables.Reset(l.open.table)
	return nil
}

// Write adds finished requests to the open slice; the rows may be used again after it. Of a block that is written little by
// little, what there was before is uploaded every few seconds, so that little of it is lost in a crash; a short block that is
// written at once has no parts.
func (l *SliceLog) Write(rows []rawlog.Record) error {
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

// Store ends the open slice: its rows become one table, which is uploaded in the background. The rows must be exactly the
// planned requests of the slice with these outcomes; otherwise Store gives ErrCorrupt and the slice is void. It fills in
// Shard, Attempt and Raw.
func (l *SliceLog) Store(planned int, outcomes swap.OutcomeCounts) (swap.BlockSlice, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.open
	if b == nil {
		return swap.BlockSlice{}, fmt.Errorf("step %d: store without an open block", l.step)
	}
	l.open = nil
	table, err := l.finishTable(b, planned, outcomes)
	if err != nil {
		b.table.discard()
		return swap.BlockSlice{}, err
	}
	slice := swap.BlockSlice{Shard: l.shard, Attempt: b.attempt, Raw: l.store.ref(table)}
	return slice, l.up.push(table, false)
}

// Void lets the open slice go, if there is one. What was uploaded of it stays and counts for nothing.
func (l *SliceLog) Void() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		l.open.table.discard()
		l.open = nil
	}
}

// Close waits for pending uploads for as long as ctx lasts, gives up the rest and releases everything the log holds. It may
// be called again. An error says that something was not stored.
func (l *SliceLog) Close(ctx context.Context) error {
	err := l.up.close(ctx)
	l.Void()
	return errors.Join(err, l.files.remove())
}

func (l *SliceLog) failed(op string, plan swap.BlockPlan, why error) error {
	return &Error{Op: op, URI: l.store.URI(BlockPrefix(l.run, plan)), Cause: why}
}
