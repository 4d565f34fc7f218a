package recorded

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Bounds on what is read: far above real results, far below what would exhaust a machine.
const (
	// MostDocumentBytes bounds a JSON document, which is held in memory.
	MostDocumentBytes = 256 << 20
	// MostLineBytes bounds one line of JSON lines; MostRequests the requests of a run.
	MostLineBytes = 16 << 20
	MostRequests  = 2_000_000
	mostSeconds   = 1e7
	mostTokens    = 1 << 30
)

// ReadDocument reads a JSON document into v and returns the hash of its bytes.
func ReadDocument(file string, r io.Reader, v any) (sha256Hex string, err error) {
	data, err := io.ReadAll(io.LimitReader(r, MostDocumentBytes+1))
	if err != nil {
		return "", Fault(file, "", "cannot be read: %v", err)
	}
	if len(data) > MostDocumentBytes {
		return "", Fault(file, "leave the texts of answers out when recording", "is larger than %d MB", MostDocumentBytes>>20)
	}
	if err := Packed(file, data); err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), decode(file, 1, bytes.TrimPrefix(data, byteOrderMark), v)
}

// byteOrderMark is what some editors put before UTF-8; it says nothing.
var byteOrderMark = []byte("\ufeff")

// Packed refuses the beginning of a file that is empty or compressed, and says what to do.
func Packed(file string, data []byte) error {
	switch {
	case len(bytes.TrimSpace(bytes.TrimPrefix(data, byteOrderMark))) == 0:
		return Fault(file, "was the tool stopped, or the file not copied whole?", "is empty")
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return Fault(file, "decompress it: gunzip FILE", "is compressed with gzip")
	}
	return nil
}

// SkipMark leaves out a byte order mark.
func SkipMark(r io.Reader) *bufio.Reader {
	buffered := bufio.NewReader(r)
	if start, err := buffered.Peek(len(byteOrderMark)); err == nil && bytes.Equal(start, byteOrderMark) {
		_, _ = buffered.Discard(len(byteOrderMark)) // what was peeked is there
	}
	return buffered
}

// EachLine gives the lines of a file of JSON lines to do, empty ones left out, and returns the hash of its bytes.
func EachLine(file string, r io.Reader, do func(line int, data []byte) error) (sha256Hex string, err error) {
	sum := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(r, sum))
	lines.Buffer(make([]byte, 0, 64<<10), MostLineBytes)
	n := 0
	for lines.Scan() {
		n++
		if text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), byteOrderMark)); len(text) > 0 {
			if err := do(n, text); err != nil {
				return "", err
			}
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return "", Fault(file, "", "line %d is longer than %d MB", n+1, MostLineBytes>>20)
	} else if err != nil {
		return "", Fault(file, "", "cannot be read: %v", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// DecodeLine decodes one line of JSON lines.
func DecodeLine(file string, line int, data []byte, v any) error { return decode(file, line, data, v) }

func decode(file string, firstLine int, data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	p := NewProblems(file)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		p.Line = firstLine + lineOf(data, syntax.Offset)
		p.Add("", syntaxNext(data, syntax.Offset), "is not JSON: %v", syntax)
	case errors.As(err, &kind):
		p.Line = firstLine + lineOf(data, kind.Offset)
		p.Add(kind.Field, "give the file as the tool wrote it", "is %s, but should be %s", kind.Value, plainType(kind.Type.Kind().String()))
	default:
		p.Line = firstLine
		p.Add("", "", "cannot be read: %v", err)
	}
	return p.Err()
}

// plainType names a Go kind as JSON does.
func plainType(kind string) string {
	switch kind {
	case "float64", "int", "int32", "int64", "uint64":
		return "a number"
	case "string":
		return "a string"
	case "slice":
		return "a list"
	case "struct", "map":
		return "an object"
	case "bool":
		return "true or false"
	}
	return kind
}

func lineOf(data []byte, offset int64) int {
	return bytes.Count(data[:min(int64(len(data)), max(0, offset))], []byte("\n"))
}

// syntaxNext knows what most often makes a result no JSON.
func syntaxNext(data []byte, offset int64) string {
	at := data[min(int64(len(data)), max(0, offset-1)):]
	switch {
	case bytes.HasPrefix(at, []byte("N")), bytes.HasPrefix(at, []byte("I")):
		return "the tool wrote NaN or Infinity, which is no JSON: record the run again, or replace it by null"
	case len(at) == 0 || offset >= int64(len(data)):
		return "the file ends too early: was the tool stopped, or the file not copied whole?"
	}
	return "give the file as the tool wrote it"
}

// Seconds reads an optional time in seconds, as ms. A time that cannot be is a problem of its field.
func (p *Problems) Seconds(field string, s *float64) swap.Value { return p.scaled(field, s, 1e3) }

// Millis reads an optional time in ms.
func (p *Problems) Millis(field string, ms *float64) swap.Value { return p.scaled(field, ms, 1) }

func (p *Problems) scaled(field string, v *float64, toMS float64) swap.Value {
	if v == nil {
		return swap.Absent()
	}
	ms := *v * toMS
	if math.IsNaN(ms) || ms < 0 || ms > mostSeconds*1e3 {
		p.Add(field, "record the run again: its clock cannot be trusted", "%g is no length of time", *v)
		return swap.Absent()
	}
	return swap.Of(ms)
}

// Tokens reads an optional count.
func (p *Problems) Tokens(field string, n *float64) swap.Value {
	if n == nil {
		return swap.Absent()
	}
	if !(*n >= 0 && *n <= mostTokens) || *n != math.Trunc(*n) {
		p.Add(field, "", "%g is no number of tokens", *n)
		return swap.Absent()
	}
	return swap.Of(*n)
}

// Clock reads a time on any clock, in seconds.
func (p *Problems) Clock(field string, s *float64) swap.Value {
	if s == nil {
		return swap.Absent()
	}
	if math.IsNaN(*s) || math.Abs(*s) > 1e12 {
		p.Add(field, "", "%g is no time in seconds", *s)
		return swap.Absent()
	}
	return swap.Of(*s)
}

// Positive reads a number above 0, such as a duration or a rate; anything else is absent.
func Positive(v *float64) swap.Value {
	if v == nil || !(*v > 0) || math.IsInf(*v, 0) {
		return swap.Absent()
	}
	return swap.Of(*v)
}

// Field is such as requests[3].ttft.
func Field(list string, i int, name string) string { return fmt.Sprintf("%s[%d].%s", list, i, name) }
