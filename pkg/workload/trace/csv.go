package trace

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/badfile"
)

// layout is the columns of a CSV format. A column may have several names.
type layout struct {
	at, input, output []string
	time              func(string) (time.Duration, error)
}

func layoutOf(format swap.TraceFormat) (layout, bool) {
	switch format {
	case swap.TraceAzure:
		return layout{[]string{"TIMESTAMP"}, []string{"ContextTokens"}, []string{"GeneratedTokens"}, parseDate}, true
	case swap.TraceBurstGPT:
		return layout{[]string{"Timestamp", "Timestamp(s)"}, []string{"Request tokens"}, []string{"Response tokens"}, parseSeconds}, true
	case swap.TraceVidur:
		return layout{[]string{"arrived_at"}, []string{"num_prefill_tokens"}, []string{"num_decode_tokens"}, parseSeconds}, true
	default:
		return layout{}, false
	}
}

// column is where a field is: its name and its index, -1 for nowhere.
type column struct {
	name  string
	index int
}

// columns are those of the time, the input and the output.
type columns [3]column

func (l layout) locate(header []string) columns {
	var found columns
	for i, names := range [][]string{l.at, l.input, l.output} {
		found[i] = column{name: strings.Join(names, " or "), index: -1}
		for j, name := range header {
			if name = strings.TrimSpace(name); slices.Contains(names, name) {
				found[i] = column{name: name, index: j}
				break
			}
		}
	}
	return found
}

// missing names the columns that are nowhere.
func (c columns) missing() (names []string) {
	for _, col := range c {
		if col.index < 0 {
			names = append(names, col.name)
		}
	}
	return names
}

func parseCSV(in *bufio.Reader, l layout, wrong *badfile.Error) ([]Request, error) {
	rows := csv.NewReader(in)
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true
	header, err := nextRow(rows, wrong)
	if err != nil {
		return nil, ignoreEOF(err)
	}
	cols := l.locate(header)
	line, _ := rows.FieldPos(0)
	for _, name := range cols.missing() {
		wrong.Add(line, name, "the column is missing")
	}
	if len(cols.missing()) > 0 {
		return nil, nil
	}
	fields := len(header)
	var requests []Request
	for {
		row, err := nextRow(rows, wrong)
		if err != nil {
			return requests, ignoreEOF(err)
		}
		line, _ := rows.FieldPos(0)
		if len(row) != fields {
			wrong.Add(line, "", "%d fields, but the header has %d", len(row), fields)
			continue
		}
		f := fieldReader{line: line, wrong: wrong}
		requests = append(requests, Request{
			At:     f.time(cols[0].name, row[cols[0].index], l.time),
			Input:  f.length(cols[1].name, row[cols[1].index]),
			Output: f.length(cols[2].name, row[cols[2].index]),
		})
	}
}

// nextRow reports and skips rows that are not CSV.
func nextRow(rows *csv.Reader, wrong *badfile.Error) ([]string, error) {
	for {
		row, err := rows.Read()
		var bad *csv.ParseError
		if !errors.As(err, &bad) {
			return row, err
		}
		wrong.Add(bad.StartLine, "", "not CSV: %s", bad.Err)
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
