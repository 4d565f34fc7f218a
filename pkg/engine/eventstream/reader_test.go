package eventstream

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

type readCase struct {
	name, in string
	want     []textEvent
}

// checkAll reads each case in one piece, byte by byte, and with the end in the last read.
func checkAll(t *testing.T, framing Framing, cases []readCase) {
	t.Helper()
	same := func(r io.Reader) io.Reader { return r }
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, way := range []func(io.Reader) io.Reader{same, iotest.OneByteReader, iotest.DataErrReader} {
				got, err := readAll(NewReader(way(strings.NewReader(c.in)), framing, now))
				require.ErrorIs(t, err, io.EOF)
				require.Equal(t, c.want, got)
			}
		})
	}
}

func one(data string) []textEvent { return []textEvent{{data: data}} }

func TestEventsByTheStandard(t *testing.T) {
	checkAll(t, Events, []readCase{
		{"LF", "data: a\n\ndata: b\n\n", []textEvent{{data: "a"}, {data: "b"}}},
		{"mixed line ends", "data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", []textEvent{{data: "a"}, {data: "b"}, {data: "c"}}},
		{"only one space is dropped", "data:  a\n\n", one(" a")},
		{"joined by LF", "data: a\ndata:\ndata: b\n\n", one("a\n\nb")},
		{"joined by LF across CRLF", "data: a\r\ndata:b\r\ndata\r\n\r\n", one("a\nb\n")},
		{"name", "event: x\ndata: a\n\ndata: b\n\n", []textEvent{{name: "x", data: "a"}, {data: "b"}}},
		{"name between data lines", "data: a\nevent: x\ndata: b\n\n", []textEvent{{name: "x", data: "a\nb"}}},
		{"last name counts", "event: x\nevent: y\ndata: a\n\n", []textEvent{{name: "y", data: "a"}}},
		{"no data, no event", "event: x\n\ndata\n\ndata: a\n\n", one("a")},
		{"unknown fields", "id: 1\nretry: 2\nfoo\nfoo: bar\ndata: a\n\n", one("a")},
		{"byte order mark", "\xEF\xBB\xBFdata: a\n\n", one("a")},
		{"only a first byte order mark", "data: a\n\n\xEF\xBB\xBFdata: b\n\n", one("a")},
		{"half a byte order mark", "\xEF\xBB", nil},
		{"unterminated", "data: a", []textEvent{{data: "a", unterminated: true}}},
		{"unterminated after a line end", "data: a\n", []textEvent{{data: "a", unterminated: true}}},
		{"empty", "", nil},
		{"emoji", "data: 😀\n\n", one("😀")},
	})
}

func TestLinesOfJSON(t *testing.T) {
	checkAll(t, Lines, []readCase{
		{"LF", "{\"a\":1}\n{\"b\":2}\n", []textEvent{{data: `{"a":1}`}, {data: `{"b":2}`}}},
		{"CRLF", "{}\r\n[]\r\n", []textEvent{{data: "{}"}, {data: "[]"}}},
		{"a CR inside is white space", "{\r}\n", one("{\r}")},
		{"blank lines", "\n  \n\r\n{}\n\n", one("{}")},
		{"blank end", "{}\n \t", one("{}")},
		{"no end", "{}\n{", []textEvent{{data: "{}"}, {data: "{", unterminated: true}}},
		{"byte order mark", "\xEF\xBB\xBF{}\n", one("{}")},
		{"not JSON", "oops\n{}\n", []textEvent{{data: "oops"}, {data: "{}"}}},
		{"no server-sent events", "data: {}\n: ping\n", []textEvent{{data: "data: {}"}, {data: ": ping"}}},
		{"empty", "", nil},
	})
}

func TestWholeBody(t *testing.T) {
	long := strings.Repeat("RIFF\n\r\x00", 40<<10)
	checkAll(t, Whole, []readCase{
		{"document", "{\n\"a\":1}\n\n", one("{\n\"a\":1}\n\n")},
		{"longer than any buffer", long, one(long)},
		{"empty", "", nil},
	})
}

func TestALostConnectionKeepsWhatCameBefore(t *testing.T) {
	lost := errors.New("lost")
	for _, framing := range []Framing{Events, Lines, Whole} {
		src := &script{parts: []string{"data: a\n\n", "data: b"}, last: lost}
		r := NewReader(src, framing, src.stamp)
		got, err := readAll(r)
		require.ErrorIs(t, err, lost)
		if framing == Events {
			require.Equal(t, one("a"), got)
			require.Equal(t, int64(len("data: b")), r.Account().Leftover)
		}
		require.Equal(t, 3, r.Last().At.Second())
		_, err = r.Next()
		require.ErrorIs(t, err, lost)
	}
}

func TestASourceWithoutProgressEnds(t *testing.T) {
	idle := readerFunc(func([]byte) (int, error) { return 0, nil })
	_, err := readAll(NewReader(idle, Events, now))
	require.ErrorIs(t, err, io.ErrNoProgress)
}

func TestEndlessEventIsCutOff(t *testing.T) {
	for _, framing := range []Framing{Events, Lines, Whole} {
		endless := readerFunc(func(p []byte) (int, error) { return len(p), nil })
		r := NewReader(endless, framing, now)
		_, err := readAll(r)
		require.ErrorIs(t, err, ErrEventTooLong)
		require.LessOrEqual(t, r.Bytes(), int64(maxBuffer))
		_, err = r.Next()
		require.ErrorIs(t, err, ErrEventTooLong)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Hours of keep-alives and ignored fields without a blank line take no memory.
func TestCommentsTakeNoMemory(t *testing.T) {
	lines := strings.Repeat(": ping\nid: 7\n", 100_000)
	r := NewReader(strings.NewReader(lines+"data: a\n\n"), Events, now)
	got, err := readAll(r)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, one("a"), got)
	require.Equal(t, 100_000, r.Keepalives())
	require.LessOrEqual(t, len(r.buf), busyBuffer)
}

// The time of an event is the time of the read that completed it, taken once per read.
func TestTimeIsTakenAfterTheRead(t *testing.T) {
	src := &script{parts: []string{"data: a\n\ndata", ": b\n\ndata: c\n\n", "data: d\n", "\n"}}
	r := NewReader(src, Events, src.stamp)
	require.Zero(t, r.First())
	var at, read []int
	for {
		ev, err := r.Next()
		if err != nil {
			break
		}
		at, read = append(at, ev.Stamp.At.Second()), append(read, ev.Read)
	}
	require.Equal(t, []int{1, 2, 2, 4}, at)
	require.Equal(t, []int{1, 2, 2, 4}, read)
	require.Equal(t, 1, r.First().At.Second())
	require.Equal(t, 5, r.Last().At.Second())
}

// An event's data can be appended to without harm to what follows it.
func TestDataDoesNotReachIntoTheBuffer(t *testing.T) {
	r := NewReader(strings.NewReader("data: a\n\ndata: b\n\n"), Events, now)
	ev, err := r.Next()
	require.NoError(t, err)
	_ = append(ev.Data, "xxxxxxxxxxxxxx"...)
	ev, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, "b", string(ev.Data))
}

func TestReadingAllocatesOnlyTheBuffer(t *testing.T) {
	body := strings.Repeat("event: chunk\ndata: {\"a\":1}\n\ndata: x\ndata: y\n\n", 1000)
	var src strings.Reader
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		src.Reset(body)
		r := NewReader(&src, Events, now)
		for {
			if _, err := r.Next(); err != nil {
				return
			}
		}
	}), 8.0)
}
