// Package demo prepares the validations of `swapgate demo`: a site on this machine, models to swap, and a specification.
package demo

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"github.com/swapgate/swapgate/pkg/local"
	"github.com/swapgate/swapgate/pkg/swap"
)

//go:embed swap.yaml.tmpl
var specText string

// Spec says what the specification of one demonstrated swap is made of.
type Spec struct {
	Target     string
	Models     *local.Models
	Store      swap.Store
	Seed       uint64
	TemporalUI string
	// Prefix of the keys in the store.
	Prefix string
}

// Write writes the specification to dir and returns the file's path.
func (s Spec) Write(dir string) (string, error) {
	t, err := template.New("swap.yaml").Parse(specText)
	if err != nil {
		return "", fmt.Errorf("specification of the demo: %w", err)
	}
	var text bytes.Buffer
	err = t.Execute(&text, map[string]any{
		"Target": s.Target, "Baseline": s.Models.Engines.Baseline, "Candidate": s.Models.Engines.Candidate,
		"Seed": s.Seed, "Route": s.Models.Route, "Store": s.Store, "Prefix": s.Prefix, "TemporalUI": s.TemporalUI,
	})
	if err != nil {
		return "", fmt.Errorf("specification of the demo: %w", err)
	}
	path := filepath.Join(dir, "swap-"+s.Target+".yaml")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		return "", fmt.Errorf("specification of the demo: %w", err)
	}
	return path, nil
}
