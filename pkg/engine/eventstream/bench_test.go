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
	const events = 1000
	chunk := `{"id":"chatcmpl-9f1c","object":"chat.completion.chunk","created":1755500000,"model":"m",` +
		`"choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}`
	body := []byte(strings.Repeat("data: "+chunk+"\n\n", events))
	var src bytes.Reader
	var bare time.Duration
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		src.Reset(body)
		r := NewReader(&src, Events, now)
		n := 0
		for _, err := r.Next(); err == nil; _, err = r.Next() {
			n++
		}
		require.Equal(b, events, n)

		b.StopTimer()
		src.Reset(body)
		began := time.Now()
		readLines(b, &src)
		bare += time.Since(began)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
	b.ReportMetric(float64(b.Elapsed())/float64(bare), "x-bare")
}

func readLines(b *testing.B, src io.Reader) {
	b.Helper()
	in := bufio.NewReaderSize(src, busyBuffer)
	for {
		if _, err := in.ReadSlice('\n'); err != nil {
			require.ErrorIs(b, err, io.EOF)
			return
		}
	}
}
