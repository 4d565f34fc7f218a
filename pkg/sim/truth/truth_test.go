package truth

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestALogForgetsTheOldest(t *testing.T) {
	l := NewLog(3)
	require.Empty(t, l.Since(0).Requests)
	for seq := range uint64(5) {
		l.Add(Entry{Seq: seq})
	}
	page := l.Since(1)
	require.EqualValues(t, 5, page.Next)
	require.EqualValues(t, 1, page.Dropped)
	require.Len(t, page.Requests, 3)
	require.EqualValues(t, 2, page.Requests[0].Seq)
	require.Empty(t, l.Since(99).Requests)
}

func TestTraceID(t *testing.T) {
	for parent, id := range map[string]string{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": "0af7651916cd43dd8448eb211c80319c",
		"": "", "00": "", "00-abc": "abc",
	} {
		require.Equal(t, id, (&Entry{TraceParent: parent}).TraceID())
	}
}
