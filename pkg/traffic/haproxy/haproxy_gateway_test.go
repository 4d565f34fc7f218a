//go:build gateway

package haproxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// arm is a server that counts its requests. A request for /stream is answered in two pieces, the second once released.
type arm struct {
	*httptest.Server
	requests atomic.Int64
	release  chan struct{}
}

func newArm(tb testing.TB, name string) *arm {
	tb.Helper()
	a := &arm{release: make(chan struct{})}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.requests.Add(1)
		switch r.URL.Path {
		case "/fail":
			w.WriteHeader(http.StatusInternalServerError)
		case "/stream":
			_, _ = io.WriteString(w, name+" begins\n")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-a.release:
			case <-r.Context().Done():
			}
			_, _ = io.WriteString(w, name+" ends\n")
		default:
			_, _ = io.WriteString(w, name)
		}
	}))
	tb.Cleanup(a.Close)
	return a
}

func (a *arm) address() string { return a.Listener.Addr().String() }

// site is a running HAProxy in front of both arms.
type site struct {
	tb                  testing.TB
	dir, url            string
	config              string
	baseline, candidate *arm
	client              *http.Client
	stop, reload        func()
}

// freeAddress finds a port that nobody listens on now.
func freeAddress(tb testing.TB) string {
	tb.Helper()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

const header = `global
    stats socket %[1]s/admin.sock mode 600 level admin
    stats socket %[1]s/operator.sock mode 600 level operator
    stats socket %[1]s/user.sock mode 600 level user
    nbthread 2
defaults
    mode http
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    default-server inter 50ms fall 1 rise 1
frontend public
    bind %[2]s
    default_backend llm
`

// newSite starts HAProxy with a backend; %[1]s and %[2]s in it are the addresses of the arms.
func newSite(tb testing.TB, backend string) *site {
	tb.Helper()
	s := &site{tb: tb, dir: tb.TempDir(), baseline: newArm(tb, "baseline"), candidate: newArm(tb, "candidate")}
	public := freeAddress(tb)
	s.url = "http://" + public
	s.config = filepath.Join(s.dir, "haproxy.cfg")
	text := fmt.Sprintf(header, s.dir, public) + fmt.Sprintf(backend, s.baseline.address(), s.candidate.address())
	require.NoError(tb, os.WriteFile(s.config, []byte(text), 0o600))
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	s.client = &http.Client{Transport: transport, Timeout: 20 * time.Second}
	s.start()
	tb.Cleanup(func() { s.stop() })
	return s
}

const twoServers = `backend llm
    balance roundrobin
    server baseline %[1]s weight 100
    server candidate %[2]s weight 0
`

// start runs HAProxy as a master and a worker until stop, and waits until its socket answers.
func (s *site) start() {
	s.tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "haproxy", "-W", "-db", "-f", s.config)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // the master ends its workers
	log, err := os.Create(filepath.Join(s.dir, "log"))
	require.NoError(s.tb, err)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(s.tb, cmd.Start(), "haproxy is needed: apt-get install haproxy")
	s.reload = func() { require.NoError(s.tb, cmd.Process.Signal(syscall.SIGUSR2)) }
	var once sync.Once
	s.stop = func() {
		once.Do(func() {
			cancel()
			_ = cmd.Wait()
			_ = log.Close()
		})
	}
	require.Eventually(s.tb, func() bool {
		_, err := socket{"unix", s.dir + "/admin.sock", swap.HAProxy{}}.ask(s.tb.Context(), "show info")
		return err == nil
	}, 10*time.Second, 10*time.Millisecond, "haproxy does not come up")
}

