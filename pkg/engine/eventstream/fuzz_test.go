package eventstream

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// accounted reads a body to its end. After each event every byte must be accounted for.
func accounted(t require.TestingT, src io.Reader, framing Framing, size int) ([]textEvent, Account) {
	r := NewReader(src, framing, now)
	var out []textEvent
	for {
		ev, err := r.Next()
		a := r.Account()
		require.Equal(t, a.Read, a.Data+a.Framing+a.Comments+a.Ignored+a.Leftover)
		require.Equal(t, a.Read, r.Bytes())
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			require.Equal(t, int64(size), a.Read)
			require.Zero(t, a.Leftover)
			return out, a
		}
		out = append(out, textEvent{string(ev.Name), string(ev.Data), ev.Unterminated})
		require.LessOrEqual(t, len(out), size)
	}
}

// reference divides a body the slow way; it also counts the bytes of data without joins.
func reference(in string, framing Framing) (out []textEvent, data int64) {
	if framing == Whole {
		if in == "" {
			return nil, 0
		}
		return one(in), int64(len(in))
	}
	in = strings.TrimPrefix(in, byteOrderMark)
	if framing == Lines {
		return referenceLines(in)
	}
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	var name string
	var values []string
	flush := func(unterminated bool) {
		if joined := strings.Join(values, "\n"); joined != "" {
			out = append(out, textEvent{name, joined, unterminated})
			data += int64(len(joined) - len(values) + 1)
		}
		name, values = "", nil
	}
	lines := strings.Split(in, "\n")
	for i, line := range lines {
		if line == "" && i < len(lines)-1 {
			flush(false)
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			values = append(values, value)
		case "event":
			if name = value; len(name) > maxName {
				name = ""
			}
		}
	}
	flush(true)
	return out, data
}

func referenceLines(in string) (out []textEvent, data int64) {
	lines := strings.SplitAfter(in, "\n")
	for _, line := range lines {
		text, ended := strings.CutSuffix(line, "\n")
		if ended {
			text = strings.TrimSuffix(text, "\r")
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		out = append(out, textEvent{"", text, !ended})
		data += int64(len(text))
	}
	return out, data
}

func checkEverySplit(t require.TestingT, in, cuts []byte, framing Framing) {
	whole, account := accounted(t, bytes.NewReader(in), framing, len(in))
	parts, accountParts := accounted(t, &cutReader{rest: in, sizes: cuts}, framing, len(in))
	require.Equal(t, whole, parts)
	require.Equal(t, account, accountParts)
	want, data := reference(string(in), framing)
	require.Equal(t, want, whole)
	require.Equal(t, data, account.Data)
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"data: {}\n\n", "data:[DONE]\r\n\r\n", ": ping\n\nevent: error\rdata: x\r\r", "\xEF\xBB\xBFdata: a\ndata: b\r\n\r\nid: 1\ndata",
		"{\"a\":1}\n\r\n{}\r\n{", "data: \xF0\x9F\x98\x80\n\n",
	} {
		for _, framing := range []byte{0, 1, 2} {
			f.Add([]byte(seed), []byte{0, 3, 1}, framing)
		}
	}
	f.Fuzz(func(t *testing.T, in, cuts []byte, framing byte) {
		checkEverySplit(t, in, cuts, Framing(framing%3))
	})
}

func TestEventsDoNotDependOnReads(t *testing.T) {
	alphabet := rapid.SampledFrom([]string{"data", ":", " ", "\n", "\r", "\r\n", "event", "x", "\xEF\xBB\xBF", "\xEF", "{}", "é", "\n\n"})
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(alphabet, 0, 60).Draw(t, "in"), "")
		cuts := rapid.SliceOfN(rapid.ByteRange(0, 8), 1, 20).Draw(t, "cuts")
		checkEverySplit(t, []byte(in), cuts, rapid.SampledFrom([]Framing{Events, Lines, Whole}).Draw(t, "framing"))
	})
}
