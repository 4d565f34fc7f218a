package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"

	"github.com/swapgate/swapgate/pkg/workload/badfile"
)

// The keys of a Mooncake request.
const (
	timestampKey = "timestamp"
	inputKey     = "input_length"
	outputKey    = "output_length"
)

// maxLine is the longest line that is read, in bytes: room for the hashes of a prompt of a million tokens.
const maxLine = 1 << 20

func parseMooncake(in *bufio.Reader, wrong *badfile.Error) ([]Request, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	var requests []Request
	line := 0
	for lines.Scan() {
		line++
		if text := bytes.TrimSpace(lines.Bytes()); len(text) > 0 {
			requests = append(requests, parseMooncakeLine(text, fieldReader{line: line, wrong: wrong}))
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		wrong.Add(line+1, "", "the line is longer than %d bytes", maxLine)
		return nil, nil
	}
	return requests, lines.Err()
}

func parseMooncakeLine(text []byte, f fieldReader) Request {
	var row struct {
		Timestamp json.Number `json:"timestamp"`
		Input     json.Number `json:"input_length"`
		Output    json.Number `json:"output_length"`
	}
	if err := json.Unmarshal(text, &row); err != nil {
		f.reportJSON(err)
		return Request{}
	}
	return Request{
		At:     f.time(timestampKey, string(row.Timestamp), parseMilliseconds),
		Input:  f.length(inputKey, string(row.Input)),
		Output: f.length(outputKey, string(row.Output)),
	}
}

func (f fieldReader) reportJSON(err error) {
	var mistyped *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mistyped) && mistyped.Field != "":
		f.wrong.Add(f.line, mistyped.Field, "must be a number, not %s", mistyped.Value)
	case errors.As(err, &mistyped):
		f.wrong.Add(f.line, "", "must be a JSON object, not %s", mistyped.Value)
	default:
		f.wrong.Add(f.line, "", "is not a JSON object with numbers: %s", err)
	}
}
