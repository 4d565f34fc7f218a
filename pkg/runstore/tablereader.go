package runstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// rowsPerBatch is how many rows a reader holds at a time.
const rowsPerBatch = 512

// tableReader reads the rows of a table in batches.
type tableReader[T any] struct {
	rows  *parquet.GenericReader[T]
	want  int64
	got   int64
	batch []T
}

// openTable opens a table of so many rows. The columns in without are neither read nor decoded.
func openTable[T any](content io.ReaderAt, size, want int64, without map[string]bool) (t *tableReader[T], err error) {
	defer noPanic(&err)
	file, err := openFile(content, size, want)
	if err != nil {
		return nil, err
	}
	t = &tableReader[T]{want: want, batch: make([]T, rowsPerBatch)}
	if len(without) == 0 || want == 0 {
		t.rows = parquet.NewGenericReader[T](file)
		return t, nil
	}
	narrow, err := leaveOut(file, without)
	if err != nil {
		return nil, err
	}
	t.rows = parquet.NewGenericRowGroupReader[T](narrow)
	return t, nil
}

// openFile opens a table of so many rows: a damaged footer must not decide how much is read.
func openFile(content io.ReaderAt, size, want int64) (file *parquet.File, err error) {
	defer noPanic(&err)
	file, err = openParquet(content, size)
	if err != nil {
		return nil, err
	}
	rows := file.NumRows()
	for _, group := range file.RowGroups() {
		rows -= group.NumRows()
	}
	if file.NumRows() != want || rows != 0 {
		return nil, fmt.Errorf("the table has %d rows, expected %d", file.NumRows(), want)
	}
	return file, nil
}

// openParquet is parquet.OpenFile, which takes as much memory as the file says that its footer is long.
func openParquet(content io.ReaderAt, size int64) (*parquet.File, error) {
	const end = 8 // the footer's length, and PAR1
	tail := make([]byte, end)
	if _, err := content.ReadAt(tail, size-end); err != nil {
		return nil, fmt.Errorf("not a readable Parquet table: %w", err)
	}
	if footer := int64(binary.LittleEndian.Uint32(tail)); footer > size-end {
		return nil, fmt.Errorf("not a readable Parquet table: its footer is %d bytes long, and the file only %d", footer, size)
	}
	return parquet.OpenFile(content, size)
}

// leaveOut is the file without some of its columns.
func leaveOut(file *parquet.File, columns map[string]bool) (parquet.RowGroup, error) {
	kept := parquet.Group{}
	for _, f := range file.Schema().Fields() {
		if !columns[f.Name()] {
			kept[f.Name()] = f
		}
	}
	conversion, err := parquet.Convert(parquet.NewSchema(file.Schema().Name(), kept), file.Schema())
	if err != nil {
		return nil, err
	}
	return parquet.ConvertRowGroup(parquet.MultiRowGroup(file.RowGroups()...), conversion), nil
}

// next returns the next rows, valid until the call after it; io.EOF says that all were read.
func (t *tableReader[T]) next() (rows []T, err error) {
	defer noPanic(&err)
	if t.got == t.want {
		return nil, io.EOF
	}
	clear(t.batch) // what the library left of the last rows would show where these have nothing
	n, err := t.rows.Read(t.batch)
	t.got += int64(n)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case n == 0 || t.got > t.want:
		return nil, fmt.Errorf("read %d rows, expected %d", t.got, t.want)
	}
	return t.batch[:n], nil
}

func (t *tableReader[T]) close() { _ = t.rows.Close() }

// noPanic turns a panic of the Parquet library, which it raises for some damaged or foreign files, into an error.
func noPanic(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("not a readable Parquet table: %v", r)
	}
}
