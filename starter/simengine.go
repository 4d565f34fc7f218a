package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/sim/scenario"
)

const baselineScenario = "baseline"

type simEngineFlags struct {
	listen   string
	config   string
	scenario string
	model    string
	faults   []string
}

func newSimEngineCommand(a *app) *cobra.Command {
	var f simEngineFlags
	cmd := &cobra.Command{
		Use:     "engine",
		Short:   "Run a simulated inference server",
		Long:    "Run a simulated inference server with the OpenAI API and vLLM's metrics.\n\nScenarios:\n" + scenarioList(),
		Example: "  swapgate sim engine --listen 127.0.0.1:8002 --scenario good --fault error_rate=0.05 --fault stall.share=0.1",
		Args:    exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.simEngine(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8001", "listen address")
	cmd.Flags().StringVar(&f.config, "config", "", "JSON file of the server's speed, size and faults")
	cmd.Flags().StringVar(&f.scenario, "scenario", "", "prepared server, in place of --config (default: baseline)")
	cmd.Flags().StringVar(&f.model, "model", "", "name of the model, in place of the configuration's")
	cmd.Flags().StringArrayVar(&f.faults, "fault", nil, "fault, as NAME=VALUE with a dot between nested names; may be repeated")
	return cmd
}

func scenarioList() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %-13s the model that serves now\n", baselineScenario)
	for _, name := range scenario.Names() {
		fmt.Fprintf(&b, "  %-13s %s\n", name, scenario.About(name))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (a *app) simEngine(ctx context.Context, f simEngineFlags) error {
	cfg, err := f.resolve()
	if err != nil {
		return err
	}
	ln, err := a.listen(ctx, "simulated engine "+cfg.Model, f.listen)
	if err != nil {
		return err
	}
	return engine.Serve(ctx, cfg, ln)
}

// resolve puts the flags over the file or the scenario.
func (f simEngineFlags) resolve() (engine.Config, error) {
	if f.config != "" && f.scenario != "" {
		return engine.Config{}, &usageError{err: errors.New("give --config or --scenario, not both")}
	}
	cfg, err := readConfig(f.config, engine.ParseConfig, scenario.Baseline())
	if err != nil {
		return cfg, err
	}
	if f.scenario != "" && f.scenario != baselineScenario {
		if cfg, err = scenario.Candidate(f.scenario); err != nil {
			return cfg, &usageError{err: err}
		}
	}
	if f.model != "" {
		cfg.Model = f.model
	}
	if err := setFields(&cfg.Faults, f.faults); err != nil {
		return cfg, &usageError{err: fmt.Errorf("--fault: %w", err)}
	}
	if err := cfg.Validate(); err != nil {
		return cfg, &usageError{err: err}
	}
	return cfg, nil
}
