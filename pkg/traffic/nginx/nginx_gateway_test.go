//go:build gateway

package nginx

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
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// arm is a server that answers with its name. A request for /stream is answered in two pieces, the second once released.
type arm struct {
	*httptest.Server
	release chan struct{}
}

func newArm(tb testing.TB, name string) *arm {
	tb.Helper()
	a := &arm{release: make(chan struct{})}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/stream" {
			_, _ = io.WriteString(w, name)
			return
		}
		_, _ = io.WriteString(w, name+" begins\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-a.release:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, name+" ends\n")
	}))
	tb.Cleanup(a.Close)
	return a
}

// site is a running NGINX in front of both arms.
type site struct {
	tb                  testing.TB
	dir, url            string
	route               swap.NGINX
	baseline, candidate *arm
	client              *http.Client
	stop                func()
}

const mainFile = `daemon off;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log notice;
worker_processes 3;
events {}
http {
    access_log off;
    client_body_temp_path %[1]s/body;
    proxy_temp_path %[1]s/proxy;
    fastcgi_temp_path %[1]s/fastcgi;
    uwsgi_temp_path %[1]s/uwsgi;
    scgi_temp_path %[1]s/scgi;
    include %[1]s/conf.d/*.conf;
    server {
        listen %[2]s;
        location / {
            proxy_pass http://llm;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
            proxy_next_upstream off;
        }
    }
}
`

func newSite(tb testing.TB) *site {
	tb.Helper()
	dir, err := os.MkdirTemp("", "nginx") //nolint:usetesting // workers run as another user, who may not enter tb.TempDir
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(tb, os.Chmod(dir, 0o755))
	require.NoError(tb, os.Mkdir(filepath.Join(dir, "conf.d"), 0o755))
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	public := l.Addr().String()
	require.NoError(tb, l.Close())
	s := &site{tb: tb, dir: dir, url: "http://" + public, baseline: newArm(tb, "baseline"), candidate: newArm(tb, "candidate")}
	s.route = swap.NGINX{
		File: filepath.Join(dir, "conf.d", "llm.conf"), Upstream: "llm",
		Baseline: []string{s.baseline.Listener.Addr().String()}, Candidate: []string{s.candidate.Listener.Addr().String()},
		Directives: []string{"keepalive 8"}, Config: filepath.Join(dir, "nginx.conf"), PIDFile: filepath.Join(dir, "nginx.pid"),
	}
	s.write(s.route.Config, fmt.Sprintf(mainFile, dir, public))
	s.write(s.route.File, fmt.Sprintf("upstream llm {\n  server %s;\n  keepalive 8; # as it was\n}\n", s.route.Baseline[0]))
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	s.client = &http.Client{Transport: transport, Timeout: 20 * time.Second}
	s.start()
	tb.Cleanup(func() { s.stop() })
	return s
}

func (s *site) write(path, text string) {
	s.tb.Helper()
	require.NoError(s.tb, os.WriteFile(path, []byte(text), 0o600))
}

func (s *site) read(path string) string {
	s.tb.Helper()
	data, err := os.ReadFile(path)
	require.NoError(s.tb, err)
	return string(data)
}

func (s *site) start() {
	s.tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "nginx", "-c", s.route.Config)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the master ends its workers
	require.NoError(s.tb, cmd.Start(), "nginx is needed: apt-get install nginx-light")
	var once sync.Once
	s.stop = func() {
		once.Do(func() {
			cancel()
			_ = cmd.Wait()
		})
	}
	require.Eventually(s.tb, func() bool {
		workers, err := s.gateway().master.workers()
		return err == nil && len(workers) == 3
	}, 10*time.Second, 10*time.Millisecond, "nginx does not come up")
}

func (s *site) gateway(change ...func(*swap.NGINX)) *Gateway {
	s.tb.Helper()
	route := s.route
	route.Baseline, route.Candidate = slices.Clone(route.Baseline), slices.Clone(route.Candidate)
	for _, f := range change {
		f(&route)
	}
	g, err := Open(route, func(ctx context.Context, name string) error {
		return exec.CommandContext(ctx, "sh", "-c", name).Run()
	})
	require.NoError(s.tb, err)
	return g
}

// get sends n requests, every one on a connection of its own so that all worker processes get some, and returns how many the
// candidate answered.
func (s *site) get(n int) int {
	s.tb.Helper()
	candidate := 0
	for range n {
		resp := s.open("/", true)
		data, err := io.ReadAll(resp.Body)
		require.NoError(s.tb, err)
		_ = resp.Body.Close()
		if string(data) == "candidate" {
			candidate++
		}
	}
	return candidate
}

func (s *site) open(path string, alone bool) *http.Response {
	s.tb.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url+path, nil)
	require.NoError(s.tb, err)
	req.Close = alone
	resp, err := s.client.Do(req)
	require.NoError(s.tb, err)
	require.Equal(s.tb, http.StatusOK, resp.StatusCode)
	return resp
}

