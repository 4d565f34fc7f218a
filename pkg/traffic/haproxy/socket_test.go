package haproxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// fakeSocket answers each connection's line of commands with what reply returns.
func fakeSocket(t *testing.T, reply func(line string) string) *Gateway {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err == nil {
				_, _ = io.WriteString(conn, reply(strings.TrimSuffix(line, "\n")))
			}
			_ = conn.Close()
		}
	})
	g, err := Open(swap.HAProxy{Socket: "unix://" + path, Backend: "llm", Baseline: []string{"b"}, Candidate: []string{"c"}})
	require.NoError(t, err)
	return g
}

const wellInfo = "Name: HAProxy\nPid: 7\nNbproc: 1\nStopping: 0\n\n"

func statOf(baseline, candidate int) string {
	return fmt.Sprintf("# svname,status,weight,uweight,bck,type,algo,throttle\nBACKEND,UP,1,1,0,1,roundrobin,\n"+
		"b,UP,%[1]d,%[1]d,0,2,,\nc,UP,%[2]d,%[2]d,0,2,,\n\n", baseline, candidate)
}

func TestRepliesThatAreNotWhatWasAsked(t *testing.T) {
	const got = "0 (initial 0)\n\n100 (initial 100)\n\n" // the weights as they were read before
	well := wellInfo + statOf(100, 0)
	for name, tc := range map[string]struct {
		info, set string
		want      error
		text      string
	}{
		"hung up":         {"", "", traffic.ErrUnreachable, "hung up after 0 of 2 replies"},
		"cut off":         {wellInfo + "# svname", "", traffic.ErrUnreachable, "hung up after 1 of 2 replies"},
		"stopping":        {strings.Replace(well, "Stopping: 0", "Stopping: 1", 1), "", traffic.ErrUnreachable, "process 7 is stopping"},
		"several":         {strings.Replace(well, "Nbproc: 1", "Nbproc: 4", 1), "", traffic.ErrRefused, "nbthread"},
		"unknown command": {"Unknown command: x\n\n", "", traffic.ErrRefused, "Unknown command"},
		"no statistics":   {wellInfo + "nothing\n\n", "", traffic.ErrRefused, "without column"},
		"another program": {"a: b\n\n\n", "", traffic.ErrRefused, "no runtime socket"},
		"HTTP":            {"HTTP/1.1 400 Bad Request\r\n\r\n", "", traffic.ErrRefused, "speaks HTTP"},
		"may not write":   {well, got + "Permission denied\n\nPermission denied\n\n", traffic.ErrRefused, "level admin"},
		"no such server":  {well, "No such server.\n\n\n\n\n", traffic.ErrRefused, `server c: answered "No such server."`},
		"a setting fails": {well, got + "\nBackend is odd.\n\n", traffic.ErrRefused, "Backend is odd."},
		"another writer":  {well, strings.Replace(got, "100", "70", 1) + "\n\n", traffic.ErrConflict, "server b had weight 70 and not 100"},
		"done but unkept": {well, got + "\n\n", traffic.ErrNotApplied, "wanted baseline 95 / candidate 5, read 100 / 0"},
		"write cut off":   {well, "0 (initial 0)\n", traffic.ErrUnreachable, "hung up after 0 of 4 replies"},
	} {
		t.Run(name, func(t *testing.T) {
			var sets []string
			g := fakeSocket(t, func(line string) string {
				switch {
				case strings.HasPrefix(line, "show info"):
					return tc.info
				case strings.HasPrefix(line, "get weight"):
					return tc.set
				}
				sets = append(sets, line)
				return "\n\n"
			})
			_, err := g.Apply(t.Context(), weights(5))
			require.ErrorIs(t, err, tc.want)
			require.ErrorContains(t, err, tc.text)
			if errors.Is(tc.want, traffic.ErrConflict) {
				require.Equal(t, []string{"set weight llm/c 0;set weight llm/b 70"}, sets, "the other writer's weights are put back")
			}
		})
	}
}

func TestALostReplyIsSettledByReading(t *testing.T) {
	stat := statOf(100, 0)
	g := fakeSocket(t, func(line string) string {
		if strings.HasPrefix(line, "get weight") {
			stat = statOf(95, 5)
			return ""
		}
		return wellInfo + stat
	})
	state, err := g.Apply(t.Context(), weights(5))
	require.NoError(t, err)
	require.Equal(t, weights(5), state.Weights)
}

func TestACancelledCallSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := fakeSocket(t, func(string) string { return "" }).Read(ctx)
	require.ErrorIs(t, err, traffic.ErrUnreachable)
	require.ErrorIs(t, err, context.Canceled)
	_, err = fakeSocket(t, func(string) string { return "" }).Apply(t.Context(), swap.Weights{Baseline: 1, Candidate: 1})
	require.ErrorIs(t, err, traffic.ErrRefused)
}

func TestASocketThatMayNotBeOpenedIsSaidToBeSo(t *testing.T) {
	s := socket{"unix", "/run/admin.sock", swap.HAProxy{Socket: "unix:///run/admin.sock"}}
	err := s.unreachable(t.Context(), &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EACCES)})
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "this worker may not open unix:///run/admin.sock: give its user or group access")
}

func TestManyServersAreSetInSeveralLines(t *testing.T) {
	lines := 0
	g := fakeSocket(t, func(line string) string {
		lines++
		var b strings.Builder
		for command := range strings.SplitSeq(line, ";") {
			if strings.HasPrefix(command, "get") {
				b.WriteString("1 (initial 1)\n")
			}
			b.WriteString("\n")
		}
		return b.String()
	})
	changes := make([]change, 120)
	for i := range changes {
		changes[i] = change{fmt.Sprint("s", i), 1, 2}
	}
	require.NoError(t, g.api.change(t.Context(), observation{}, changes))
	require.Equal(t, 3, lines)
}

func TestRoutesThatCannotBeOpened(t *testing.T) {
	for _, r := range []swap.HAProxy{
		{Socket: "/run/admin.sock", Backend: "b"},
		{Socket: "unix://", Backend: "b"},
		{Socket: "tcp://h:1"},
		{Socket: "tcp://h:1", Backend: "b", Baseline: []string{"x;quit"}},
		{Socket: "tcp://h:1", Backend: "b", Candidate: []string{"*x"}},
	} {
		_, err := Open(r)
		require.ErrorIs(t, err, traffic.ErrUnsupported, "%+v", r)
	}
}
