package trace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/workload/badfile"
)

// sample is a file of a format and what it says.
type sample struct {
	format swap.TraceFormat
	text   string
	want   []Request
}

var want = []Request{{0, 4808, 10}, {52 * time.Millisecond, 3180, 8}, {1500 * time.Millisecond, 110, 27}}

var samples = map[string]sample{
	"azure": {
		swap.TraceAzure, "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 23:59:59.9799600,4808,10\r\n" +
			"2023-11-17 00:00:00.0319600,3180,8\r\n2023-11-17 00:00:01.4799600,110,27", want,
	},
	"azure of 2024": {
		swap.TraceAzure, "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00+00:00,4808,10\n" +
			"2024-05-10 00:00:00.052000+00:00,3180,8\n2024-05-10 01:00:01.500000+01:00,110,27\n", want,
	},
	"azure of 2025, with a byte order mark": {
		swap.TraceAzure, "\ufeffTIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2024-10-15 00:00:00,0,4808,10\n" +
			"2024-10-15 00:00:00.052,1,3180,8\n2024-10-15 00:00:01.5,0,110,27\n", want,
	},
	"mooncake": {
		swap.TraceMooncake, `{"timestamp": 27, "input_length": 4808, "output_length": 10, "hash_ids": [0, 1, 2]}
{"timestamp": 79, "input_length": 3180, "output_length": 8, "hash_ids": [0, 14]}

{"output_length": 27, "timestamp": 1527.0, "input_length": 110}`, want,
	},
	"mooncake with the time of day": {
		swap.TraceMooncake, `{"timestamp": 1770000000000, "input_length": 4808, "output_length": 10}
{"timestamp": 1770000000052, "input_length": 3180, "output_length": 8}
{"timestamp": 1770000001500, "input_length": 110, "output_length": 27}
`, want,
	},
	"burstgpt": {
		swap.TraceBurstGPT, "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n" +
			"45,GPT-4,1087,0,1087,API log\n", []Request{{0, 472, 18}, {40 * time.Second, 1087, 0}},
	},
	"burstgpt with sessions": {
		swap.TraceBurstGPT, "Timestamp(s),Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n" +
			"0.5,,0.25,ChatGPT,472,18,490,Conversation log\n2,7,1,\"GPT-4, turbo\",1087,3,1090,API log\n",
		[]Request{{0, 472, 18}, {1500 * time.Millisecond, 1087, 3}},
	},
	"vidur": {
		swap.TraceVidur, "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,4808,10\n0.052,3180,8\n1.5,110,27\n", want,
	},
}

// write puts a file where Read can find it.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestFormats(t *testing.T) {
	for name, s := range samples {
		t.Run(name, func(t *testing.T) {
			path := write(t, s.text)
			for _, format := range []swap.TraceFormat{"", s.format} {
				r, err := Read(path, format)
				require.NoError(t, err)
				require.Equal(t, s.format, r.Format)
				require.Equal(t, s.want, r.Requests)
				require.Equal(t, s.want[len(s.want)-1].At, r.Span())
				require.Equal(t, sha256.Sum256([]byte(s.text)), r.SHA256())
				require.Zero(t, r.Backwards)
				require.Zero(t, r.Tick)
			}
		})
	}
	r, err := Read(write(t, samples["burstgpt"].text), "")
	require.NoError(t, err)
	require.Equal(t, 1, r.Unanswered)
}

func TestBackwardTimesAreSortedAndCounted(t *testing.T) {
	r, err := Read(write(t, "arrived_at,num_prefill_tokens,num_decode_tokens\n3,1,1\n1,2,2\n1,3,3\n-2,4,4\n9,5,5\n"), "")
	require.NoError(t, err)
	require.Equal(t, 2, r.Backwards)
	second := time.Second
	require.Equal(t, []Request{{0, 4, 4}, {3 * second, 2, 2}, {3 * second, 3, 3}, {5 * second, 1, 1}, {11 * second, 5, 5}}, r.Requests)
	require.Equal(t, []time.Duration{3 * second, 0, 2 * second, 6 * second}, r.Gaps(nil))
	require.Equal(t, []time.Duration{3 * second, 0, 2 * second, 6 * second, 11 * second / 4}, r.Circle(nil), "closed by a mean gap")
}

