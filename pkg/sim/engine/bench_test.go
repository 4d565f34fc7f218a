package engine

import (
	"bufio"
	"fmt"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// BenchmarkEngine sends streamed requests of 16 tokens with a prompt of 200, twenty at a time, and
// reports the processor time of server and client together.
func BenchmarkEngine(b *testing.B) {
	cfg := Default()
	cfg.Cold = ColdStart{}
	e, err := New(cfg)
	require.NoError(b, err)
	defer e.Close()
	srv := httptest.NewServer(e)
	defer srv.Close()
	before := cpuSeconds(b)
	b.ResetTimer()
	var clients sync.WaitGroup
	const concurrency = 20
	for client := range concurrency {
		clients.Go(func() {
			for i := client; i < b.N; i += concurrency {
				streamOnce(b, srv.Listener.Addr().String(), i)
			}
		})
	}
	clients.Wait()
	b.ReportMetric((cpuSeconds(b)-before)*1e3/float64(b.N), "cpu-ms/req")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
	var lags []int64
	for _, t := range e.Truth(0).Requests {
		lags = append(lags, t.LagUS)
	}
	slices.Sort(lags)
	b.ReportMetric(float64(lags[len(lags)/2]), "p50-lag-us")
	b.ReportMetric(float64(lags[len(lags)*99/100]), "p99-lag-us")
}

// streamOnce is a client that costs next to nothing: it counts lines until the terminator.
func streamOnce(b *testing.B, addr string, i int) {
	b.Helper()
	conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", addr)
	if err != nil {
		b.Error(err)
		return
	}
	defer func() { _ = conn.Close() }()
	body := strings.Replace(chat(fmt.Sprint("w", i), 200, 16), `"model":"m"`, `"model":"demo-8b","ignore_eos":true`, 1)
	_, err = fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if err != nil {
		b.Error(err)
		return
	}
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		if lines.Text() == "data: [DONE]" {
			return
		}
	}
	b.Errorf("request %d ended without its terminator: %v", i, lines.Err())
}

func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var usage unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