func (s *site) route(change ...func(*swap.HAProxy)) swap.HAProxy {
	r := swap.HAProxy{
		Socket: "unix://" + s.dir + "/admin.sock", Backend: "llm", Baseline: []string{"baseline"}, Candidate: []string{"candidate"},
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func (s *site) gateway(change ...func(*swap.HAProxy)) *Gateway {
	s.tb.Helper()
	g, err := Open(s.route(change...))
	require.NoError(s.tb, err)
	return g
}

// command sends what an operator would type.
func (s *site) command(text string) {
	s.tb.Helper()
	replies, err := socket{"unix", s.dir + "/admin.sock", swap.HAProxy{}}.ask(s.tb.Context(), text)
	require.NoError(s.tb, err)
	require.Equal(s.tb, []string{""}, replies)
}

// get sends n requests and returns how many the candidate answered.
func (s *site) get(n int) int {
	s.tb.Helper()
	candidate := 0
	for range n {
		if s.body("/") == "candidate" {
			candidate++
		}
	}
	return candidate
}

func (s *site) body(path string) string {
	s.tb.Helper()
	resp := s.open(path)
	data, err := io.ReadAll(resp.Body)
	require.NoError(s.tb, err)
	_ = resp.Body.Close()
	return string(data)
}

func (s *site) open(path string) *http.Response {
	s.tb.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url+path, nil)
	require.NoError(s.tb, err)
	resp, err := s.client.Do(req)
	require.NoError(s.tb, err)
	return resp
}

func TestSharesAreExact(t *testing.T) {
	s := newSite(t, twoServers)
	g := s.gateway()
	before, err := g.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, before.Weights)
	for _, share := range []int{1, 5, 20, 50, 100, 0} {
		state, err := g.Apply(t.Context(), weights(share))
		require.NoError(t, err)
		require.Equal(t, weights(share), state.Weights)
		require.Empty(t, state.Pending)
		// The round begins anew when weights change, so 1,000 requests are whole rounds, and one more or less where it began in
		// the middle.
		require.InDelta(t, 10*share, s.get(1000), 1, "share %d", share)
		again, err := g.Apply(t.Context(), weights(share))
		require.NoError(t, err)
		require.Equal(t, state, again)
	}
}

func TestGroupsOfServers(t *testing.T) {
	s := newSite(t, `backend llm
    balance roundrobin
    server-template old 3 %[1]s weight 10
    server new1 %[2]s weight 0
    server new2 %[2]s weight 0
    server spare 127.0.0.1:1 backup
    server retired 127.0.0.1:1 weight 50 disabled
`)
	g := s.gateway(func(r *swap.HAProxy) { r.Baseline, r.Candidate = []string{"old*"}, []string{"new1", "new2"} })
	for _, share := range []int{1, 5, 50, 100, 0} {
		state, err := g.Apply(t.Context(), weights(share))
		require.NoError(t, err)
		require.Equal(t, weights(share), state.Weights)
		require.InDelta(t, 10*share, s.get(1000), 1, "share %d", share)
	}
	s.command("set server llm/old2 state maint")
	state, err := g.Read(t.Context())
	require.NoError(t, err)
	require.Empty(t, state.Pending, "two servers carry what three did")
	state, err = g.Apply(t.Context(), weights(20))
	require.NoError(t, err)
	require.Equal(t, weights(20), state.Weights)
	require.InDelta(t, 200, s.get(1000), 1)
	s.command("set server llm/old2 state ready")
	require.InDelta(t, 200, s.get(1000), 1, "a server that comes back does not change the shares")
	_, err = g.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	s.command("set server llm/retired state ready")
	_, err = g.Apply(t.Context(), weights(1))
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, "retired is in neither arm")
}

