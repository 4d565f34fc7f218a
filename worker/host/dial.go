package host

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	temporallog "go.temporal.io/sdk/log"
)

// Bounds of the pause between two tries to connect.
const (
	dialFirst = 250 * time.Millisecond
	dialMost  = 10 * time.Second
)

// dial connects to Temporal as the environment says (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TLS, profiles). A server that
// is not there yet is waited for, because workers and servers are often started together.
func dial(ctx context.Context, metrics client.MetricsHandler, log *slog.Logger) (client.Client, error) {
	opts, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return nil, fmt.Errorf("read the Temporal connection from the environment: %w", err)
	}
	opts.Logger = temporallog.NewStructuredLogger(log)
	opts.MetricsHandler = metrics
	address, namespace := orDefault(opts.HostPort, client.DefaultHostPort), orDefault(opts.Namespace, client.DefaultNamespace)
	for pause := dialFirst; ; pause = min(2*pause, dialMost) {
		c, err := client.DialContext(ctx, opts)
		if err == nil {
			return c, nil
		}
		log.WarnContext(ctx, "Temporal is not reachable yet", "address", address, "namespace", namespace, "retry_in", pause, "error", err)
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("gave up connecting to Temporal at %s, namespace %s: %w", address, namespace, err)
		case <-time.After(pause):
		}
	}
}

func orDefault(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
