package metronome

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/swapgate/swapgate/pkg/sim/truth"
)

// childVariable holds the configuration of a child process.
const childVariable = "SWAPGATE_METRONOME"

// stopGrace is how long a child may take to end by itself.
const stopGrace = 5 * time.Second

// errNoHook explains a child that is not a metronome.
var errNoHook = errors.New("the program does not call metronome.ServeIfChild before anything else")

// Child is a metronome in a process of its own, so that the load client's runtime and the server's do not disturb each
// other. It ends when this process does.
type Child struct {
	url    string
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *tail
	ended  chan struct{}
	err    error // how the child ended; read after ended is closed
	stop   sync.Once
}

// StartChild runs this program's executable a second time, as a metronome, and returns when it answers. The program must
// call ServeIfChild before it does anything else. ctx bounds only the start; the caller calls Stop.
func StartChild(ctx context.Context, cfg Config) (*Child, error) {
	c, err := startChild(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("start the metronome, against which the load client is calibrated: %w", err)
	}
	return c, nil
}

func startChild(ctx context.Context, cfg Config) (*Child, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if _, child := os.LookupEnv(childVariable); child {
		return nil, errNoHook // or each child would start the next
	}
	settings, err := json.Marshal(cfg)
	if err != nil {
		return nil, err
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return run(ctx, exec.Command(path), string(settings)) //nolint:gosec,noctx // this program; it outlives the start's context
}

func run(ctx context.Context, cmd *exec.Cmd, settings string) (*Child, error) {
	c := &Child{cmd: cmd, stderr: &tail{}, ended: make(chan struct{})}
	cmd.Env = append(os.Environ(), childVariable+"="+settings)
	cmd.Stderr = c.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdin = stdin
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line := make(chan string, 1)
	go c.watch(stdout, line)
	select {
	case first := <-line:
		c.url = first
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), c.Stop())
	}
	if !strings.HasPrefix(c.url, "http://") {
		_ = c.cmd.Process.Kill()
		<-c.ended
		return nil, c.stranger()
	}
	return c, nil
}

// watch passes the child's first line on, empty if there is none, and waits for its end.
func (c *Child) watch(stdout io.Reader, line chan<- string) {
	first, _ := bufio.NewReader(io.LimitReader(stdout, 1<<10)).ReadString('\n')
	line <- strings.TrimSpace(first)
	_, _ = io.Copy(io.Discard, stdout)
	c.err = c.cmd.Wait()
	close(c.ended)
}

// stranger describes a child that ended without an address.
func (c *Child) stranger() error {
	if c.url == "" {
		return fmt.Errorf("%s ended without an address (%s): %s", c.cmd.Path, c.cmd.ProcessState, c.stderr)
	}
	return fmt.Errorf("%s wrote %q where its address was expected: %w", c.cmd.Path, c.url, errNoHook)
}

// URL is the child's base URL, without /v1.
func (c *Child) URL() string { return c.url }

// PID is the child's process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Truth reads all that the child knows. It is an error if the child has forgotten some of it.
func (c *Child) Truth(ctx context.Context) ([]truth.Entry, error) {
	page, err := c.page(ctx)
	if err == nil && page.Dropped > 0 {
		err = fmt.Errorf("the truth of %d requests is no longer kept", page.Dropped)
	}
	if err != nil {
		return nil, fmt.Errorf("read the truth from the metronome: %w", err)
	}
	return page.Requests, nil
}

func (c *Child) page(ctx context.Context) (truth.Page, error) {
	var page truth.Page
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/sim/truth", http.NoBody)
	if err != nil {
		return page, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return page, err
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	if resp.StatusCode != http.StatusOK {
		return page, fmt.Errorf("it answered %s", resp.Status)
	}
	return page, json.NewDecoder(resp.Body).Decode(&page)
}

// Stop ends the child and waits for its end.
func (c *Child) Stop() error {
	c.stop.Do(func() { _ = c.stdin.Close() })
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-c.ended:
	case <-timer.C:
		_ = c.cmd.Process.Kill()
		<-c.ended
	}
	if c.err != nil {
		return fmt.Errorf("the metronome ended badly: %w: %s", c.err, c.stderr)
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const most = 2000
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return "it wrote no error"
	}
	return string(bytes.TrimSpace(t.text))
}
