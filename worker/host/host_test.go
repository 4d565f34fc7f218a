package host

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/swapgate/swapgate/activities"
	"github.com/swapgate/swapgate/pkg/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

func TestParseOptions(t *testing.T) {
	o, err := ParseOptions([]string{"--role", "control, gpu", "--gpu-host", "h1", "--health", "", "--log", "text"}, io.Discard)
	require.NoError(t, err)
	require.True(t, o.Has(RoleControl))
	require.True(t, o.Has(RoleGPU))
	require.False(t, o.Has(RoleLoad))
	require.Equal(t, "h1", o.GPUHost)
	require.False(t, o.LogJSON)

	fixed, err := ParseOptions([]string{
		"--shard-listen", ":8090", "--shard-advertise", "10.1.2.3", "--shard-join-timeout", "5s",
	}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, activities.Shards{Listen: ":8090", Advertise: "10.1.2.3", JoinWithin: 5 * time.Second}, fixed.Shards)

	all, err := ParseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.True(t, all.Has(RoleLoad))
	require.Equal(t, activities.Shards{Listen: ":0", JoinWithin: 2 * time.Minute}, all.Shards)
}

func TestParseOptionsReportsEveryProblemAtOnce(t *testing.T) {
	_, err := ParseOptions([]string{
		"--role", "cook,gpu", "--gpu-host", "", "--stop-timeout", "-1s", "--shard-listen", "8090", "--shard-join-timeout", "0s",
		"--log", "xml", "extra",
	}, io.Discard)
	require.EqualError(t, err, `--role: "cook" is none of control, load, gpu, all
--gpu-host: this host has no name of its own; give it one
--stop-timeout: must not be negative, got -1s
--shard-listen: must be host:port or :port, got "8090"
--shard-join-timeout: must be positive, got 0s
--log: "xml" is neither json nor text
unexpected arguments: extra`)
	_, err = ParseOptions([]string{"--help"}, io.Discard)
	require.ErrorIs(t, err, flag.ErrHelp)
}

func TestMainExitsByWhatIsWrong(t *testing.T) {
	var said bytes.Buffer
	require.Equal(t, exitUsage, Main(t.Context(), "test", []string{"--role", "cook"}, &said))
	require.Contains(t, said.String(), `"cook" is none of`)
	require.Equal(t, exitOK, Main(t.Context(), "test", []string{"--help"}, io.Discard))
}

func TestWorkerWaitsForAServerThatIsNotThereYet(t *testing.T) {
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
	t.Setenv("TEMPORAL_NAMESPACE", "prod")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("enough"))
	defer cancel()
	_, err := dial(ctx, client.MetricsNopHandler, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "gave up connecting to Temporal at 127.0.0.1:1, namespace prod")
}

func TestTakenHealthAddressIsSaid(t *testing.T) {
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = ln.Close() }()
	err = Run(t.Context(), "test", Options{Health: ln.Addr().String()}, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "choose a free address")
}

// A worker of every role polls a real server, says so, counts its work, and stops when asked.
func TestRunPollsUntilItIsStopped(t *testing.T) {
	server := localtest.Temporal(t)
	t.Setenv("TEMPORAL_ADDRESS", server.Address())
	t.Setenv("TEMPORAL_NAMESPACE", server.Namespace())
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := ln.Addr().String()
	require.NoError(t, ln.Close())

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, "test", Options{Roles: []Role{RoleAll}, Health: address, GPUHost: "h1"}, slog.New(slog.DiscardHandler))
	}()
	require.Eventually(t, func() bool { return get(t, address, "/readyz") == http.StatusOK }, 30*time.Second, 20*time.Millisecond)
	require.Equal(t, http.StatusOK, get(t, address, "/healthz"))
	require.Equal(t, http.StatusOK, get(t, address, "/metrics"))
	stop()
	require.NoError(t, <-ended)
}

func TestNotReadyBeforeItPolls(t *testing.T) {
	require.EqualError(t, (&health{}).check(t.Context()), "not polling yet")
}

// get returns the status of a page, or 0 if nobody answers.
func get(t *testing.T, address, path string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, http.NoBody)
	require.NoError(t, err)
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}
