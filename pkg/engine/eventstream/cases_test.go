package eventstream

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The T cases are failure stories of other load generators: a framing that made them report a wrong number.

func chunks(frame func(string) string) string {
	return frame(`{"n":1}`) + frame(`{"n":2}`) + frame(`{"n":3}`) + frame("[DONE]")
}

var threeAndDone = []textEvent{{data: `{"n":1}`}, {data: `{"n":2}`}, {data: `{"n":3}`}, {data: "[DONE]"}}

func TestT01NoSpaceAfterData(t *testing.T) {
	checkAll(t, Events, []readCase{{"", chunks(func(p string) string { return "data:" + p + "\n\n" }), threeAndDone}})
}

func TestT02OtherLineEnds(t *testing.T) {
	checkAll(t, Events, []readCase{
		{"CRLF", chunks(func(p string) string { return "data: " + p + "\r\n\r\n" }), threeAndDone},
		{"CR", chunks(func(p string) string { return "data: " + p + "\r\r" }), threeAndDone},
		{"mixed", chunks(func(p string) string { return "data: " + p + "\r\n\r" }), threeAndDone},
	})
}

// A CRLF cut between two reads is one line end, and a lone CR ends a line without waiting for the next byte.
func TestT02LineEndSplitOverReads(t *testing.T) {
	src := &script{parts: []string{"data: a\r", "\n\r", "\ndata: b\r", "\r", "data: c\r\n\r\n"}}
	r := NewReader(src, Events, src.stamp)
	var at []int
	var data []string
	for ev, err := r.Next(); err == nil; ev, err = r.Next() {
		at, data = append(at, ev.Stamp.At.Second()), append(data, string(ev.Data))
	}
	require.Equal(t, []string{"a", "b", "c"}, data)
	require.Equal(t, []int{2, 4, 5}, at)
}

func TestT03KeepAliveComments(t *testing.T) {
	src := &script{parts: []string{": ping\n\n", ": ping\n\n", ":\n\n", ": ping\n\n", "data: a\n\n"}}
	r := NewReader(src, Events, src.stamp)
	ev, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "a", string(ev.Data))
	require.Equal(t, 5, ev.Stamp.At.Second())
	require.Equal(t, 4, r.Keepalives())
}

func TestT04OtherFields(t *testing.T) {
	checkAll(t, Events, []readCase{{
		"", "\xEF\xBB\xBFevent: message\nid: 7\nretry: 3000\ndata: {\"choices\":\ndata: []}\n\n",
		[]textEvent{{name: "message", data: "{\"choices\":\n[]}"}},
	}})
}

// The time of a character is that of its last byte.
func TestT05CharacterSplitOverReads(t *testing.T) {
	src := &script{parts: []string{"data: \xF0", "\x9F\x98\x80\n\n"}}
	ev, err := NewReader(src, Events, src.stamp).Next()
	require.NoError(t, err)
	require.Equal(t, "😀", string(ev.Data))
	require.Equal(t, 2, ev.Stamp.At.Second())
}

func TestT06CoalescedEventsShareTheirRead(t *testing.T) {
	src := &script{parts: []string{strings.Repeat("data: a\n\n", 5), "data: b\n\n"}}
	r := NewReader(src, Events, src.stamp)
	var reads []int
	for ev, err := r.Next(); err == nil; ev, err = r.Next() {
		reads = append(reads, ev.Read)
	}
	require.Equal(t, []int{1, 1, 1, 1, 1, 2}, reads)
}

func TestT07HugeLine(t *testing.T) {
	huge := strings.Repeat("x", 5<<20)
	for _, size := range []string{huge[:300<<10], huge} {
		got, err := readAll(NewReader(strings.NewReader("data: "+size+"\n\ndata: b\n\n"), Events, now))
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, []textEvent{{data: size}, {data: "b"}}, got)
	}
}

// A fast stream is read in large pieces, a slow one keeps the small buffer.
func TestT08BufferGrowsWithTheStream(t *testing.T) {
	body := strings.Repeat("data: "+strings.Repeat("x", 200)+"\n\n", 100_000)
	src := &script{parts: []string{body}}
	got, err := readAll(NewReader(src, Events, src.stamp))
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, got, 100_000)
	require.Less(t, src.reads, len(body)/(busyBuffer-1024)+10)

	slow := &script{parts: strings.SplitAfter(body[:208*100], "\n\n")}
	r := NewReader(slow, Events, slow.stamp)
	_, err = readAll(r)
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, r.buf, firstBuffer)
}
