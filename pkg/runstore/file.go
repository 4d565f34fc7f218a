package runstore

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
)

// EachFileRecord gives the requests of a requests.parquet on this machine to do, in batches as EachRecord does. There is no
// manifest to hold them against. A file that is not such a table of schema rawlog.Schema is an error that names the file and
// the first column that is wrong.
func EachFileRecord(path string, do func([]rawlog.Record) error) error {
	file, err := os.Open(path) //nolint:gosec // G304: a person names the file
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := eachContentRecord(file, info.Size(), do); err != nil {
		var own *doError
		if errors.As(err, &own) {
			return own.error
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func eachContentRecord(content io.ReaderAt, size int64, do func([]rawlog.Record) error) error {
	rows, err := checkSchema(content, size)
	if err != nil {
		return err
	}
	return eachRow(content, size, rows, nil, func(rows []rawlog.Record) error {
		if err := do(rows); err != nil {
			return &doError{err}
		}
		return nil
	})
}

// addedLater are columns that the schema had not from its beginning.
var addedLater = map[string]bool{"quality": true}

// checkSchema verifies that a table has the columns of a record, and returns its number of rows. It may lack one that says nothing by
// being null, as that of scores: tables were written before there were any.
func checkSchema(content io.ReaderAt, size int64) (rows int64, err error) {
	defer noPanic(&err)
	file, err := openParquet(content, size)
	if err != nil {
		return 0, err
	}
	if schema, ok := file.Lookup("schema"); ok && schema != rawlog.Schema {
		return 0, fmt.Errorf("a table of schema %s; this version reads %s", schema, rawlog.Schema)
	}
	has := map[string]parquet.Field{}
	for _, f := range file.Schema().Fields() {
		has[f.Name()] = f
	}
	for _, want := range parquet.SchemaOf(rawlog.Record{}).Fields() {
		got, ok := has[want.Name()]
		switch {
		case !ok && want.Optional() && addedLater[want.Name()]:
		case !ok:
			return 0, fmt.Errorf("not a table of schema %s: it has no column %q", rawlog.Schema, want.Name())
		case !got.Leaf() || got.Type().Kind() != want.Type().Kind() || got.Repeated() != want.Repeated():
			return 0, fmt.Errorf("not a table of schema %s: column %q has another type", rawlog.Schema, want.Name())
		}
	}
	return file.NumRows(), nil
}
