package engine

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type textEvent struct{ name, data string }

// readEvents reads everything from src.
func readEvents(src io.Reader) ([]textEvent, error) {
	r := newEventReader(src, time.Now)
	var out []textEvent
	for {
		ev, err := r.next()
		if err != nil {
			return out, err
		}
		out = append(out, textEvent{string(ev.name), string(ev.data)})
	}
}

func TestEventsByTheStandard(t *testing.T) {
	cases := []struct {
		name, in string
		want     []textEvent
	}{
		{"LF", "data: a\n\ndata: b\n\n", []textEvent{{"", "a"}, {"", "b"}}},
		{"mixed line ends", "data: a\r\n\r\ndata: b\r\rdata: c\n\r\n", []textEvent{{"", "a"}, {"", "b"}, {"", "c"}}},
		{"only one space is dropped", "data:  a\n\n", []textEvent{{"", " a"}}},
		{"joined by LF", "data: a\ndata:\ndata: b\n\n", []textEvent{{"", "a\n\nb"}}},
		{"name", "event: x\ndata: a\n\ndata: b\n\n", []textEvent{{"x", "a"}, {"", "b"}}},
		{"no data, no event", "event: x\n\ndata\n\ndata: a\n\n", []textEvent{{"", "a"}}},
		{"unknown fields", "id: 1\nretry: 2\nfoo\nfoo: bar\ndata: a\n\n", []textEvent{{"", "a"}}},
		{"byte order mark", "\xEF\xBB\xBFdata: a\n\n", []textEvent{{"", "a"}}},
		{"only a first byte order mark", "data: a\n\n\xEF\xBB\xBFdata: b\n\n", []textEvent{{"", "a"}}},
		{"unterminated at the end", "data: a", []textEvent{{"", "a"}}},
		{"empty", "", nil},
		{"emoji", "data: 😀\n\n", []textEvent{{"", "😀"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			same := func(r io.Reader) io.Reader { return r }
			for _, way := range []func(io.Reader) io.Reader{same, iotest.OneByteReader, iotest.DataErrReader} {
				got, err := readEvents(way(strings.NewReader(c.in)))
				require.ErrorIs(t, err, io.EOF)
				require.Equal(t, c.want, got)
			}
		})
	}
}

func TestALineHasNoLimit(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	got, err := readEvents(strings.NewReader("data: " + long + "\n\n"))
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, got, 1)
	require.Len(t, got[0].data, len(long))
}

func TestEndlessEventIsCutOff(t *testing.T) {
	_, err := readEvents(io.MultiReader(strings.NewReader("data: "), endless{}))
	require.ErrorIs(t, err, errEventTooLong)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestALostConnectionKeepsWhatCameBefore(t *testing.T) {
	lost := errors.New("lost")
	got, err := readEvents(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(lost)))
	require.ErrorIs(t, err, lost)
	require.Equal(t, []textEvent{{"", "a"}}, got)
}

// The time of an event is the time of the read that completed it, taken once per read.
func TestTimeIsTakenAfterTheRead(t *testing.T) {
	var now time.Time
	reads := &scripted{parts: []string{"data: a\n\ndata", ": b\n\ndata: c\n\n"}}
	reads.before = func() { now = now.Add(time.Second) }
	r := newEventReader(reads, func() time.Time { return now })
	var at, read []int
	for {
		ev, err := r.next()
		if err != nil {
			break
		}
		at, read = append(at, ev.at.Second()), append(read, ev.read)
	}
	require.Equal(t, []int{1, 2, 2}, at)
	require.Equal(t, []int{1, 2, 2}, read)
}

type scripted struct {
	parts  []string
	before func()
}

func (s *scripted) Read(p []byte) (int, error) {
	s.before()
	if len(s.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.parts[0])
	s.parts = s.parts[1:]
	return n, nil
}

// However a body is cut into reads, the events are the same.
func TestEventsDoNotDependOnReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringOfN(rapid.SampledFrom([]rune("data: \n\r\xEF\xBB\xBFe:vx")), 0, 200, -1).Draw(t, "in")
		whole, errWhole := readEvents(strings.NewReader(in))
		cut := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 20).Draw(t, "cut")
		parts, errParts := readEvents(&cutReader{rest: []byte(in), sizes: cut})
		require.Equal(t, whole, parts)
		require.Equal(t, errWhole, errParts)
	})
}

type cutReader struct {
	rest  []byte
	sizes []int
	i     int
}

func (c *cutReader) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.rest[:min(len(c.rest), c.sizes[c.i%len(c.sizes)])])
	c.rest, c.i = c.rest[n:], c.i+1
	return n, nil
}

func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: {}\n\n", "data:[DONE]\r\n\r\n", ": ping\n\nevent: error\rdata: x\r\r", "\xEF\xBBdata: a"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := readEvents(bytes.NewReader(in))
		require.ErrorIs(t, err, io.EOF)
		slow, err := readEvents(iotest.OneByteReader(bytes.NewReader(in)))
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, whole, slow)
	})
}
