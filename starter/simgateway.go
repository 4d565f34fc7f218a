package main

import (
	"context"
	"errors"
	"net"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/sim/gateway"
	"github.com/swapgate/swapgate/pkg/swap"
)

type simGatewayFlags struct {
	listen string
	admin  string
	config string
	arms   swap.PerArm[gateway.Upstream]
	state  string
}

func newSimGatewayCommand(a *app) *cobra.Command {
	var f simGatewayFlags
	cmd := &cobra.Command{
		Use:     "gateway",
		Short:   "Run a gateway that splits traffic between two servers by weight",
		Example: "  swapgate sim gateway --baseline http://127.0.0.1:8001 --candidate http://127.0.0.1:8002 --candidate-model demo-8b-v2",
		Args:    exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.simGateway(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8000", "listen address for clients")
	cmd.Flags().StringVar(&f.admin, "admin-listen", "127.0.0.1:8010", "listen address of the admin API that sets the weights")
	cmd.Flags().StringVar(&f.config, "config", "", "JSON file of upstreams, weights and token, in place of the flags below")
	cmd.Flags().StringVar(&f.arms.Baseline.URL, "baseline", "", "URL of the baseline's server")
	cmd.Flags().StringVar(&f.arms.Baseline.Model, "baseline-model", "", "model to ask the baseline for (default: what clients name)")
	cmd.Flags().StringVar(&f.arms.Candidate.URL, "candidate", "", "URL of the candidate's server")
	cmd.Flags().StringVar(&f.arms.Candidate.Model, "candidate-model", "", "model to ask the candidate for (default: what clients name)")
	cmd.Flags().StringVar(&f.state, "state-file", "", "file that keeps the weights over a restart")
	return cmd
}

func (a *app) simGateway(ctx context.Context, f simGatewayFlags) error {
	cfg, err := f.resolve()
	if err != nil {
		return err
	}
	ln, err := a.listen(ctx, "gateway", f.listen)
	if err != nil {
		return err
	}
	var adminLn net.Listener
	if adminLn, err = a.listen(ctx, "admin API of the gateway", f.admin); err != nil {
		return errors.Join(err, ln.Close())
	}
	return gateway.Serve(ctx, cfg, ln, adminLn)
}

func (f simGatewayFlags) resolve() (gateway.Config, error) {
	if f.config != "" && f.arms != (swap.PerArm[gateway.Upstream]{}) {
		return gateway.Config{}, &usageError{err: errors.New("give --config or --baseline and --candidate, not both")}
	}
	cfg, err := readConfig(f.config, gateway.ParseConfig, gateway.Config{Upstreams: f.arms, Weights: swap.AllBaseline})
	if err != nil {
		return cfg, err
	}
	if f.state != "" {
		cfg.StateFile = f.state
	}
	if err := cfg.Validate(); err != nil {
		return cfg, &usageError{err: err}
	}
	return cfg, nil
}
