//go:build endurance && linux

package activities

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	enduranceRequests = 1_000_000
	enduranceTokens   = 50
	enduranceRate     = 3000
	// enduranceMemory is what the load worker's process may hold at its worst.
	enduranceMemory = 300 << 20
	envReciter      = "SWAPGATE_TEST_RECITER"
)

func TestMain(m *testing.M) {
	if os.Getenv(envReciter) != "" {
		recite()
		return
	}
	localtest.Main(m)
}

// A million requests of 50 tokens go through one step: nothing is lost, memory is bounded, and the raw tables are read back
// whole.
func TestEnduranceOfALoadStep(t *testing.T) {
	url := startReciter(t)
	s := newSite(t)
	half := time.Duration(enduranceRequests/2/enduranceRate+1) * time.Second
	s.spec.Baseline.URL, s.spec.Candidate.URL = url, url
	s.spec.Load.Steps = []swap.Step{{Rate: enduranceRate, Hold: swap.Duration(half)}}
	s.spec.Load.Block, s.spec.Load.Settle = swap.Duration(half), 0
	s.spec.Workload.OutputTokens = swap.Lengths{Median: enduranceTokens, Min: enduranceTokens, Max: enduranceTokens}
	s.spec.Workload.RequestTimeout = swap.Duration(5 * time.Second) // what may be in flight must fit the open files

	c := start[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	<-c.ended
	require.NoError(t, c.err)
	var got swap.StepResult
	require.NoError(t, c.value.Get(&got))
	planned := got.Planned.Baseline + got.Planned.Candidate
	require.GreaterOrEqual(t, planned, enduranceRequests*99/100)
	for _, arm := range swap.Arms {
		require.Equal(t, swap.OutcomeCounts{swap.OK: got.Planned.Get(arm)}, got.Outcomes.Get(arm))
	}
	peak := peakMemory(t)
	t.Logf("%d requests, peak of resident memory %d MB, send lateness P99 %s ms, lag P99 %s ms", planned, peak>>20,
		got.Instrument.During.SendLatenessP99MS, got.Instrument.During.LagP99MS)
	require.Less(t, peak, enduranceMemory)

	store := openStore(t, s.spec.Store)
	manifest, err := runstore.ReadManifest(t.Context(), store, got.Manifest)
	require.NoError(t, err)
	read, tokens := 0, int64(0)
	for _, b := range manifest.Blocks {
		require.NoError(t, runstore.EachRecord(t.Context(), store, b, func(rows []rawlog.Record) error {
			for i := range rows {
				read++
				tokens += int64(len(rows[i].ChunkGapsUS) + 1)
			}
			return nil
		}))
	}
	require.Equal(t, planned, read)
	require.Equal(t, int64(planned)*enduranceTokens, tokens)
	t.Logf("read back %d requests and %d token times", read, tokens)
}

func peakMemory(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(status), "VmHWM:")
	require.True(t, found)
	var kb int
	_, err = fmt.Sscan(after, &kb)
	require.NoError(t, err)
	return kb << 10
}

// startReciter runs a server that answers every request with the same text, in a process of its own.
func startReciter(t *testing.T) (url string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), envReciter+"=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return "http://" + strings.TrimSpace(address)
}

func recite() {
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(ln.Addr())
	answer := []byte(recital())
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer func() { _ = conn.Close() }()
			in := bufio.NewReader(conn)
			for {
				req, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, req.Body)
				if _, err := conn.Write(answer); err != nil {
					return
				}
			}
		}()
	}
}

func recital() string {
	var body strings.Builder
	for i := range enduranceTokens {
		fmt.Fprintf(&body, `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,`+
			`"delta":{"content":" word%d"},"finish_reason":null}]}`+"\n\n", i)
	}
	body.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":50}}` +
		"\n\ndata: [DONE]\n\n")
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", body.Len(), body.String())
}
