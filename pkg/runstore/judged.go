package runstore

import (
	"context"
	"io"
	"runtime"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/sync/errgroup"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// EachJudgedRecord gives the requests of sealed blocks to do, with nothing but their place and what judging needs of them
// (judgedColumns): a fifth of the columns, read without making rows. It reads as many blocks at a time as there are CPUs, so do is
// called for several blocks at once; the requests of one block come in their order, from one call after another.
//
// It verifies what EachRecord does. The batch, and also what its records point to, is used again after do returns.
func EachJudgedRecord(ctx context.Context, s *Store, blocks []swap.BlockResult, do func([]rawlog.Record) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, block := range blocks {
		g.Go(func() error { return eachRecord(ctx, s, block, eachJudgedRow, do) })
	}
	return g.Wait()
}

// judgedColumns are those that place a request, and those that judge.Requests is made of.
func judgedColumns() []column {
	return []column{
		int32Column("step", func(r *rawlog.Record, v *int32) { r.Step = orZero(v) }),
		int32Column("block", func(r *rawlog.Record, v *int32) { r.Block = orZero(v) }),
		int32Column("pair", func(r *rawlog.Record, v *int32) { r.Pair = orZero(v) }),
		int32Column("seq", func(r *rawlog.Record, v *int32) { r.Seq = orZero(v) }),
		int32Column("shard", func(r *rawlog.Record, v *int32) { r.Shard = orZero(v) }),
		nameColumn("arm", func(r *rawlog.Record, v *string) { r.Arm = orZero(v) }),
		boolColumn("measured", func(r *rawlog.Record, v *bool) { r.Measured = orZero(v) }),
		int64Column("sent_unix_ns", func(r *rawlog.Record, v *int64) { r.SentUnixNS = orZero(v) }),
		int64Column("late_us", func(r *rawlog.Record, v *int64) { r.LateUS = orZero(v) }),
		int64Column("held_us", func(r *rawlog.Record, v *int64) { r.HeldUS = orZero(v) }),
		int64Column("first_token_us", func(r *rawlog.Record, v *int64) { r.FirstUS = v }),
		int64Column("last_token_us", func(r *rawlog.Record, v *int64) { r.LastUS = v }),
		int32Column("prompt_tokens", func(r *rawlog.Record, v *int32) { r.PromptTokens = v }),
		int32Column("output_tokens", func(r *rawlog.Record, v *int32) { r.OutputTokens = v }),
		int32Column("cached_tokens", func(r *rawlog.Record, v *int32) { r.CachedTokens = v }),
		float64Column("quality", func(r *rawlog.Record, v *float64) { r.Quality = v }),
		nameColumn("outcome", func(r *rawlog.Record, v *string) { r.Outcome = orZero(v) }),
		boolColumn("conn_reused", func(r *rawlog.Record, v *bool) { r.ConnReused = orZero(v) }),
	}
}

func orZero[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}

// eachJudgedRow reads the judged columns of a table of so many rows.
func eachJudgedRow(content io.ReaderAt, size, want int64, do func([]rawlog.Record) error) error {
	file, err := openFile(content, size, want)
	if err != nil {
		return err
	}
	columns, batch := judgedColumns(), make([]rawlog.Record, rowsPerBatch)
	defer closeAll(columns)
	for _, group := range file.RowGroups() {
		if err := openAll(columns, group); err != nil {
			return err
		}
		for left := group.NumRows(); left > 0; left -= rowsPerBatch {
			rows := batch[:min(left, rowsPerBatch)]
			if err := readAll(columns, rows); err != nil {
				return err
			}
			if err := do(rows); err != nil {
				return err
			}
		}
	}
	return nil
}

func openAll(columns []column, group parquet.RowGroup) (err error) {
	defer noPanic(&err)
	for _, c := range columns {
		if err := c.open(group); err != nil {
			return err
		}
	}
	return nil
}

func readAll(columns []column, rows []rawlog.Record) (err error) {
	defer noPanic(&err)
	for _, c := range columns {
		if err := c.read(rows); err != nil {
			return err
		}
	}
	return nil
}

func closeAll(columns []column) {
	for _, c := range columns {
		c.close()
	}
}