func TestSharesAreExact(t *testing.T) {
	s := newSite(t)
	g := s.gateway()
	before, err := g.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, before.Weights)
	require.Empty(t, before.Pending)
	for _, share := range []int{1, 5, 20, 50, 100, 0} {
		state, err := g.Apply(t.Context(), weights(share))
		require.NoError(t, err)
		require.Equal(t, weights(share), state.Weights)
		require.Equal(t, 10*share, s.get(1000), "1,000 requests are whole rounds of the balancer, which all workers share")
		again, err := g.Apply(t.Context(), weights(share))
		require.NoError(t, err)
		require.Equal(t, state, again)
	}
	require.Contains(t, s.read(s.route.File), "keepalive 8;")
}

func TestGroupsOfServers(t *testing.T) {
	s := newSite(t)
	more := newArm(t, "candidate")
	g := s.gateway(func(r *swap.NGINX) { r.Candidate = append(r.Candidate, more.Listener.Addr().String()) })
	for _, share := range []int{5, 50, 0} {
		_, err := g.Apply(t.Context(), weights(share))
		require.NoError(t, err)
		require.Equal(t, 10*share, s.get(1000), "share %d", share)
	}
}

func TestAFileChangedByHandIsAConflictOnce(t *testing.T) {
	s := newSite(t)
	g := s.gateway()
	_, err := g.Apply(t.Context(), weights(5))
	require.NoError(t, err)
	edited := strings.Replace(s.read(s.route.File), "weight=5", "weight=95", 1)
	s.write(s.route.File, edited)
	state, err := g.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, weights(50), state.Weights)
	_, err = g.Apply(t.Context(), weights(20))
	require.ErrorIs(t, err, traffic.ErrConflict)
	require.ErrorContains(t, err, "changed by hand since swapgate wrote version 1")
	require.Equal(t, edited, s.read(s.route.File))
	_, err = g.Apply(t.Context(), weights(20))
	require.NoError(t, err, "whoever tries again goes before")
	require.Equal(t, 20, s.get(100))
	require.Equal(t, edited, s.read(s.route.File+".replaced"))

	s.write(s.route.File, strings.Replace(s.read(s.route.File), "}", "", 1))
	state, err = g.Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, state.Pending, "changed by hand")
	_, err = g.Apply(t.Context(), swap.AllBaseline)
	require.ErrorIs(t, err, traffic.ErrConflict)
	_, err = g.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
}

// intruding lets another writer write between reading and writing.
type intruding struct {
	master
	intrude func()
	calls   int
}

func (i *intruding) workers() ([]worker, error) {
	if i.calls++; i.calls == 2 { // the first is the read, the second just before the file is replaced
		i.intrude()
	}
	return i.master.workers()
}

func TestAWriterInBetweenIsAConflict(t *testing.T) {
	s := newSite(t)
	g := s.gateway()
	_, err := g.Apply(t.Context(), weights(5))
	require.NoError(t, err)
	other := s.gateway()
	g.master = &intruding{master: g.master, intrude: func() {
		_, err := other.Apply(t.Context(), weights(50))
		require.NoError(t, err)
	}}
	got, err := g.Apply(t.Context(), weights(20))
	require.ErrorIs(t, err, traffic.ErrConflict)
	require.Equal(t, weights(50), got.Weights, "the other writer's change stands")
	require.Equal(t, 50, s.get(100))
}

func TestAConfigurationThatNGINXRefusesIsPutBack(t *testing.T) {
	s := newSite(t)
	before := s.read(s.route.File)
	g := s.gateway(func(r *swap.NGINX) { r.Directives = append(r.Directives, "no_such_directive on") })
	state, err := g.Apply(t.Context(), weights(5))
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.ErrorContains(t, err, `unknown directive "no_such_directive"`)
	require.Equal(t, swap.AllBaseline, state.Weights)
	require.Equal(t, before, s.read(s.route.File))
	state, err = g.Read(t.Context())
	require.NoError(t, err)
	require.Empty(t, state.Pending, "the old file is as old as it was")
	require.Zero(t, s.get(100))
}

func TestAReloadThatDoesNotHappenIsSeen(t *testing.T) {
	s := newSite(t)
	before := s.read(s.route.File)
	g := s.gateway(func(r *swap.NGINX) { r.Reload = "true" })
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := g.Apply(ctx, weights(5))
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.Equal(t, before, s.read(s.route.File))

	// A writer that dies between writing and reloading leaves a file that is newer than the workers.
	time.Sleep(2 * sameTime)
	s.write(s.route.File, string(render(s.route, weights(5), 1)))
	state, err := s.gateway().Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, state.Pending, "has not loaded")
	require.Zero(t, s.get(100))
	_, err = s.gateway().Apply(t.Context(), weights(5))
	require.NoError(t, err)
	require.Equal(t, 5, s.get(100))
}

