package nginx

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// fakeMaster starts a new worker whenever it is told to load its configuration.
type fakeMaster struct {
	t        *testing.T
	file     string
	loaded   string
	hangUps  int
	deaf     bool
	checkErr error
	current  worker
}

func (m *fakeMaster) check(context.Context) error { return m.checkErr }

func (m *fakeMaster) hangUp(context.Context) error {
	if m.hangUps++; m.deaf {
		return nil
	}
	data, err := os.ReadFile(m.file)
	require.NoError(m.t, err)
	m.loaded = string(data)
	m.current = worker{pid: m.current.pid + 1, started: farFuture}
	return nil
}

// farFuture is later than any file.
const farFuture = 1 << 32

func (m *fakeMaster) workers() ([]worker, error) {
	return []worker{{pid: 1, leaving: true}, m.current}, nil
}

func fakeGateway(t *testing.T) (*Gateway, *fakeMaster) {
	t.Helper()
	route := twoArms
	route.File = filepath.Join(t.TempDir(), "llm.conf")
	require.NoError(t, os.WriteFile(route.File, []byte("upstream llm { server 10.0.0.1:8000; }"), 0o640))
	g, err := Open(route, nil)
	require.NoError(t, err)
	m := &fakeMaster{t: t, file: route.File, current: worker{pid: 10, started: farFuture}}
	g.master, g.uptime = m, func() (time.Duration, error) { return time.Hour, nil }
	return g, m
}

func TestApplyIsIdempotentAndReadBack(t *testing.T) {
	g, m := fakeGateway(t)
	before, err := g.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, swap.AllBaseline, before.Weights)
	state, err := g.Apply(t.Context(), weights(5))
	require.NoError(t, err)
	require.Equal(t, weights(5), state.Weights)
	require.NotEqual(t, before.Version, state.Version)
	require.Equal(t, string(render(g.route, weights(5), 1)), m.loaded)
	again, err := g.Apply(t.Context(), weights(5))
	require.NoError(t, err)
	require.Equal(t, state, again)
	require.Equal(t, 1, m.hangUps)
	info, err := os.Stat(g.route.File)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
	left, err := os.ReadDir(filepath.Dir(g.route.File))
	require.NoError(t, err)
	require.Len(t, left, 1, "no file is left behind")
	_, counts, err := g.Counters(t.Context())
	require.NoError(t, err)
	require.Equal(t, g.Capabilities().Counters, counts)
	_, err = g.Apply(t.Context(), swap.Weights{Baseline: 50})
	require.ErrorIs(t, err, traffic.ErrRefused)
}

func TestWorkersThatAreOlderThanTheFileAreLoadedAgain(t *testing.T) {
	g, m := fakeGateway(t)
	m.current.started = 1
	state, err := g.Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, state.Pending, "worker process 10 is older")
	state, err = g.Apply(t.Context(), swap.AllBaseline)
	require.NoError(t, err)
	require.Empty(t, state.Pending)
	require.Equal(t, 1, m.hangUps)

	m.current.leaving = true
	state, err = g.Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, state.Pending, "no worker process of NGINX takes requests")
	g.uptime = func() (time.Duration, error) { return 0, errors.New("no clock") }
	_, err = g.Read(t.Context())
	require.ErrorIs(t, err, traffic.ErrRefused)
}

func TestWhatFailsIsPutBack(t *testing.T) {
	g, m := fakeGateway(t)
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(g.route.File, old, old))
	untouched := func() {
		data, err := os.ReadFile(g.route.File)
		require.NoError(t, err)
		require.Equal(t, "upstream llm { server 10.0.0.1:8000; }", string(data))
		info, err := os.Stat(g.route.File)
		require.NoError(t, err)
		require.WithinDuration(t, old, info.ModTime(), 0)
	}
	m.checkErr = traffic.ErrRefused
	_, err := g.Apply(t.Context(), weights(5))
	require.ErrorIs(t, err, traffic.ErrRefused)
	require.Zero(t, m.hangUps)
	untouched()

	m.checkErr, m.deaf = nil, true
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = g.Apply(ctx, weights(5))
	require.ErrorIs(t, err, traffic.ErrNotApplied)
	require.Equal(t, 2, m.hangUps, "it is made to load the old file again")
	untouched()
}

func TestOnlyNew(t *testing.T) {
	a, b := worker{pid: 1, started: 5}, worker{pid: 2, started: 6}
	reused, leaving := worker{pid: 1, started: 9}, worker{pid: 1, started: 5, leaving: true}
	for name, tc := range map[string]struct {
		now  []worker
		want bool
	}{
		"none yet":                  {[]worker{a}, false},
		"both":                      {[]worker{a, b}, false},
		"the old one leaves":        {[]worker{leaving, b}, true},
		"the old one is gone":       {[]worker{b}, true},
		"an id that is used again":  {[]worker{reused}, true},
		"all leave: NGINX is ended": {[]worker{leaving}, false},
		"nobody":                    {nil, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, onlyNew([]worker{a}, tc.now)) })
	}
}

func TestRoutesThatCannotBeOpened(t *testing.T) {
	for _, f := range []func(*swap.NGINX){
		func(r *swap.NGINX) { r.File = "" }, func(r *swap.NGINX) { r.Upstream = "" }, func(r *swap.NGINX) { r.Config = "" },
		func(r *swap.NGINX) { r.PIDFile = "" }, func(r *swap.NGINX) { r.Directives = []string{"keepalive 1; } server { listen 81"} },
	} {
		route := twoArms
		f(&route)
		_, err := Open(route, nil)
		require.ErrorIs(t, err, traffic.ErrUnsupported)
	}
}
