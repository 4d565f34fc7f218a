// Command swapgate tells a release pipeline whether it is safe to replace the model that a service runs with another one.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/swapgate/swapgate/pkg/sim/metronome"
)

func main() {
	metronome.ServeIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the default returns, so that a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
