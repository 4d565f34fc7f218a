// Package nginx steers NGINX: it writes the file with the upstream, has NGINX load it, and sees that it did.
package nginx

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

const (
	// reloadTimeout is how long workers with the new configuration are awaited where the context has no earlier deadline.
	reloadTimeout = 10 * time.Second
	// reloadPoll is how often they are looked for. NGINX itself waits 100 ms between starting them and ending the others.
	reloadPoll = 5 * time.Millisecond
	// sameTime is by how much the start of a process and the time of a file may be off: both are counted in steps.
	sameTime = 30 * time.Millisecond
)

// master is what is asked of a running NGINX.
type master interface {
	check(ctx context.Context) error
	hangUp(ctx context.Context) error
	workers() ([]worker, error)
}

// Gateway steers one upstream of one NGINX on this machine.
type Gateway struct {
	route  swap.NGINX
	master master
	uptime func() (time.Duration, error)

	mu sync.Mutex
	// told is the digest of a file that somebody changed by hand, of which the caller was told.
	told string
}

// Open returns the controller of an upstream. run runs a command of the worker's list, for routes that name one.
func Open(route swap.NGINX, run func(ctx context.Context, name string) error) (*Gateway, error) {
	if route.File == "" || route.Upstream == "" || route.Config == "" || route.PIDFile == "" {
		return nil, fmt.Errorf("%w: nginx of the route needs file, upstream, config and pid_file", traffic.ErrUnsupported)
	}
	for _, text := range slices.Concat([]string{route.Upstream}, route.Baseline, route.Candidate, route.Directives) {
		if text == "" || strings.ContainsAny(text, "{};#\"'\\\r\n") {
			return nil, fmt.Errorf("%w: %q cannot be written into an upstream of NGINX", traffic.ErrUnsupported, text)
		}
	}
	return &Gateway{route: route, uptime: sinceBoot, master: processes{proc: "/proc", route: route, run: run}}, nil
}

// Capabilities says what NGINX can do: Apply waits until every worker that takes requests has the new weights, and the old ones
// finish what they have. Without its commercial API NGINX counts nothing for each server.
func (*Gateway) Capabilities() traffic.Capabilities {
	return traffic.Capabilities{DrainsStreams: true}
}

// Counters are none.
func (*Gateway) Counters(context.Context) (swap.PerArm[traffic.Counters], bool, error) {
	return swap.PerArm[traffic.Counters]{}, false, nil
}

// Read returns the shares that the file says. They are pending while the workers that take requests are older than the file.
func (g *Gateway) Read(context.Context) (traffic.State, error) {
	_, _, state, err := g.read()
	return state, err
}

func (g *Gateway) read() (file, fragment, traffic.State, error) {
	f, err := readFile(g.route.File)
	if err != nil {
		return f, fragment{}, traffic.State{}, fmt.Errorf("read weights: %w", err)
	}
	upstream, err := parse(f.data, g.route.Upstream)
	if err != nil && upstream.version == 0 {
		return f, upstream, traffic.State{}, fmt.Errorf("read weights: %w: %s: %w", traffic.ErrRefused, f.path, err)
	}
	if err != nil { // swapgate's own file, which somebody broke
		return f, upstream, traffic.State{Pending: fmt.Sprintf("%s was changed by hand: %v", f.path, err)}, nil
	}
	state := upstream.state(g.route)
	workers, err := g.master.workers()
	if err != nil {
		return f, upstream, state, fmt.Errorf("read weights: %w", err)
	}
	late, err := g.olderThan(f.written, workers)
	if err == nil && late != "" {
		state.Pending = late
	}
	return f, upstream, state, err
}