func TestCountersOfBothArms(t *testing.T) {
	s := newSite(t, twoServers)
	g := s.gateway()
	_, err := g.Apply(t.Context(), weights(50))
	require.NoError(t, err)
	before, ok, err := g.Counters(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	s.get(10)
	for range 4 {
		_ = s.body("/fail")
	}
	got, _, err := g.Counters(t.Context())
	require.NoError(t, err)
	for _, arm := range swap.Arms {
		require.InDelta(t, 7, got.Get(arm).Requests-before.Get(arm).Requests, 1)
		require.InDelta(t, 2, got.Get(arm).Errors, 1)
	}
	require.Equal(t, int64(14), got.Baseline.Requests+got.Candidate.Requests)
	require.Equal(t, int64(4), got.Baseline.Errors+got.Candidate.Errors)
	require.False(t, got.Baseline.TTFBP95ms.Valid(), "HAProxy counts no quantiles")

	s.candidate.Close()
	for range 4 {
		_ = s.body("/")
	}
	after, _, err := g.Counters(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(2), after.Candidate.Errors-got.Candidate.Errors, "refused connections are errors, each once: %+v", after)
}

func TestAWriterInBetweenIsAConflict(t *testing.T) {
	s := newSite(t, twoServers)
	g := s.gateway()
	intruder := &intruding{api: g.api, intrude: func() {
		s.command("set weight llm/baseline 60")
	}}
	got, err := (&Gateway{intruder}).Apply(t.Context(), weights(5))
	require.ErrorIs(t, err, traffic.ErrConflict)
	require.ErrorContains(t, err, "server baseline had weight 60 and not 100")
	require.Equal(t, swap.AllBaseline, got.Weights)
	seen, err := g.api.observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, 60, seen.arms.Baseline[0].weight, "the other writer's change stands")
	_, err = g.Apply(t.Context(), weights(5))
	require.NoError(t, err)
}

// intruding lets another writer write just before the weights are set.
type intruding struct {
	api
	intrude func()
}

func (i *intruding) change(ctx context.Context, before observation, changes []change) error {
	i.intrude()
	return i.api.change(ctx, before, changes)
}

func TestAServerThatIsDownIsSeen(t *testing.T) {
	s := newSite(t, `backend llm
    balance roundrobin
    server baseline %[1]s weight 100 check
    server candidate %[2]s weight 0 check
`)
	g := s.gateway()
	_, err := g.Apply(t.Context(), weights(20))
	require.NoError(t, err)
	s.candidate.Close()
	require.Eventually(t, func() bool {
		state, err := g.Read(t.Context())
		return err == nil && state.Weights == weights(20) && strings.Contains(state.Pending, "server candidate is DOWN")
	}, 10*time.Second, 10*time.Millisecond)
	_, err = g.Apply(t.Context(), weights(50))
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.ErrorContains(t, err, "no server of the candidate serves (candidate is DOWN")
	state, err := g.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err, "the way back does not need the candidate")
	require.Empty(t, state.Pending)

	s.command("set server llm/baseline state maint")
	_, err = g.Apply(t.Context(), swap.AllBaseline)
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.ErrorContains(t, err, "baseline is MAINT")
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	s := newSite(t, twoServers+`backend least
    balance leastconn
    server baseline %[1]s
    server candidate %[2]s
`)
	for name, tc := range map[string]struct {
		change func(*swap.HAProxy)
		want   error
		text   string
	}{
		"socket gone":    {func(r *swap.HAProxy) { r.Socket += "x" }, traffic.ErrUnreachable, "no such file"},
		"no backend":     {func(r *swap.HAProxy) { r.Backend = "nope" }, traffic.ErrRefused, "has no backend nope"},
		"no server":      {func(r *swap.HAProxy) { r.Candidate = []string{"c9"} }, traffic.ErrRefused, "no server c9; it has baseline"},
		"in both arms":   {func(r *swap.HAProxy) { r.Candidate = []string{"*e*", "b*"} }, traffic.ErrUnsupported, "no name"},
		"arms overlap":   {func(r *swap.HAProxy) { r.Candidate = append(r.Candidate, "b*") }, traffic.ErrRefused, "baseline of backend llm"},
		"no shares":      {func(r *swap.HAProxy) { r.Backend = "least" }, traffic.ErrRefused, "balances with leastconn"},
		"level operator": {func(r *swap.HAProxy) { r.Socket = "unix://" + s.dir + "/operator.sock" }, traffic.ErrRefused, "needs level admin"},
		"level user":     {func(r *swap.HAProxy) { r.Socket = "unix://" + s.dir + "/user.sock" }, traffic.ErrRefused, "must be of level admin"},
		"not HAProxy":    {func(r *swap.HAProxy) { r.Socket = "tcp://" + s.baseline.address() }, traffic.ErrRefused, "speaks HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := Open(s.route(tc.change))
			if err == nil {
				_, err = g.Apply(t.Context(), weights(5))
			}
			require.ErrorIs(t, err, tc.want)
			require.ErrorContains(t, err, tc.text)
		})
	}
	state, err := s.gateway().Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, state.Weights, "nothing of this changed anything")
}