func TestAReloadThatFailsIsSeen(t *testing.T) {
	s := newSite(t)
	before := s.read(s.route.File)
	g := s.gateway(func(r *swap.NGINX) { r.Check, r.Directives = "true", append(r.Directives, "no_such_directive on") })
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := g.Apply(ctx, weights(5))
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.ErrorContains(t, err, "its error log says why")
	require.Contains(t, s.read(filepath.Join(s.dir, "error.log")), "no_such_directive", "NGINX tried")
	require.Equal(t, before, s.read(s.route.File))
	require.Zero(t, s.get(100), "NGINX goes on as it was")
	_, err = s.gateway().Apply(t.Context(), weights(5))
	require.NoError(t, err)
	require.Equal(t, 5, s.get(100))
}

func TestReloadByCommand(t *testing.T) {
	s := newSite(t)
	g := s.gateway(func(r *swap.NGINX) { r.Check, r.Reload = "true", "nginx -s reload -c "+r.Config })
	_, err := g.Apply(t.Context(), weights(20))
	require.NoError(t, err)
	require.Equal(t, 20, s.get(100))
}

func TestARestartKeepsTheWeights(t *testing.T) {
	s := newSite(t)
	g := s.gateway()
	set, err := g.Apply(t.Context(), weights(20))
	require.NoError(t, err)
	s.stop()
	_, err = g.Read(t.Context())
	require.ErrorIs(t, err, traffic.ErrUnreachable)
	s.start()
	state, err := g.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, set, state)
	require.Equal(t, 20, s.get(100))
}

func TestAServerThatIsDownKeepsItsShare(t *testing.T) {
	s := newSite(t)
	g := s.gateway()
	_, err := g.Apply(t.Context(), weights(20))
	require.NoError(t, err)
	s.candidate.Close()
	failed := 0
	for range 100 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url, nil)
		require.NoError(t, err)
		resp, err := s.client.Do(req)
		require.NoError(t, err)
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusBadGateway {
			failed++
		}
	}
	require.Equal(t, 20, failed, "its failures are its own: none is hidden by the other arm")
	_, err = g.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	require.Zero(t, s.get(100))
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	s := newSite(t)
	for name, tc := range map[string]struct {
		change func(*swap.NGINX)
		want   error
		text   string
	}{
		"no file":        {func(r *swap.NGINX) { r.File += "x" }, traffic.ErrRefused, "there is no file"},
		"other upstream": {func(r *swap.NGINX) { r.Upstream = "other" }, traffic.ErrRefused, "does not begin with upstream other {"},
		"a server lost":  {func(r *swap.NGINX) { r.Baseline[0] = "127.0.0.1:9" }, traffic.ErrRefused, "in neither arm and would be lost"},
		"no keepalive":   {func(r *swap.NGINX) { r.Directives = nil }, traffic.ErrRefused, `directive "keepalive 8" would be lost`},
		"no pid file":    {func(r *swap.NGINX) { r.PIDFile += "x" }, traffic.ErrUnreachable, "is NGINX running"},
		"check fails":    {func(r *swap.NGINX) { r.Check = "false" }, traffic.ErrRefused, "exit status 1"},
		"reload fails":   {func(r *swap.NGINX) { r.Reload = "kill -9 $$" }, nil, "signal: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.read(s.route.File)
			_, err := s.gateway(tc.change).Apply(t.Context(), weights(5))
			if tc.want != nil {
				require.ErrorIs(t, err, tc.want)
			}
			require.ErrorContains(t, err, tc.text)
			require.Equal(t, before, s.read(s.route.File))
		})
	}
}

func TestStreamsFinishWhereTheyBegan(t *testing.T) {
	s := newSite(t)
	g := s.gateway()
	_, err := g.Apply(t.Context(), swap.Weights{Candidate: 100})
	require.NoError(t, err)
	stream := s.open("/stream", false)
	defer func() { _ = stream.Body.Close() }()
	begin := make([]byte, len("candidate begins\n"))
	_, err = io.ReadFull(stream.Body, begin)
	require.NoError(t, err)
	_, err = g.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	require.Zero(t, s.get(20), "new requests go to the baseline")
	close(s.candidate.release)
	rest, err := io.ReadAll(stream.Body)
	require.NoError(t, err)
	require.Equal(t, "candidate begins\ncandidate ends\n", string(begin)+string(rest))
}

// BenchmarkApply measures a change of weights: check, reload, and the wait for new workers.
func BenchmarkApply(b *testing.B) {
	g := newSite(b).gateway()
	share := 5
	for b.Loop() {
		if _, err := g.Apply(b.Context(), weights(share)); err != nil {
			b.Fatal(err)
		}
		share = 55 - share
	}
}
