package runstore

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// bulky are the columns that take most of a row and that few readers need.
var bulky = map[string]bool{
	"chunk_gaps_us": true, "chunk_tokens": true, "trace_id": true, "prompt_sha256": true, "error": true,
}

// EachRecord gives the requests of a sealed block to do, a few hundred at a time, slice after slice. It needs the same memory for
// a block of any length: a table is kept in a temporary file while it is read. The batch is used again after do returns; what a
// record points to is not, so records may be copied and kept.
//
// The hash of a table is verified before its first call. That the rows are exactly the block's planned requests with the
// outcomes that it counts is known only at the end: if not, EachRecord gives ErrCorrupt, and what do got counts for nothing.
func EachRecord(ctx context.Context, s *Store, block swap.BlockResult, do func([]rawlog.Record) error) error {
	return eachRecord(ctx, s, block, rowsWithout(nil), do)
}

// EachLeanRecord is EachRecord without the gaps and tokens of chunks, trace ids, hashes of prompts and texts of errors, which
// are nil or empty: about an eighth of a table is decoded.
func EachLeanRecord(ctx context.Context, s *Store, block swap.BlockResult, do func([]rawlog.Record) error) error {
	return eachRecord(ctx, s, block, rowsWithout(bulky), do)
}

// rowReader gives the rows of a table of so many to do, in batches.
type rowReader func(content io.ReaderAt, size, want int64, do func([]rawlog.Record) error) error

// rowsWithout reads all columns but some.
func rowsWithout(columns map[string]bool) rowReader {
	return func(content io.ReaderAt, size, want int64, do func([]rawlog.Record) error) error {
		return eachRow(content, size, want, columns, do)
	}
}

func eachRecord(ctx context.Context, s *Store, block swap.BlockResult, read rowReader, do func([]rawlog.Record) error) error {
	count := newRowCount(block.BlockPlan, 0)
	for i, slice := range block.Slices {
		if slice.Shard != i {
			return &Error{
				Op: "get", URI: slice.Raw.URI, Kind: ErrCorrupt, Cause: fmt.Errorf("block %d: slice %d is of shard %d", block.Block, i, slice.Shard),
			}
		}
		count.shard = i
		if err := eachSliceRecord(ctx, s, slice.Raw, &count, read, do); err != nil {
			return err
		}
	}
	if err := count.check(block.Planned, block.Outcomes); err != nil {
		return &Error{Op: "get", URI: uriOf(block), Kind: ErrCorrupt, Cause: err}
	}
	return nil
}

// uriOf is a place to look for what is wrong with a block.
func uriOf(block swap.BlockResult) string {
	if len(block.Slices) == 0 {
		return fmt.Sprintf("block %d of step %d", block.Block, block.Step)
	}
	return block.Slices[0].Raw.URI
}

// eachSliceRecord reads one table and counts its rows. A row that is not in its place ends it, before do gets it.
func eachSliceRecord(
	ctx context.Context, s *Store, table swap.ObjectRef, count *rowCount, read rowReader, do func([]rawlog.Record) error,
) error {
	content, err := s.download(ctx, table)
	if err != nil {
		return err
	}
	defer content.discard()
	err = read(content.reader(), content.size, table.Rows, func(rows []rawlog.Record) error {
		for i := range rows {
			count.add(&rows[i])
		}
		if count.fault != nil {
			return count.fault
		}
		if err := do(rows); err != nil {
			return &doError{err}
		}
		return ctx.Err()
	})
	var own *doError
	switch {
	case errors.As(err, &own):
		return own.error
	case ctx.Err() != nil:
		return &Error{Op: "get", URI: table.URI, Cause: context.Cause(ctx)}
	case err != nil:
		return &Error{Op: "get", URI: table.URI, Kind: ErrCorrupt, Cause: err}
	}
	return nil
}

// doError is a failure of the function that gets the rows, not of the rows.
type doError struct{ error }

func eachRow(
	content io.ReaderAt, size, want int64, without map[string]bool, do func([]rawlog.Record) error,
) error {
	t, err := openTable[rawlog.Record](content, size, want, without)
	if err != nil {
		return err
	}
	defer t.close()
	names := interner{}
	for {
		rows, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		names.intern(rows)
		if err := do(rows); err != nil {
			return err
		}
	}
}

// interner makes equal names of records one string, of which a decoder makes one a row.
type interner map[string]string

// mostNames bounds an interner where a server invents names.
const mostNames = 1000

func (n interner) intern(rows []rawlog.Record) {
	for i := range rows {
		r := &rows[i]
		for _, name := range [...]*string{&r.Arm, &r.Outcome, &r.FinishReason, &r.Fingerprint, &r.Error} {
			if known, ok := n[*name]; ok {
				*name = known
			} else if len(n) < mostNames {
				n[*name] = *name
			}
		}
	}
}

// ReadBlock reads the requests of a sealed block, all into memory; see EachRecord.
func ReadBlock(ctx context.Context, s *Store, block swap.BlockResult) ([]rawlog.Record, error) {
	var all []rawlog.Record
	err := EachRecord(ctx, s, block, func(rows []rawlog.Record) error {
		all = append(all, rows...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// ReadManifest reads the manifest of a step and verifies that its blocks are the step's, each once.
func ReadManifest(ctx context.Context, s *Store, ref swap.ObjectRef) (swap.StepManifest, error) {
	manifest, err := GetJSON[swap.StepManifest](ctx, s, ref)
	if err != nil {
		return swap.StepManifest{}, err
	}
	seen := map[int]bool{}
	for _, block := range manifest.Blocks {
		if seen[block.Block] || block.Step != manifest.Step {
			return swap.StepManifest{}, &Error{
				Op: "get", URI: ref.URI, Kind: ErrCorrupt,
				Cause: fmt.Errorf("block %d of step %d is there twice or out of place", block.Block, block.Step),
			}
		}
		seen[block.Block] = true
	}
	return manifest, nil
}

// ReadStep reads a manifest and the requests of all its blocks, in the order of the manifest. It verifies counts, outcomes
// and that no request is there twice; what does not add up is ErrCorrupt.
func ReadStep(ctx context.Context, s *Store, ref swap.ObjectRef) (swap.StepManifest, []rawlog.Record, error) {
	return readStep(ctx, s, ref, EachRecord)
}

// ReadLeanStep is ReadStep without the columns that EachLeanRecord leaves out: what judging needs, in half of the memory.
func ReadLeanStep(ctx context.Context, s *Store, ref swap.ObjectRef) (swap.StepManifest, []rawlog.Record, error) {
	return readStep(ctx, s, ref, EachLeanRecord)
}

func readStep(
	ctx context.Context, s *Store, ref swap.ObjectRef,
	each func(context.Context, *Store, swap.BlockResult, func([]rawlog.Record) error) error,
) (swap.StepManifest, []rawlog.Record, error) {
	manifest, err := ReadManifest(ctx, s, ref)
	if err != nil {
		return swap.StepManifest{}, nil, err
	}
	planned := 0
	for _, block := range manifest.Blocks {
		planned += block.Planned
	}
	all := make([]rawlog.Record, 0, min(planned, mostPreallocated))
	for _, block := range manifest.Blocks {
		err := each(ctx, s, block, func(rows []rawlog.Record) error {
			all = append(all, rows...)
			return nil
		})
		if err != nil {
			return swap.StepManifest{}, nil, err
		}
	}
	return manifest, all, nil
}

// mostPreallocated bounds what a damaged manifest can ask for.
const mostPreallocated = 4 << 20
