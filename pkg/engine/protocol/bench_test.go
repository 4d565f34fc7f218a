package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const contentChunk = `{"id":"chatcmpl-9f1c6a0d2b7e4c58","object":"chat.completion.chunk","created":1755500000,"model":"llama-3.1-8b",` +
	`"choices":[{"index":0,"delta":{"content":"%s"},"logprobs":null,"finish_reason":null}]%s}`

// The benchmarks scan chunks of 200 bytes or more. Their metrics say how many times faster that is than to decode the chunks
// with encoding/json, and how many times slower than to find their lines with a bufio.Reader, all measured in the same run.

func BenchmarkScanChat(b *testing.B) {
	benchmarkScan(b, func(i int) string { return fmt.Sprintf(contentChunk, strings.Repeat("x", 1+i%9), "") })
}

func BenchmarkScanChatRunningUsage(b *testing.B) {
	benchmarkScan(b, func(i int) string {
		return fmt.Sprintf(contentChunk, strings.Repeat("x", 1+i%9), fmt.Sprintf(
			`,"usage":{"prompt_tokens":512,"completion_tokens":%d,"total_tokens":%d}`, i+1, i+513))
	})
}

// Here every chunk differs in more than text and counts, so that each is walked.
func BenchmarkScanChatUnlikeChunks(b *testing.B) {
	benchmarkScan(b, func(i int) string { return fmt.Sprintf(contentChunk, "x", fmt.Sprintf(`,"p":"%05d"`, i)) })
}

func benchmarkScan(b *testing.B, chunk func(i int) string) {
	b.Helper()
	const batch = 100
	var chunks [batch][]byte
	for i := range chunks {
		chunks[i] = []byte(chunk(i))
	}
	stream := bytes.Join(chunks[:], []byte{'\n'})
	scan, decode, lines := fastest{}, fastest{}, fastest{}
	var c Chunk
	s := chat{}.NewScanner(Ask{})
	b.ReportAllocs()
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		scan.time(func() {
			for _, data := range chunks {
				if err := s.Scan(nil, data, &c); err != nil || !c.Token {
					b.Fatal(err)
				}
			}
		})
		b.StopTimer()
		decode.time(func() { decodeChat(b, chunks[:batch/10]) })
		lines.time(func() { splitLines(stream) })
		b.StartTimer()
	}
	b.ReportMetric(float64(scan.took)/batch, "ns/chunk")
	b.ReportMetric(10*float64(decode.took)/float64(scan.took), "x-faster-than-json")
	b.ReportMetric(float64(scan.took)/float64(lines.took), "x-lines")
}

// fastest keeps the shortest of several times: what else the machine does only makes them longer.
type fastest struct{ took time.Duration }

func (m *fastest) time(f func()) {
	began := time.Now()
	f()
	if took := time.Since(began); m.took == 0 || took < m.took {
		m.took = took
	}
}

func decodeChat(b *testing.B, chunks [][]byte) {
	b.Helper()
	for _, data := range chunks {
		var c struct {
			Choices []struct {
				Delta struct {
					Content *string `json:"content"`
				} `json:"delta"`
				FinishReason *string `json:"finish_reason"`
			} `json:"choices"`
			Usage *struct {
				CompletionTokens int `json:"completion_tokens"`
			} `json:"usage"`
		}
		if err := json.Unmarshal(data, &c); err != nil || len(c.Choices) != 1 {
			b.Fatal(err)
		}
	}
}

func splitLines(stream []byte) {
	in := bufio.NewReaderSize(bytes.NewReader(stream), 64<<10)
	for {
		if _, err := in.ReadSlice('\n'); err != nil {
			return
		}
	}
}
