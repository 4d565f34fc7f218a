// Package scenario holds the simulated models of the demo and of the tests: one baseline and candidates with a known
// difference from it, so that the right verdict about each is known.
package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// candidate is a named change to the baseline.
type candidate struct {
	name, about string
	change      func(*engine.Config)
}

var candidates = []candidate{
	{"good", "8 % faster in prefill and decode", func(c *engine.Config) { speedUp(c, 1.08) }},
	{"same", "no difference but its name", func(*engine.Config) {}},
	{"slow-decode", "decode steps 40 % longer", func(c *engine.Config) { c.Faults.DecodeSlowdown = 1.4 }},
	{"slow-prefill", "prefill 60 % longer", func(c *engine.Config) { c.Faults.PrefillSlowdown = 1.6 }},
	{"slow-tail", "4 % of requests four times slower", func(c *engine.Config) {
		c.Faults.Tail = engine.Tail{Share: 0.04, Factor: 4}
	}},
	{"errors", "3 % of requests fail with HTTP 500", func(c *engine.Config) { c.Faults.ErrorRate = 0.03 }},
	{"early-stop", "30 % of answers end at 40 % of their length", func(c *engine.Config) {
		c.Faults.EarlyStop = engine.EarlyStop{Share: 0.3, Length: 0.4}
	}},
	{"crash", "as the baseline, until its faults are set to crash", func(*engine.Config) {}},
}

// Names lists the candidates.
func Names() []string {
	names := make([]string, len(candidates))
	for i, c := range candidates {
		names[i] = c.name
	}
	return names
}

// About says in a few words what a candidate does; it is empty for an unknown name.
func About(name string) string {
	if i := find(name); i >= 0 {
		return candidates[i].about
	}
	return ""
}

// Baseline is the model that serves now.
func Baseline() engine.Config {
	cfg := engine.Default()
	cfg.Model = "demo-8b-v1"
	return cfg
}

// Candidate is the model that would replace it.
func Candidate(name string) (engine.Config, error) {
	i := find(name)
	if i < 0 {
		return engine.Config{}, fmt.Errorf("no scenario %q: choose one of %s", name, strings.Join(Names(), ", "))
	}
	cfg := Baseline()
	cfg.Model, cfg.Seed = "demo-8b-v2", cfg.Seed+1
	candidates[i].change(&cfg)
	return cfg, nil
}

func find(name string) int {
	return slices.IndexFunc(candidates, func(c candidate) bool { return c.name == name })
}

// speedUp divides every service time by factor.
func speedUp(c *engine.Config, factor float64) {
	faster := func(d swap.Duration) swap.Duration {
		return swap.Duration(float64(time.Duration(d)) / factor)
	}
	c.Prefill.Base = faster(c.Prefill.Base)
	c.Prefill.TokensPerSecond *= factor
	c.Decode.Base = faster(c.Decode.Base)
	c.Decode.PerSequence = faster(c.Decode.PerSequence)
	c.Decode.PerContextToken = faster(c.Decode.PerContextToken)
}
