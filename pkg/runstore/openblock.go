package runstore

import (
	"bytes"
	"errors"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

// openBlock is the slice of a block that is being written. Its rows wait in memory until they are enough for a part; then they go into
// the block's table, which lies in a file once it is long, so that a block of any length needs the same memory.
type openBlock struct {
	plan swap.BlockPlan
	// attempt is the try at the block.
	attempt string
	count   rowCount
	table   *spool
	// inGroup are the bytes of rows in the unfinished row group of the table.
	inGroup int64

	waiting      []rawlog.Record
	waitingBytes int64
	flushAt      time.Time
	parts        int
}

// recordWriter encodes records; its buffers are used again from table to table.
type recordWriter struct {
	*parquet.GenericWriter[rawlog.Record]
}

func newRecordWriter() recordWriter {
	return recordWriter{parquet.NewGenericWriter[rawlog.Record](nil, tableOptions(rawlog.Schema)...)}
}

// part encodes rows as a table of their own.
func (w recordWriter) part(rows []rawlog.Record) ([]byte, error) {
	var buf bytes.Buffer
	w.Reset(&buf)
	if err := writeRows(w.GenericWriter, rows); err != nil {
		return nil, err
	}
	err := w.Close()
	return buf.Bytes(), err
}

// bytesOf is about what a row takes in memory and, before compression, in a table.
func bytesOf(r *rawlog.Record) int64 {
	const fixed = 500
	return fixed + 8*int64(len(r.ChunkGapsUS)) + 4*int64(len(r.ChunkTokens)) + int64(len(r.Error))
}

// due reports whether the rows that wait are many, or wait for long.
func (l *SliceLog) due(b *openBlock, late bool) bool {
	n := len(b.waiting)
	return n > 0 && (late || n >= l.policy.partRows || b.waitingBytes >= l.policy.partBytes)
}

// flush uploads the rows that wait as a part, and adds them to the block's table.
func (l *SliceLog) flush(b *openBlock) error {
	data, err := l.partTables.part(b.waiting)
	if err != nil {
		return l.failed("write", b.plan, err)
	}
	o := object{
		key: attemptPrefix(l.run, b.plan, b.attempt) + partName(b.parts), contentType: ContentParquet, schema: rawlog.Schema,
		rows: int64(len(b.waiting)), data: data,
	}
	if err := l.up.push(o, false); err != nil {
		return err
	}
	b.parts, b.flushAt = b.parts+1, l.policy.now().Add(l.policy.partEvery)
	return l.toTable(b)
}

// toTable moves the rows that wait into the block's table.
func (l *SliceLog) toTable(b *openBlock) error {
	if err := writeRows(l.tables.GenericWriter, b.waiting); err != nil {
		return l.failed("write", b.plan, err)
	}
	b.inGroup += b.waitingBytes
	clear(b.waiting)
	b.waiting, b.waitingBytes = b.waiting[:0], 0
	if b.inGroup < l.policy.groupBytes {
		return nil
	}
	b.inGroup = 0
	if err := l.tables.Flush(); err != nil {
		return l.failed("write", b.plan, err)
	}
	return nil
}

// finishTable checks the rows of a slice and ends their table.
func (l *SliceLog) finishTable(b *openBlock, planned int, outcomes swap.OutcomeCounts) (object, error) {
	table := object{
		key: attemptPrefix(l.run, b.plan, b.attempt) + requestsName, contentType: ContentParquet, schema: rawlog.Schema,
		rows: int64(b.count.rows),
	}
	if err := b.count.check(planned, outcomes); err != nil {
		return table, &Error{Op: "store", URI: l.store.URI(BlockPrefix(l.run, b.plan)), Kind: ErrCorrupt, Cause: err}
	}
	if err := l.toTable(b); err != nil {
		return table, err
	}
	l.spare = b.waiting
	if err := errors.Join(l.tables.Close(), b.table.finish(&table)); err != nil {
		return table, l.failed("store", b.plan, err)
	}
	return table, nil
}
