// Command swapgate-worker runs the durable steps of validations: workflows and light activities, load generators, or the
// GPU sampler of a host.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/swapgate/swapgate/pkg/sim/metronome"
	"github.com/swapgate/swapgate/worker/host"
)

// version is set by the linker.
var version = "devel"

func main() {
	metronome.ServeIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := host.Main(ctx, version, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}