func TestARestartLosesTheWeights(t *testing.T) {
	s := newSite(t, twoServers)
	g := s.gateway()
	set, err := g.Apply(t.Context(), weights(20))
	require.NoError(t, err)
	s.stop()
	_, err = g.Read(t.Context())
	require.ErrorIs(t, err, traffic.ErrUnreachable)
	s.start()
	state, err := g.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, state.Weights)
	require.NotEqual(t, set.Version, state.Version)
	_, err = g.Apply(t.Context(), weights(20))
	require.NoError(t, err)
}

func TestAReloadLosesTheWeightsAndNoStream(t *testing.T) {
	s := newSite(t, twoServers)
	g := s.gateway()
	set, err := g.Apply(t.Context(), swap.Weights{Candidate: 100})
	require.NoError(t, err)
	stream := s.open("/stream")
	defer func() { _ = stream.Body.Close() }()
	s.reload()
	require.Eventually(t, func() bool {
		state, err := g.Read(t.Context())
		return err == nil && state.Version != set.Version && state.Weights == swap.AllBaseline
	}, 10*time.Second, 10*time.Millisecond, "the process that came has the weights of the file")
	require.Zero(t, s.get(20))
	close(s.candidate.release)
	data, err := io.ReadAll(stream.Body)
	require.NoError(t, err)
	require.Equal(t, "candidate begins\ncandidate ends\n", string(data))
}

func TestNoRequestIsLostWhileWeightsChange(t *testing.T) {
	s := newSite(t, twoServers)
	g := s.gateway()
	var clients sync.WaitGroup
	var sent, lost atomic.Int64
	done := make(chan struct{})
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url, nil)
				resp, err := s.client.Do(req)
				sent.Add(1)
				if err != nil || resp.StatusCode != http.StatusOK {
					lost.Add(1)
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	for range 50 {
		for _, share := range []int{1, 100, 0, 50} {
			_, err := g.Apply(t.Context(), weights(share))
			require.NoError(t, err)
		}
	}
	close(done)
	clients.Wait()
	require.Greater(t, sent.Load(), int64(200))
	require.Zero(t, lost.Load(), "of %d", sent.Load())
}

func TestStreamsFinishWhereTheyBegan(t *testing.T) {
	s := newSite(t, twoServers)
	g := s.gateway()
	_, err := g.Apply(t.Context(), swap.Weights{Candidate: 100})
	require.NoError(t, err)
	stream := s.open("/stream")
	defer func() { _ = stream.Body.Close() }()
	begin := make([]byte, len("candidate begins\n"))
	_, err = io.ReadFull(stream.Body, begin)
	require.NoError(t, err)
	_, err = g.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	require.Zero(t, s.get(20), "new requests go to the baseline")
	counters, _, err := g.Counters(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(1), counters.Candidate.InFlight)
	close(s.candidate.release)
	rest, err := io.ReadAll(stream.Body)
	require.NoError(t, err)
	require.Equal(t, "candidate begins\ncandidate ends\n", string(begin)+string(rest))
}

// BenchmarkApply measures a change of weights that is read back, and how long the slowest in a hundred takes.
func BenchmarkApply(b *testing.B) {
	g := newSite(b, twoServers).gateway()
	share := 5
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		if _, err := g.Apply(b.Context(), weights(share)); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
		share = 55 - share
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
}
