package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"
)

func newSimCommand(a *app) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "sim",
		Short: "Run a simulated inference server or a weighted gateway",
		Long:  "Run a simulated inference server of known speed, or a gateway that splits traffic between two servers by weight.",
	})
	cmd.AddCommand(newSimEngineCommand(a), newSimGatewayCommand(a))
	return cmd
}

// readConfig reads a configuration file for parse; without a file it returns fallback.
func readConfig[T any](file string, parse func([]byte) (T, error), fallback T) (T, error) {
	if file == "" {
		return fallback, nil
	}
	data, err := os.ReadFile(file) //nolint:gosec // G304: the person at the command line names the file
	if err != nil {
		return fallback, &usageError{err: err}
	}
	cfg, err := parse(data)
	if err != nil {
		return cfg, &usageError{err: fmt.Errorf("%s: %w", file, err)}
	}
	return cfg, nil
}

func (a *app) listen(ctx context.Context, what, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("listen for %s: %w", what, err)}
	}
	a.say("%s on http://%s", what, ln.Addr())
	return ln, nil
}
