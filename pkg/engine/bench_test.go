package engine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

// BenchmarkReading reads the same stream of tokens as the client does and as a bare reader of lines does, from memory. The
// metric x-bare is how many times longer the client takes than the bare reader.
func BenchmarkReading(b *testing.B) {
	const tokens = 1000
	body := []byte(strings.Repeat("data: "+stub{}.payload(scriptOp{"C", " token"})+"\n\n", tokens) + "data: [DONE]\n\n")
	bare := func() { readBare(b, bytes.NewReader(body)) }
	client := func() {
		var o Observation
		t := transcript{o: &o, gaps: make([]int64, 0, tokens)}
		require.NoError(b, t.read(newEventReader(bytes.NewReader(body), time.Now)))
		require.Equal(b, tokens, o.Chunks)
	}
	bareNS := perToken(bare, tokens)
	b.ReportAllocs()
	for b.Loop() {
		client()
	}
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / tokens
	b.ReportMetric(ns, "ns/token")
	b.ReportMetric(1e9/ns, "tokens/s")
	b.ReportMetric(ns/bareNS, "x-bare")
}

func readBare(b *testing.B, src io.Reader) {
	b.Helper()
	in := bufio.NewReaderSize(src, firstBuffer)
	for {
		if _, err := in.ReadSlice('\n'); err != nil {
			require.ErrorIs(b, err, io.EOF)
			return
		}
	}
}

func perToken(read func(), tokens int) float64 {
	const rounds = 20
	began := time.Now()
	for range rounds {
		read()
	}
	return float64(time.Since(began).Nanoseconds()) / rounds / float64(tokens)
}

// BenchmarkTimestamps streams tokens over the loopback from a server that writes its own clock into each of them. The
// metrics are what the client's time of arrival is behind the server's time of writing, in µs, for the client and for a
// bare reader of the same socket; x-bare is the ratio of the medians.
func BenchmarkTimestamps(b *testing.B) {
	epoch := time.Now()
	addr := startTruthServer(b, epoch)
	var client, bare []float64
	for b.Loop() {
		client = append(client, clientErrors(b, addr, epoch)...)
		bare = append(bare, bareErrors(b, addr, epoch)...)
	}
	slices.Sort(client)
	slices.Sort(bare)
	at := func(x []float64, p float64) float64 { return x[int(p*float64(len(x)-1))] }
	b.ReportMetric(at(client, 0.5), "client-p50-µs")
	b.ReportMetric(at(client, 0.99), "client-p99-µs")
	b.ReportMetric(at(bare, 0.5), "bare-p50-µs")
	b.ReportMetric(at(bare, 0.99), "bare-p99-µs")
	b.ReportMetric(at(client, 0.5)/at(bare, 0.5), "x-bare")
}

const (
	truthTokens   = 100
	truthInterval = 5 * time.Millisecond
)

// startTruthServer answers every request with tokens that carry the nanoseconds since epoch at which they were written, in
// the field created.
func startTruthServer(b *testing.B, epoch time.Time) string {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range truthTokens {
			time.Sleep(truthInterval)
			_, _ = fmt.Fprintf(w, "data: {\"created\":%d,\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", time.Since(epoch))
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	b.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// tap copies what the client reads, so that the stamps can be read afterwards.
type tap struct {
	http.RoundTripper
	copied bytes.Buffer
}

func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(resp.Body, &t.copied), resp.Body}
	}
	return resp, err
}

func clientErrors(b *testing.B, addr string, epoch time.Time) []float64 {
	b.Helper()
	c, err := NewClient(Target{URL: "http://" + addr}, ClientOptions{})
	require.NoError(b, err)
	defer c.Close()
	t := &tap{RoundTripper: c.transport}
	c.transport = t
	o := c.Stream(b.Context(), Ask{API: swap.APIChat, MaxTokens: truthTokens})
	require.Equal(b, swap.OK, o.Outcome)
	arrived := []time.Duration{o.First.Sub(epoch)}
	for _, gap := range o.GapsUS {
		arrived = append(arrived, arrived[len(arrived)-1]+time.Duration(gap)*time.Microsecond)
	}
	return behind(b, arrived, stamps(t.copied.String()))
}

func bareErrors(b *testing.B, addr string, epoch time.Time) []float64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	require.NoError(b, err)
	defer conn.Close() //nolint:errcheck // a benchmark
	_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	require.NoError(b, err)
	var arrived, sent []time.Duration
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		at := time.Since(epoch)
		for _, s := range stamps(string(buf[:n])) {
			arrived, sent = append(arrived, at), append(sent, s)
		}
		if err != nil {
			return behind(b, arrived, sent)
		}
	}
}

func stamps(text string) []time.Duration {
	var out []time.Duration
	for _, part := range strings.Split(text, `"created":`)[1:] {
		digits, _, _ := strings.Cut(part, ",")
		if ns, err := strconv.ParseInt(digits, 10, 64); err == nil {
			out = append(out, time.Duration(ns))
		}
	}
	return out
}

func behind(b *testing.B, arrived, sent []time.Duration) []float64 {
	b.Helper()
	require.Len(b, arrived, truthTokens)
	require.Len(b, sent, truthTokens)
	out := make([]float64, truthTokens)
	for i := range out {
		out[i] = float64(arrived[i]-sent[i]) / 1e3
	}
	return out
}
