package metronome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
)

// childGC makes collections rare in a process that does nothing but write.
const childGC = 400

// ServeIfChild turns this process into a metronome if StartChild started it, and then never returns; otherwise it does
// nothing. A program that starts children must call it before anything else.
func ServeIfChild() {
	settings, child := os.LookupEnv(childVariable)
	if !child {
		return
	}
	if err := serveChild(settings, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveChild writes the address of the metronome as a line and serves until stdin ends, which is also what happens when the
// parent dies. An interrupt typed at a terminal is left to the parent.
func serveChild(settings string, stdin io.Reader, stdout io.Writer) error {
	signal.Ignore(os.Interrupt)
	debug.SetGCPercent(childGC)
	var cfg Config
	if err := json.Unmarshal([]byte(settings), &cfg); err != nil {
		return fmt.Errorf("%s: %w", childVariable, err)
	}
	s, err := New(cfg)
	if err != nil {
		return fmt.Errorf("%s: %w", childVariable, err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	listen := net.ListenConfig{KeepAlive: -1}
	ln, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		cancel()
	}()
	_, err = fmt.Fprintf(stdout, "http://%s\n", ln.Addr())
	if err != nil {
		cancel()
	}
	return errors.Join(err, <-served)
}
