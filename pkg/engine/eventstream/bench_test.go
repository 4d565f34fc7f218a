package eventstream

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkReader divides a stream of tokens from memory. The metric x-bare is how many times longer that takes than to find
// the same lines with a bufio.Reader, measured in the same run.
func BenchmarkReader(b *testing.B) {
	const events = 100
	chunk := `{"id":"chatcmpl-9f1c","object":"chat.completion.chunk","created":1755500000,"model":"m",` +
		`"choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}`
	body := []byte(strings.Repeat("data: "+chunk+"\n\n", events))
	var src bytes.Reader
	var reader, bare time.Duration
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		reader = fastest(reader, func() {
			src.Reset(body)
			r := NewReader(&src, Events, now)
			n := 0
			for _, err := r.Next(); err == nil; _, err = r.Next() {
				n++
			}
			require.Equal(b, events, n)
		})
		b.StopTimer()
		bare = fastest(bare, func() {
			src.Reset(body)
			readLines(b, &src)
		})
		b.StartTimer()
	}
	b.ReportMetric(float64(reader.Nanoseconds())/events, "ns/event")
	b.ReportMetric(float64(reader)/float64(bare), "x-bare")
}

// fastest returns the shorter of best and the time of f: what else the machine does only makes it longer.
func fastest(best time.Duration, f func()) time.Duration {
	began := time.Now()
	f()
	if took := time.Since(began); best == 0 || took < best {
		return took
	}
	return best
}

func readLines(b *testing.B, src io.Reader) {
	b.Helper()
	in := bufio.NewReaderSize(src, firstBuffer)
	for {
		if _, err := in.ReadSlice('\n'); err != nil {
			require.ErrorIs(b, err, io.EOF)
			return
		}
	}
}
