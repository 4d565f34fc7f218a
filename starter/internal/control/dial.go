package control

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
)

const dialTimeout = 10 * time.Second

// Client is a connection to one Temporal namespace.
type Client struct {
	sdk       client.Client
	Address   string
	Namespace string
}

// Dial connects by Temporal's usual settings (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_PROFILE, TLS, a TOML file) as
// env gives them, and checks that the namespace exists. The error is an *UnreachableError that names both.
func Dial(ctx context.Context, env envconfig.EnvLookup) (*Client, error) {
	opts, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: env})
	if err != nil {
		return nil, &RefusedError{
			Message: fmt.Sprintf("the Temporal connection settings cannot be read: %v", err),
			Next:    "correct the TEMPORAL_… variables or the profile file",
		}
	}
	c := &Client{Address: opts.HostPort, Namespace: opts.Namespace}
	if c.Address == "" {
		c.Address = client.DefaultHostPort
	}
	if c.Namespace == "" {
		c.Namespace = client.DefaultNamespace
	}
	opts.Logger = log.NewStructuredLogger(slog.New(slog.DiscardHandler))
	dialCtx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if c.sdk, err = client.DialContext(dialCtx, opts); err != nil {
		return nil, c.unreachable(err)
	}
	if err := c.checkNamespace(dialCtx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection.
func (c *Client) Close() { c.sdk.Close() }

func (c *Client) checkNamespace(ctx context.Context) error {
	_, err := c.sdk.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: c.Namespace})
	var missing *serviceerror.NamespaceNotFound
	if errors.As(err, &missing) {
		return &UnreachableError{
			What: fmt.Sprintf("Temporal at %s has no namespace %q", c.Address, c.Namespace),
			Next: fmt.Sprintf("set TEMPORAL_NAMESPACE, or create it: temporal operator namespace create %s", c.Namespace),
		}
	}
	return nil
}

func (c *Client) unreachable(err error) error {
	return &UnreachableError{
		What: fmt.Sprintf("Temporal at %s (namespace %q) does not answer", c.Address, c.Namespace),
		Next: "check that it runs and that TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TLS settings are right",
		Err:  err,
	}
}
