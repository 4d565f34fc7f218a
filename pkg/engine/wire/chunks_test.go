package wire

import (
	"bytes"
	"errors"
	"io"
	"net/http/httputil"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// dechunk takes the encoding off a body that comes in pieces of a size.
func dechunk(body []byte, size int) (data []byte, left int, over bool, err error) {
	var c chunks
	for at := 0; at < len(body); {
		piece := bytes.Clone(body[at:min(len(body), at+size)])
		n, used, over, err := c.strip(piece)
		data, at = append(data, piece[:n]...), at+used
		if over || err != nil {
			return data, len(body) - at, over, err
		}
	}
	return data, 0, false, nil
}

func TestChunks(t *testing.T) {
	for _, c := range []struct {
		name, body, data string
		left             int
		fails            error
	}{
		{"one", "3\r\nabc\r\n0\r\n\r\n", "abc", 0, nil},
		{"several", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde", 0, nil},
		{"hex of both cases", "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n", "01234567890123456789a", 0, nil},
		{"an extension", "3;name=\"v\"\r\nabc\r\n0;x\r\n\r\n", "abc", 0, nil},
		{"blanks after the length", "3 \t\r\nabc\r\n0\r\n\r\n", "abc", 0, nil},
		{"a trailer", "3\r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\n", "abc", 0, nil},
		{"data that look like framing", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n", 0, nil},
		{"bytes that nobody asked for", "3\r\nabc\r\n0\r\n\r\nHTTP/1.1", "abc", 8, nil},
		{"no length", "\r\nabc", "", 0, errChunkSize},
		{"another sign", "3x\r\nabc", "", 0, errChunkSize},
		{"a digit after a blank", "3 3\r\nabc", "", 0, errChunkSize},
		{"a negative length", "-3\r\nabc", "", 0, errChunkSize},
		{"a length of 17 digits", "00000000000000003\r\nabc", "", 0, errChunkSize},
		{"a length beyond all numbers", "ffffffffffffffff\r\nabc", "", 0, errChunkSize},
		{"a bare LF", "3\nabc", "", 0, errChunkSize},
		{"a bare LF after an extension", "3;x\nabc", "", 0, errChunkEnd},
		{"a bare CR", "3\rabc", "", 0, errChunkEnd},
		{"a chunk that is longer than it says", "3\r\nabcd\r\n", "abc", 0, errChunkEnd},
		{"an endless line", "3;" + strings.Repeat("x", 5000), "", 0, errChunkLine},
		{"an endless trailer", "0\r\n" + strings.Repeat("a: b\r\n", 1000), "", 0, errTrailer},
		{"more extension than data", strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\na\r\n", 30), "", 0, errChunkOverhead},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 4, 5, 6, 7, 8, 100, 1 << 20} {
				data, left, over, err := dechunk([]byte(c.body), size)
				require.ErrorIs(t, err, c.fails)
				require.Equal(t, c.fails == nil, over)
				if !errors.Is(err, errChunkOverhead) {
					require.Equal(t, c.data, string(data))
				}
				if over {
					require.Equal(t, c.left, left)
				}
			}
		})
	}
}

func TestABodyThatIsCutOff(t *testing.T) {
	whole := "3\r\nabc\r\n0\r\nA: b\r\n\r\n"
	for cut := range len(whole) {
		_, _, over, err := dechunk([]byte(whole[:cut]), 7)
		require.NoError(t, err)
		require.False(t, over, whole[:cut])
	}
}

// What net/http reads, in whatever pieces it comes, is read here too; what it refuses is refused.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nA: b\r\n\r\n"), 3)
	f.Add([]byte("1 \r\na\r\nffff\r\n"), 1)
	f.Add([]byte("0\r\n\r\n"), 100)
	f.Fuzz(func(t *testing.T, body []byte, size int) {
		size = max(1, size)
		data, left, over, err := dechunk(body, size)
		require.LessOrEqual(t, len(data)+left, len(body))
		peer, peerErr := io.ReadAll(iotest.OneByteReader(httputil.NewChunkedReader(bytes.NewReader(body))))
		require.Equal(t, string(peer), string(data))
		switch {
		case peerErr == nil: // it leaves the trailer alone
			require.True(t, over || err == nil || errors.Is(err, errTrailer) || errors.Is(err, errChunkEnd))
		case errors.Is(peerErr, io.ErrUnexpectedEOF):
			require.False(t, over)
		default:
			require.Error(t, err)
		}
	})
}
