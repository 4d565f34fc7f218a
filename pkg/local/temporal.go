package local

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/swapgate/swapgate/pkg/swap"
)

const temporalReadyWithin = time.Minute

// TemporalCommand says how to run a Temporal dev server as a child process.
type TemporalCommand struct {
	// Path of the temporal CLI; see FindTemporal.
	Path string
	// Dir gets the database and the log.
	Dir string
	// Address is host:port of the frontend; empty is a free port on the loopback interface.
	Address string
	// UIAddress is host:port of the web UI; empty is a free port of the frontend's host. Both share one host.
	UIAddress string
	// UI says whether the web UI is served.
	UI bool
	// Namespace is created; empty is "default".
	Namespace string
}

// Temporal is a dev server in a child process. Runs survive a restart.
type Temporal struct {
	*Child
	command TemporalCommand
}

// StartTemporal starts a dev server with swapgate's search attributes and waits until it answers.
func StartTemporal(ctx context.Context, c TemporalCommand) (*Temporal, error) {
	if c.Namespace == "" {
		c.Namespace = client.DefaultNamespace
	}
	for _, address := range []*string{&c.Address, &c.UIAddress} {
		if *address != "" {
			continue
		}
		free, err := freeAddress(ctx)
		if err != nil {
			return nil, err
		}
		*address = free
	}
	t := &Temporal{command: c}
	if err := t.start(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// Restart starts the server again after Stop or Kill, on the same address and database.
func (t *Temporal) Restart(ctx context.Context) error { return t.start(ctx) }

func (t *Temporal) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, temporalReadyWithin)
	defer cancel()
	args, err := t.command.args()
	if err != nil {
		return fmt.Errorf("start the Temporal dev server: %w", err)
	}
	t.Child, err = Start(Command{
		Name: "Temporal dev server", Path: t.command.Path, Args: args, LogFile: filepath.Join(t.command.Dir, "temporal.log"),
	})
	if err != nil {
		return err
	}
	if err := t.awaitReady(ctx, t.healthy); err != nil {
		_ = t.Kill()
		return err
	}
	return nil
}

// args are the arguments of `temporal`.
func (c TemporalCommand) args() ([]string, error) {
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil {
		return nil, err
	}
	args := []string{
		"server", "start-dev", "--ip", host, "--port", port, "--namespace", c.Namespace,
		"--db-filename", filepath.Join(c.Dir, "temporal.db"), "--log-level", "warn",
		// Without it, an attribute that was just registered is unknown for up to a minute.
		"--dynamic-config-value", "system.forceSearchAttributesCacheRefreshOnRead=true",
	}
	for _, name := range swap.SearchAttributes {
		args = append(args, "--search-attribute", name+"=Keyword")
	}
	if !c.UI {
		return append(args, "--headless"), nil
	}
	uiHost, uiPort, err := net.SplitHostPort(c.UIAddress)
	if err != nil {
		return nil, err
	}
	return append(args, "--ui-ip", uiHost, "--ui-port", uiPort), nil
}

// healthy says that the namespace can be used, which is later than that the port is open.
func (t *Temporal) healthy(ctx context.Context) error {
	c, err := t.Dial(ctx, log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: t.Namespace()})
	return err
}

// Address is host:port of the frontend.
func (t *Temporal) Address() string { return t.command.Address }

// Namespace is the namespace that the server was started with.
func (t *Temporal) Namespace() string { return t.command.Namespace }

// UIURL is the address of the web UI; empty if it is not served.
func (t *Temporal) UIURL() string {
	if !t.command.UI {
		return ""
	}
	return "http://" + t.command.UIAddress
}

// Dial connects to the server; the caller closes the client.
func (t *Temporal) Dial(ctx context.Context, logger log.Logger) (client.Client, error) {
	c, err := client.DialContext(ctx, client.Options{HostPort: t.Address(), Namespace: t.Namespace(), Logger: logger})
	if err != nil {
		return nil, fmt.Errorf("connect to the Temporal dev server at %s, namespace %s: %w", t.Address(), t.Namespace(), err)
	}
	return c, nil
}
