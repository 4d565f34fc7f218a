package runstore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

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

// rowsPerWrite bounds a page: the Parquet library looks at the size of a page only between writes.
const rowsPerWrite = 128

// tableOptions are those of every table: integers as differences (times and counts of neighbours are alike), small pages (a
// writer holds one for each column) and the schema's name in the file itself.
func tableOptions(schema string) []parquet.WriterOption {
	return []parquet.WriterOption{
		parquet.Compression(&parquet.Zstd),
		parquet.DefaultEncodingFor(parquet.Int32, &parquet.DeltaBinaryPacked),
		parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked),
		parquet.PageBufferSize(64 << 10),
		parquet.KeyValueMetadata("schema", schema),
	}
}

func tableObject[T any](s *Store, key, schema string, rows []T) (object, error) {
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[T](&buf, tableOptions(schema)...)
	err := writeRows(w, rows)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return object{}, &Error{Op: "put", URI: s.URI(key), Cause: err}
	}
	return object{
		key: key, contentType: ContentParquet, schema: schema, rows: int64(len(rows)), data: buf.Bytes(),
	}, nil
}

func writeRows[T any](w *parquet.GenericWriter[T], rows []T) error {
	for part := range slices.Chunk(rows, rowsPerWrite) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// decodeTable reads a table of so many rows.
func decodeTable[T any](data []byte, want int64) ([]T, error) {
	t, err := openTable[T](bytes.NewReader(data), int64(len(data)), want, nil)
	if err != nil {
		return nil, err
	}
	defer t.close()
	rows := make([]T, 0, want)
	for {
		batch, err := t.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, batch...)
	}
}
