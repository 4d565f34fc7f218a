package trace

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/badfile"
)

const (
	minSpan = time.Second
	maxSpan = 366 * 24 * time.Hour
)

// Read reads a recording. Without a format it is recognised from the first line. The formats and the units of their times:
//
//   - azure: CSV with TIMESTAMP (date and time of day), ContextTokens and GeneratedTokens
//   - mooncake: JSON Lines with timestamp (milliseconds), input_length and output_length
//   - burstgpt: CSV with Timestamp or Timestamp(s) (seconds), Request tokens and Response tokens
//   - vidur: CSV with arrived_at (seconds), num_prefill_tokens and num_decode_tokens
//
// Further columns and keys are ignored. What is wrong with the contents of the file is a *badfile.Error. Times that go backwards are
// no error but sorted and counted; a recording of less than a second or more than a year is one, as its unit cannot be right.
func Read(path string, format swap.TraceFormat) (*Recording, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("open the trace: %w; it must be on the load worker", err)
	}
	defer f.Close() //nolint:errcheck // only read from
	return read(f, path, format)
}

func read(src io.Reader, path string, format swap.TraceFormat) (*Recording, error) {
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(src, sum), firstLine)
	start, err := peek(in)
	if err != nil {
		return nil, fmt.Errorf("read the trace %s: %w", path, err)
	}
	wrong := &badfile.Error{Path: path}
	if format == "" {
		if format = recognise(start, wrong); format == "" {
			return nil, wrong
		}
	}
	requests, err := parse(in, format, wrong)
	if err != nil {
		return nil, fmt.Errorf("read the trace %s: %w", path, err)
	}
	if err := wrong.OrNil(); err != nil {
		return nil, err
	}
	r := arrange(requests, format)
	r.check(wrong)
	if err := wrong.OrNil(); err != nil {
		return nil, err
	}
	sum.Sum(r.sha256[:0])
	return r, nil
}

// parse reads requests in the order of the file, with times from any origin. What is wrong with them goes to wrong; the error
// is one of reading.
func parse(in *bufio.Reader, format swap.TraceFormat, wrong *badfile.Error) ([]Request, error) {
	if format == swap.TraceMooncake {
		return parseMooncake(in, wrong)
	}
	layout, known := layoutOf(format)
	if !known {
		wrong.Add(0, "", "the format %q is unknown; known are azure, mooncake, burstgpt and vidur", format)
		return nil, nil
	}
	return parseCSV(in, layout, wrong)
}

// arrange sorts requests, and lets time begin with the first.
func arrange(requests []Request, format swap.TraceFormat) *Recording {
	r := &Recording{Format: format, Requests: requests}
	for i, q := range requests {
		if i > 0 && q.At < requests[i-1].At {
			r.Backwards++
		}
		if q.Output == 0 {
			r.Unanswered++
		}
	}
	if r.Backwards > 0 {
		slices.SortStableFunc(requests, func(a, b Request) int { return cmp.Compare(a.At, b.At) })
	}
	if len(requests) > 0 {
		first := requests[0].At
		for i := range requests {
			requests[i].At -= first
		}
	}
	r.Tick = detectTick(requests)
	return r
}

func (r *Recording) check(wrong *badfile.Error) {
	if len(r.Requests) == 0 {
		wrong.Add(0, "", "the file holds no request")
		return
	}
	if span := r.Span(); span < minSpan || span > maxSpan {
		wrong.Add(0, "", "%d requests over %s: a recording spans a second to a year; %s times are read as %s",
			len(r.Requests), span, r.Format, unitOf(r.Format))
	}
}

func unitOf(format swap.TraceFormat) string {
	switch format {
	case swap.TraceAzure:
		return "dates"
	case swap.TraceMooncake:
		return "milliseconds"
	default:
		return "seconds"
	}
}
