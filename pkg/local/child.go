// Package local runs what a validation needs on one machine with nothing installed: a Temporal dev server and an S3 service,
// as child processes that end with this one. `swapgate demo` and the tests use it; nothing here is meant for production.
package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// stopGrace is how long a child may take to end by itself.
const stopGrace = 10 * time.Second

// Command describes a child process.
type Command struct {
	// Name is how errors call the child.
	Name string
	// Path of the executable, and its arguments.
	Path string
	Args []string
	// Env is added to this process's environment, as KEY=value.
	Env []string
	// LogFile gets what the child writes, at its end; it is created if need be.
	LogFile string
}

// Child is a running child process. On Linux it is killed if this process dies.
type Child struct {
	name    string
	logFile string
	process *os.Process
	ended   chan struct{}
	err     error // how the child ended; read after ended is closed
}

// Start starts a child. Its life does not depend on a context: someone must call Stop or Kill.
func Start(c Command) (*Child, error) {
	log, err := os.OpenFile(c.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	cmd := exec.Command(c.Path, c.Args...) //nolint:gosec,noctx // the caller names the executable, and ends it
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttributes()
	child := &Child{name: c.Name, logFile: c.LogFile, ended: make(chan struct{})}
	started := make(chan error)
	go child.supervise(cmd, log, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	return child, nil
}

// supervise starts cmd and waits for its end, on one thread of its own: the kernel ties a child's death to the thread that
// started it, and the Go runtime ends threads that it does not need.
func (c *Child) supervise(cmd *exec.Cmd, log io.Closer, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() { _ = log.Close() }()
	err := cmd.Start()
	if err != nil {
		started <- err
		return
	}
	c.process = cmd.Process
	started <- nil
	c.err = cmd.Wait()
	close(c.ended)
}

// PID is the child's process id.
func (c *Child) PID() int { return c.process.Pid }

// Ended is closed when the child has ended.
func (c *Child) Ended() <-chan struct{} { return c.ended }

// Stop asks the child to end, and kills it if it has not when ctx ends or ten seconds have passed.
func (c *Child) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	if err := terminate(c.process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", c.name, err)
	}
	select {
	case <-c.ended:
		return nil
	case <-ctx.Done():
		return c.Kill()
	}
}

// Kill ends the child at once, as a crash would.
func (c *Child) Kill() error {
	if err := c.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", c.name, err)
	}
	<-c.ended
	return nil
}

// pollEvery is the time between two looks at a child that is not ready yet.
const pollEvery = 20 * time.Millisecond

// awaitReady calls ready until it succeeds. It fails when the child ends first or ctx does, with the end of the child's log.
func (c *Child) awaitReady(ctx context.Context, ready func(context.Context) error) error {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-c.ended:
			return fmt.Errorf("%s ended before it was ready (%w); the end of %s:\n%s", c.name, c.err, c.logFile, c.logTail())
		case <-ctx.Done():
			return fmt.Errorf("%s did not become ready: %w: %w; the end of %s:\n%s",
				c.name, context.Cause(ctx), err, c.logFile, c.logTail())
		case <-ticker.C:
		}
	}
}

// logTail is the end of the child's log.
func (c *Child) logTail() string {
	const most = 2000
	log, err := os.ReadFile(c.logFile)
	if err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(log[max(0, len(log)-most):]))
}

// freeAddress is an address on the loopback interface that nobody listens on at the moment.
func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}
