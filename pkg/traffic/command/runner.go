package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/pkg/traffic"
	"github.com/swapgate/swapgate/pkg/traffic/webhook"
)

// Exit codes by which a program says what went wrong, after sysexits.h. Any other is taken for something that may pass.
const (
	exitUsage    = 64
	exitConflict = 76
	exitNoPerm   = 77
	exitConfig   = 78
)

const (
	// maxOut bounds what is read of a program's output, maxSaid what is quoted of its complaints.
	maxOut  = 64 << 10
	maxSaid = 300
	// grace is how long a program that was killed may still hold its output open.
	grace = time.Second
	// path is where a program finds others; the worker's own PATH is no part of its configuration.
	path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// Runner runs one program, with "get" or with "set BASELINE CANDIDATE VERSION" after its own arguments.
type Runner struct {
	name    string
	program Program
}

// Capabilities says that nothing is known of what is behind the program.
func (*Runner) Capabilities() traffic.Capabilities { return traffic.Capabilities{} }

// Counters says that the program counts nothing.
func (*Runner) Counters(context.Context) (swap.PerArm[traffic.Counters], bool, error) {
	return swap.PerArm[traffic.Counters]{}, false, nil
}

// Read runs "get", which prints the weights as JSON.
func (r *Runner) Read(ctx context.Context) (traffic.State, error) {
	out, err := r.run(ctx, "get")
	if err != nil {
		return traffic.State{}, fmt.Errorf("read weights: %w", err)
	}
	state, err := webhook.Decode(out)
	if err != nil {
		return traffic.State{}, fmt.Errorf("read weights: %w: command %s: %w", traffic.ErrRefused, r.name, err)
	}
	return state, nil
}

// Apply runs "set", and lets "get" decide whether it worked.
func (r *Runner) Apply(ctx context.Context, want swap.Weights) (traffic.State, error) {
	return traffic.Apply(ctx, "command "+r.name, want, r.Read, func(ctx context.Context, before traffic.State) error {
		_, err := r.run(ctx, "set", strconv.Itoa(want.Baseline), strconv.Itoa(want.Candidate), before.Version)
		return err
	})
}

func (r *Runner) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, done := context.WithTimeout(ctx, r.program.Timeout)
	defer done()
	argv := append(r.program.Argv[1:len(r.program.Argv):len(r.program.Argv)], args...)
	cmd := exec.CommandContext(ctx, r.program.Argv[0], argv...) //nolint:gosec // the worker's own configuration names the program
	cmd.Env = r.environment()
	cmd.Dir = "/"
	cmd.WaitDelay = grace
	killGroup(cmd)
	stdout, stderr := &bounded{limit: maxOut}, &bounded{limit: maxOut}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: command %s: %w", traffic.ErrUnreachable, r.name, ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("%w: command %s: %w%s", meaning(err), r.name, err, r.said(stderr.text.String()))
	case stdout.over:
		return nil, fmt.Errorf("%w: command %s printed more than %d bytes", traffic.ErrRefused, r.name, maxOut)
	}
	return stdout.text.Bytes(), nil
}

func (r *Runner) environment() []string {
	env := []string{"PATH=" + path}
	for _, name := range r.program.Env {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// said quotes what the program complained of, without the values of its variables, which may be credentials.
func (r *Runner) said(text string) string {
	text = strings.TrimSpace(text)
	for _, name := range r.program.Env {
		if value := os.Getenv(name); value != "" {
			text = strings.ReplaceAll(text, value, "["+name+"]")
		}
	}
	if text == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(text[:min(len(text), maxSaid)], "")
}

func meaning(err error) error {
	var exited *exec.ExitError
	if !errors.As(err, &exited) {
		// It could not be started at all.
		return traffic.ErrRefused
	}
	switch exited.ExitCode() {
	case exitConflict:
		return traffic.ErrConflict
	case exitUsage, exitNoPerm, exitConfig:
		return traffic.ErrRefused
	}
	return traffic.ErrUnreachable
}

// bounded keeps the beginning of what is written to it and lets the rest go, so that a program neither blocks nor fills the memory.
type bounded struct {
	text  bytes.Buffer
	limit int
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - b.text.Len()
	b.over = b.over || len(p) > room
	b.text.Write(p[:min(len(p), room)])
	return len(p), nil
}