// olderThan names the workers that take requests and started before the file was written.
func (g *Gateway) olderThan(written time.Time, workers []worker) (string, error) {
	up, err := g.uptime()
	if err != nil {
		return "", fmt.Errorf("%w: %w", traffic.ErrRefused, err)
	}
	boot := time.Now().Add(-up)
	for _, w := range workers {
		started := boot.Add(time.Duration(w.started) * (time.Second / ticksPerSecond)) //nolint:gosec // ticks since the machine started
		if !w.leaving && started.Add(sameTime).Before(written) {
			return fmt.Sprintf("NGINX has not loaded %s: worker process %d is older", g.route.File, w.pid), nil
		}
	}
	if !slices.ContainsFunc(workers, func(w worker) bool { return !w.leaving }) {
		return "no worker process of NGINX takes requests", nil
	}
	return "", nil
}

// Apply writes the file and has NGINX load it. When NGINX does not, the file is put back. A file that was changed by hand is a
// conflict the first time; whoever tries again wants it replaced, and a copy stays beside it.
func (g *Gateway) Apply(ctx context.Context, want swap.Weights) (traffic.State, error) {
	if err := traffic.CheckWeights(want); err != nil {
		return traffic.State{}, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var before file
	var upstream fragment
	read := func(context.Context) (state traffic.State, err error) {
		before, upstream, state, err = g.read()
		return state, err
	}
	write := func(ctx context.Context, _ traffic.State) error {
		if err := g.claim(before, upstream); err != nil {
			return err
		}
		return g.load(ctx, before, render(g.route, want, upstream.version+1))
	}
	return traffic.Apply(ctx, g.route.File, want, read, write)
}

// claim says whether the file may be replaced.
func (g *Gateway) claim(f file, upstream fragment) error {
	switch {
	case upstream.intact:
		return nil
	case upstream.version == 0:
		if err := upstream.adoptable(g.route); err != nil {
			return fmt.Errorf("%w: %s: %w", traffic.ErrRefused, f.path, err)
		}
		return nil
	case g.told != upstream.digest:
		g.told = upstream.digest
		return fmt.Errorf("%w: %s was changed by hand since swapgate wrote version %d", traffic.ErrConflict, f.path, upstream.version)
	}
	if err := os.WriteFile(f.path+".replaced", f.data, f.mode); err != nil {
		return fmt.Errorf("%w: keep a copy: %w", kindOf(err), err)
	}
	return nil
}

// load replaces the file and waits until all workers that take requests are new ones.
func (g *Gateway) load(ctx context.Context, before file, data []byte) error {
	old, err := g.master.workers()
	if err != nil {
		return err
	}
	if err := before.replace(data); err != nil {
		return err
	}
	if err := g.master.check(ctx); err != nil {
		return withRestore(err, before.restore())
	}
	if err := g.master.hangUp(ctx); err != nil {
		return withRestore(err, before.restore())
	}
	if err := g.await(ctx, old); err != nil {
		err = withRestore(err, before.restore())
		// It may still be at it, with the new file: it is made to load the old one after that.
		if again := g.master.hangUp(context.WithoutCancel(ctx)); again != nil {
			err = fmt.Errorf("%w; and it could not be made to load the old file: %w", err, again)
		}
		return err
	}
	return nil
}

func withRestore(err, restored error) error {
	if restored != nil {
		return fmt.Errorf("%w; and the file could not be put back: %w", err, restored)
	}
	return err
}

func (g *Gateway) await(ctx context.Context, old []worker) error {
	ctx, cancel := context.WithTimeout(ctx, reloadTimeout)
	defer cancel()
	tick := time.NewTicker(reloadPoll)
	defer tick.Stop()
	for {
		now, err := g.master.workers()
		if err != nil {
			return err
		}
		if onlyNew(old, now) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: NGINX started no worker processes with the new file in time; its error log says why: %w",
				traffic.ErrNotApplied, ctx.Err())
		case <-tick.C:
		}
	}
}

// onlyNew says whether workers that were not there before take requests, and no others.
func onlyNew(old, now []worker) bool {
	fresh := false
	for _, w := range now {
		if w.leaving {
			continue
		}
		if slices.ContainsFunc(old, func(o worker) bool { return o.pid == w.pid && o.started == w.started }) {
			return false
		}
		fresh = true
	}
	return fresh
}
