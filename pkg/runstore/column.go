package runstore

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
)

// column reads one column of a table into records.
type column interface {
	// open begins a row group. A column that the table lacks gives no values, as in tables of older versions.
	open(group parquet.RowGroup) error
	// read sets the column's field of each of the next rows, rowsPerBatch at most. What a row points to is overwritten by the
	// next call.
	read(rows []rawlog.Record) error
	close()
}

// columnOf is a column of values of one type. It takes them from whole pages, which costs a few nanoseconds a value, where
// reading rows costs about a hundred.
type columnOf[T any] struct {
	name string
	kind parquet.Kind
	// values are those of a page that are not null; into may be used for them.
	values func(page parquet.Page, into []T) []T
	// set sets the field of a record; v is nil for null.
	set func(r *rawlog.Record, v *T)

	missing bool
	pages   parquet.Pages
	page    parquet.Page
	// left of the page: the values that are not null, and, where there are nulls, a level for each row.
	left     []T
	levels   []byte
	optional bool
	decoded  []T
	batch    [rowsPerBatch]T
}

func (c *columnOf[T]) open(group parquet.RowGroup) error {
	c.close()
	leaf, found := group.Schema().Lookup(c.name)
	c.missing = !found
	if c.missing {
		return nil
	}
	if leaf.Node.Type().Kind() != c.kind || leaf.MaxRepetitionLevel > 0 || leaf.MaxDefinitionLevel > 1 {
		return fmt.Errorf("column %q has another type than in schema %s", c.name, rawlog.Schema)
	}
	c.optional = leaf.MaxDefinitionLevel == 1
	c.pages = group.ColumnChunks()[leaf.ColumnIndex].Pages()
	return nil
}

func (c *columnOf[T]) read(rows []rawlog.Record) error {
	for i := range rows {
		v, err := c.next(&c.batch[i])
		if err != nil {
			return fmt.Errorf("column %q: %w", c.name, err)
		}
		c.set(&rows[i], v)
	}
	return nil
}

// next is the value of the next row, copied to place; nil for null.
func (c *columnOf[T]) next(place *T) (*T, error) {
	if c.missing {
		return nil, nil //nolint:nilnil // null is a value
	}
	for len(c.left) == 0 && len(c.levels) == 0 {
		if err := c.turn(); err != nil {
			return nil, err
		}
	}
	if c.optional {
		level := c.levels[0]
		c.levels = c.levels[1:]
		if level == 0 {
			return nil, nil //nolint:nilnil // null is a value
		}
	}
	*place, c.left = c.left[0], c.left[1:]
	return place, nil
}

// turn goes on to the next page.
func (c *columnOf[T]) turn() (err error) {
	parquet.Release(c.page)
	c.page, err = c.pages.ReadPage()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	c.decoded = c.values(c.page, c.decoded[:0])
	c.left, c.levels = c.decoded, nil
	if c.optional {
		c.levels = c.page.DefinitionLevels()
	}
	return nil
}

func (c *columnOf[T]) close() {
	if c.pages == nil {
		return
	}
	parquet.Release(c.page)
	_ = c.pages.Close()
	c.pages, c.page, c.left, c.levels = nil, nil, nil, nil
}

func int32Column(name string, set func(*rawlog.Record, *int32)) column {
	return &columnOf[int32]{name: name, kind: parquet.Int32, set: set, values: func(page parquet.Page, _ []int32) []int32 {
		data := page.Data()
		return data.Int32()
	}}
}

func int64Column(name string, set func(*rawlog.Record, *int64)) column {
	return &columnOf[int64]{name: name, kind: parquet.Int64, set: set, values: func(page parquet.Page, _ []int64) []int64 {
		data := page.Data()
		return data.Int64()
	}}
}

func float64Column(name string, set func(*rawlog.Record, *float64)) column {
	return &columnOf[float64]{name: name, kind: parquet.Double, set: set, values: func(page parquet.Page, into []float64) []float64 {
		data := page.Data()
		if dictionary := page.Dictionary(); dictionary != nil {
			for _, n := range data.Int32() {
				into = append(into, dictionary.Index(n).Double())
			}
			return into
		}
		return data.Double()
	}}
}

func boolColumn(name string, set func(*rawlog.Record, *bool)) column {
	return &columnOf[bool]{name: name, kind: parquet.Boolean, set: set, values: func(page parquet.Page, into []bool) []bool {
		data := page.Data()
		bits := data.Boolean()
		for i := range page.NumValues() - page.NumNulls() {
			into = append(into, bits[i/8]>>(i%8)&1 == 1)
		}
		return into
	}}
}

// nameColumn is a column of text with few different values.
func nameColumn(name string, set func(*rawlog.Record, *string)) column {
	known := map[string]string{}
	intern := func(text []byte) string {
		if s, ok := known[string(text)]; ok {
			return s
		}
		s := string(text)
		if len(known) < mostNames {
			known[s] = s
		}
		return s
	}
	return &columnOf[string]{name: name, kind: parquet.ByteArray, set: set, values: func(page parquet.Page, into []string) []string {
		data := page.Data()
		if dictionary := page.Dictionary(); dictionary != nil {
			return lookUp(dictionary, data.Int32(), into, intern)
		}
		text, offsets := data.ByteArray()
		for i := 1; i < len(offsets); i++ {
			into = append(into, intern(text[offsets[i-1]:offsets[i]]))
		}
		return into
	}}
}

// lookUp appends the names of a dictionary that a page refers to by number.
func lookUp(dictionary parquet.Dictionary, numbers []int32, into []string, intern func([]byte) string) []string {
	names := make([]string, dictionary.Len())
	for i := range names {
		names[i] = intern(dictionary.Index(int32(i)).ByteArray())
	}
	for _, n := range numbers {
		into = append(into, names[n])
	}
	return into
}
