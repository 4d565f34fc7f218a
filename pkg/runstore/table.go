package runstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/swapgate/swapgate/pkg/swap"
)

// ContentParquet is the media type of tables.
const ContentParquet = "application/vnd.apache.parquet"

// WriteTable stores rows under key as one Parquet object, compressed with zstd; the parquet tags of T name the columns.
func WriteTable[T any](ctx context.Context, s *Store, key, schema string, rows []T) (swap.ObjectRef, error) {
	o, err := tableObject(s, key, schema, rows)
	if err != nil {
		return swap.ObjectRef{}, err
	}
	return s.put(ctx, o)
}

// ReadTable reads all rows of the table that ref describes. Columns that T lacks are ignored and columns that the table
// lacks are left zero, so tables of older and newer versions can be read.
func ReadTable[T any](ctx context.Context, s *Store, ref swap.ObjectRef) ([]T, error) {
	data, err := s.GetBytes(ctx, ref)
	if err != nil {
		return nil, err
	}
	rows, err := decodeTable[T](data, ref.Rows)
	if err != nil {
		return nil, &Error{Op: "get", URI: ref.URI, Kind: ErrCorrupt, Cause: err}
	}
	return rows, nil
}

func tableObject[T any](s *Store, key, schema string, rows []T) (object, error) {
	var buf bytes.Buffer
	if err := parquet.Write(&buf, rows, parquet.Compression(&parquet.Zstd)); err != nil {
		return object{}, &Error{Op: "put", URI: s.URI(key), Cause: err}
	}
	return object{
		key: key, contentType: ContentParquet, schema: schema, rows: int64(len(rows)), data: buf.Bytes(),
	}, nil
}

// decodeTable reads a table of so many rows. It turns a panic of the Parquet library, which it raises for some damaged or
// foreign files, into an error.
func decodeTable[T any](data []byte, want int64) (rows []T, err error) {
	defer func() {
		if r := recover(); r != nil {
			rows, err = nil, fmt.Errorf("not a readable Parquet table: %v", r)
		}
	}()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if file.NumRows() != want { // a damaged footer must not decide how much is read
		return nil, fmt.Errorf("the table has %d rows, expected %d", file.NumRows(), want)
	}
	reader := parquet.NewGenericReader[T](file)
	defer func() { _ = reader.Close() }()
	rows = make([]T, 0, want)
	batch := make([]T, 1024)
	for {
		clear(batch)
		n, err := reader.Read(batch)
		rows = append(rows, batch[:n]...)
		switch {
		case errors.Is(err, io.EOF) && int64(len(rows)) == want:
			return rows, nil
		case err != nil:
			return nil, err
		case n == 0 || int64(len(rows)) > want:
			return nil, fmt.Errorf("read %d rows, expected %d", len(rows), want)
		}
	}
}