// refusals have % where the path is.
var refusals = map[string]struct {
	format swap.TraceFormat
	text   string
	want   string
}{
	"every field of a row": {
		"", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\nx,-5,many\n2,,3000000000\n1e99,1,1\n",
		`%:3: arrived_at: "x" is not a number of seconds
%:3: num_prefill_tokens: -5 tokens: a length is not negative
%:3: num_decode_tokens: "many" is not a number of tokens
%:4: num_prefill_tokens: is missing
%:4: num_decode_tokens: "3000000000" is not a number of tokens
%:5: arrived_at: "1e99" is out of range`,
	},
	"dates": {
		"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n16.11.2023 18:17,1,1\n2023-11-31 00:00:00,1,1\n9999-01-01 00:00:00,1,1\n,1,1\n",
		`%:2: TIMESTAMP: "16.11.2023 18:17" is not a date like 2023-11-16 18:17:03.9799600
%:3: TIMESTAMP: "2023-11-31 00:00:00" is not a date like 2023-11-16 18:17:03.9799600
%:4: TIMESTAMP: "9999-01-01 00:00:00" is out of range
%:5: TIMESTAMP: is missing`,
	},
	"rows that are no rows": {
		"", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1\n1,1,1,1\n2,1\"1,1\n3,1,1\n",
		`%:2: 2 fields, but the header has 3
%:3: 4 fields, but the header has 3
%:4: not CSV: bare " in non-quoted-field`,
	},
	"objects": {
		"mooncake", `{"timestamp": null, "input_length": 1.5}
{"timestamp": [3], "input_length": 1, "output_length": 1}
[1]
{"timestamp": 3,
{"timestamp": "NaN", "input_length": 1, "output_length": 1}`,
		`%:1: timestamp: is missing
%:1: input_length: "1.5" is not a number of tokens
%:1: output_length: is missing
%:2: timestamp: must be a number, not array
%:3: must be a JSON object, not array
%:4: is not a JSON object with numbers: unexpected end of JSON input
%:5: is not a JSON object with numbers: json: invalid number literal, trying to unmarshal "\"NaN\"" into Number`,
	},
	"another format": {
		"vidur", "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n1,1,2,1\n",
		`%:1: arrived_at: the column is missing`,
	},
	"another format with names": {"burstgpt", samples["azure"].text, `%:1: Timestamp or Timestamp(s): the column is missing
%:1: Request tokens: the column is missing
%:1: Response tokens: the column is missing`},
	"no such format": {"csv", "a", `%: the format "csv" is unknown; known are azure, mooncake, burstgpt and vidur`},
	"empty":          {"", " \n", `%: the file is empty`},
	"empty, known":   {"mooncake", "", `%: the file holds no request`},
	"only a header":  {"", "arrived_at,num_prefill_tokens,num_decode_tokens\n", `%: the file holds no request`},
	"too short": {
		"", `{"timestamp": 1, "input_length": 1, "output_length": 1}` + "\n" + `{"timestamp": 999, "input_length": 1, "output_length": 1}`,
		`%: 2 requests over 998ms: a recording spans a second to a year; mooncake times are read as milliseconds`,
	},
	"too long": {
		"", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n31622401,1,1\n",
		`%: 2 requests over 8784h0m1s: a recording spans a second to a year; vidur times are read as seconds`,
	},
	"one request": {
		"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,1,1",
		`%: 1 requests over 0s: a recording spans a second to a year; azure times are read as dates`,
	},
}

func TestRefusals(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			path := write(t, c.text)
			_, err := Read(path, c.format)
			var wrong *badfile.Error
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, strings.ReplaceAll(c.want, "%", path), err.Error())
		})
	}
}

func TestUnknownFirstLines(t *testing.T) {
	for name, text := range map[string]string{
		"lengths only":            "num_prefill_tokens,num_decode_tokens\n1,1\n",
		"prose":                   "Dear diary,\n",
		"Bailian, in seconds":     `{"chat_id": 1, "timestamp": 0.5, "input_length": 1, "output_length": 1}`,
		"another program's":       `{"timestamp_ms": 6011, "prompt_length": 178, "output_length": 8}`,
		"half an object":          `{"timestamp": 1,`,
		"a line that never stops": `{"` + strings.Repeat("x", firstLine),
		"not even CSV":            `a"b`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(write(t, text), "")
			require.ErrorContains(t, err, "the first line is of no known format")
		})
	}
}

func TestProblemsAreBounded(t *testing.T) {
	_, err := Read(write(t, "arrived_at,num_prefill_tokens,num_decode_tokens\n"+strings.Repeat("x,1,1\n", 50)), "")
	var wrong *badfile.Error
	require.ErrorAs(t, err, &wrong)
	require.Len(t, wrong.Problems, 20)
	require.Equal(t, badfile.Problem{Line: 21, Field: "arrived_at", Message: `"x" is not a number of seconds`}, wrong.Problems[19])
	require.Equal(t, 30, wrong.More)
	require.ErrorContains(t, err, "and 30 more")

	long := fmt.Sprintf(`{"timestamp": %s}`, strings.Repeat("1", 50))
	_, err = Read(write(t, long), swap.TraceMooncake)
	require.ErrorContains(t, err, `1: timestamp: "`+strings.Repeat("1", 40)+`…" is out of range`)
	_, err = Read(write(t, "\n"+strings.Repeat(" ", maxLine+1)), swap.TraceMooncake)
	require.ErrorContains(t, err, ":2: the line is longer than 1048576 bytes")
}

func TestFilesThatCannotBeRead(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "absent"), "")
	require.ErrorIs(t, err, os.ErrNotExist)
	broken := errors.New("the disk is broken")
	for _, s := range samples {
		_, err = read(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(s.text))), "trace", s.format)
		require.ErrorIs(t, err, iotest.ErrTimeout)
		_, err = read(iotest.ErrReader(broken), "trace", s.format)
		require.ErrorIs(t, err, broken)
	}
}
