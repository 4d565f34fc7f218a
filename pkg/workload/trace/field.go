package trace

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/workload/badfile"
)

// fieldReader turns the fields of a line into values. What is wrong is reported, and the value is 0.
type fieldReader struct {
	line  int
	wrong *badfile.Error
}

// length is a number of tokens.
func (f fieldReader) length(name, text string) int {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseInt(text, 10, 32)
	switch {
	case text == "":
		f.wrong.Add(f.line, name, "is missing")
	case err != nil:
		f.wrong.Add(f.line, name, "%s is not a number of tokens", shown(text))
	case n < 0:
		f.wrong.Add(f.line, name, "%d tokens: a length is not negative", n)
	default:
		return int(n)
	}
	return 0
}

// time is a time from any origin. The error of parse completes a sentence that begins with the text.
func (f fieldReader) time(name, text string, parse func(string) (time.Duration, error)) time.Duration {
	text = strings.TrimSpace(text)
	if text == "" {
		f.wrong.Add(f.line, name, "is missing")
		return 0
	}
	at, err := parse(text)
	if err != nil {
		f.wrong.Add(f.line, name, "%s %s", shown(text), err)
	}
	return at
}

// maxTime bounds times, so that the difference of any two is a time.Duration: 146 years on either side of 1970.
const maxTime = 1 << 62

var errRange = errors.New("is out of range")

func parseSeconds(text string) (time.Duration, error) {
	return parseNumber(text, time.Second, errors.New("is not a number of seconds"))
}

func parseMilliseconds(text string) (time.Duration, error) {
	return parseNumber(text, time.Millisecond, errors.New("is not a number of milliseconds"))
}

func parseNumber(text string, unit time.Duration, refusal error) (time.Duration, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) {
		return 0, refusal
	}
	v = math.Round(v * float64(unit))
	if math.Abs(v) >= maxTime {
		return 0, errRange
	}
	return time.Duration(v), nil
}

// parseDate reads 2023-11-16 18:17:03.9799600, with any number of decimals; a zone may follow.
func parseDate(text string) (time.Duration, error) {
	for _, form := range []string{time.DateTime, time.DateTime + "Z07:00"} {
		at, err := time.Parse(form, text)
		if err != nil {
			continue
		}
		if seconds := at.Unix(); seconds >= maxTime/int64(time.Second) || seconds <= -maxTime/int64(time.Second) {
			return 0, errRange
		}
		return time.Duration(at.UnixNano()), nil
	}
	return 0, errors.New("is not a date like 2023-11-16 18:17:03.9799600")
}

// shown quotes a value, shortened.
func shown(text string) string {
	const longest = 40
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	return strconv.Quote(text)
}
