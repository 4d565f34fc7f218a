package nginx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
)

// ticksPerSecond is the unit of times in /proc, the same for every program on Linux.
const ticksPerSecond = 100

// worker is a process of NGINX that answers requests.
type worker struct {
	pid int
	// started is counted from the start of the machine, in ticks.
	started uint64
	// leaving workers only finish what they have.
	leaving bool
}

// processes are those of one NGINX on this machine.
type processes struct {
	proc  string
	route swap.NGINX
	// run runs a command of the worker's list.
	run func(ctx context.Context, name string) error
}

// check has NGINX check its whole configuration.
func (p processes) check(ctx context.Context) error {
	if p.route.Check == "" {
		return test(ctx, p.route.Config)
	}
	err := p.run(ctx, p.route.Check)
	var exited *exec.ExitError
	if errors.As(err, &exited) && ctx.Err() == nil {
		return fmt.Errorf("%w: %s", traffic.ErrRefused, err.Error())
	}
	return err
}

// hangUp makes NGINX load its configuration.
func (p processes) hangUp(ctx context.Context) error {
	if p.route.Reload != "" {
		return p.run(ctx, p.route.Reload)
	}
	pid, err := p.master()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGHUP); err != nil {
		return fmt.Errorf("%w: cannot send SIGHUP to process %d of %s: %w; run the worker as the user of NGINX's master, or set nginx.reload",
			kindOf(err), pid, p.route.PIDFile, err)
	}
	return nil
}

// test runs nginx -t and makes what it says part of the error. The environment of the worker, which holds secrets, is kept from it.
func test(ctx context.Context, config string) error {
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // where Debian has it, and where not every user looks
	}
	cmd := exec.CommandContext(ctx, program, "-t", "-q", "-c", config) //nolint:gosec // NGINX reads the file and changes nothing
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w: nginx -t: %w", traffic.ErrUnreachable, ctx.Err())
	}
	text := strings.TrimSpace(string(out))
	return fmt.Errorf("%w: nginx -t: %w: %s", traffic.ErrRefused, err, text[:min(len(text), 500)])
}

func (p processes) master() (int, error) {
	data, err := os.ReadFile(p.route.PIDFile)
	if err != nil {
		return 0, fmt.Errorf("%w: is NGINX running, with its pid file there? %w", kindOf(err), err)
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(data)))
	if err != nil || pid < 1 {
		return 0, fmt.Errorf("%w: %s holds no process id: %.20q", traffic.ErrUnreachable, p.route.PIDFile, data)
	}
	return pid, nil
}

// kindOf says whether trying again may help.
func kindOf(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return traffic.ErrRefused
	}
	return traffic.ErrUnreachable
}

// workers lists the processes that answer requests, or finish to.
func (p processes) workers() ([]worker, error) {
	master, err := p.master()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(p.proc, strconv.Itoa(master), "task", strconv.Itoa(master), "children"))
	if err != nil {
		return nil, fmt.Errorf("%w: process %d of %s is not to be seen in %s: NGINX is not running, or not on this Linux machine: %w",
			kindOf(err), master, p.route.PIDFile, p.proc, err)
	}
	var out []worker
	for child := range strings.FieldsSeq(string(data)) {
		w, ok, err := p.worker(child)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it ended meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", traffic.ErrUnreachable, err)
		}
		if ok {
			out = append(out, w)
		}
	}
	return out, nil
}

// worker reads one child of the master; ok is false for its other helpers.
func (p processes) worker(pid string) (w worker, ok bool, err error) {
	title, err := os.ReadFile(filepath.Join(p.proc, pid, "cmdline")) //nolint:gosec // a number below /proc
	if err != nil {
		return w, false, err
	}
	if !bytes.HasPrefix(title, []byte("nginx: worker process")) {
		return w, false, nil
	}
	stat, err := os.ReadFile(filepath.Join(p.proc, pid, "stat")) //nolint:gosec // a number below /proc
	if err != nil {
		return w, false, err
	}
	if w.started, err = startOf(string(stat)); err != nil {
		return w, false, err
	}
	w.leaving = bytes.Contains(title, []byte("shutting down"))
	w.pid, err = strconv.Atoi(pid)
	return w, err == nil, err
}

// startOf finds the start time in /proc/PID/stat (field 22). Field 2, the name, may hold spaces and ends at the last parenthesis.
func startOf(stat string) (uint64, error) {
	_, rest, ok := cutLast(stat, ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return 0, fmt.Errorf("%q is no line of /proc/PID/stat", stat)
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
