package alertrules

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
)

// Options are what a person may choose.
type Options struct {
	// Load is the label of the load level whose numbers count; empty for the last one, the heaviest that passed.
	Load string
	// Selector are PromQL label matchers of the servers' series, such as `job="chat"`. Empty, the model's name is matched where
	// the engine has a label of it.
	Selector string
	// ErrorBudget is the share of requests that may fail; 0 for 0.1 %, or the upper bound of the baseline where that is more.
	ErrorBudget float64
}

// ErrNoRules says that nothing can be alerted on.
var ErrNoRules = errors.New("no alert rules")

// file is a Prometheus rule file.
type file struct {
	Groups []group `yaml:"groups"`
}

type group struct {
	Name  string `yaml:"name"`
	Rules []rule `yaml:"rules"`
}

type rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// writer makes the rules of one entry.
type writer struct {
	entry  registry.Registered
	level  registry.Level
	names  names
	budget float64
	// model are the matchers of series that bear the model's name, server of those that do not.
	model, server string
	rules         []rule
}

// matchers are one or more PromQL label matchers.
var matchers = regexp.MustCompile(`^` + matcher + `(\s*,` + matcher + `)*$`)

const matcher = `\s*[a-zA-Z_][a-zA-Z0-9_]*\s*(=|!=|=~|!~)\s*"([^"\\\n]|\\[\\"nrt])*"\s*`

// YAML is a Prometheus rule file for a registered baseline: the reference, whose numbers count.
func YAML(entry registry.Registered, o Options) ([]byte, error) {
	w, err := newWriter(entry, o)
	if err != nil {
		return nil, err
	}
	w.latency()
	w.errors()
	w.throughput()
	if len(w.rules) == 0 {
		return nil, fmt.Errorf("%w: the engine %q has no Prometheus series that the numbers of a baseline can be held against",
			ErrNoRules, entry.Serving.Engine)
	}
	doc, err := yaml.Marshal(file{Groups: []group{{Name: fmt.Sprintf("swapgate-%s", entry.Target), Rules: w.rules}}})
	if err != nil {
		return nil, fmt.Errorf("write the alert rules of %s: %w", entry.Target, err)
	}
	return append([]byte(w.header()), doc...), nil
}

func newWriter(entry registry.Registered, o Options) (*writer, error) {
	w := &writer{entry: entry, names: namesOf(entry.Serving.Engine), budget: o.ErrorBudget, model: o.Selector, server: o.Selector}
	if len(entry.Levels) == 0 {
		return nil, fmt.Errorf("%w: version %d of %s has no load level", ErrNoRules, entry.Version, entry.Target)
	}
	w.level = entry.Levels[len(entry.Levels)-1]
	if o.Load != "" {
		level, ok := entry.Level(o.Load)
		if !ok {
			return nil, fmt.Errorf("%w: version %d of %s was measured at %s, not at %q",
				ErrNoRules, entry.Version, entry.Target, strings.Join(labels(entry), ", "), o.Load)
		}
		w.level = level
	}
	switch {
	case o.Selector != "" && !matchers.MatchString(o.Selector):
		return nil, fmt.Errorf("%w: %q are no PromQL label matchers, such as job=\"chat\"", ErrNoRules, o.Selector)
	case o.Selector == "" && w.names.modelLabel != "":
		w.model = w.names.modelLabel + "=" + strconv.Quote(entry.Serving.Model)
	}
	if !(o.ErrorBudget >= 0 && o.ErrorBudget < 1) {
		return nil, fmt.Errorf("%w: an error budget of %g is no share of requests", ErrNoRules, o.ErrorBudget)
	}
	if o.ErrorBudget == 0 {
		w.budget = budgetOf(w.level)
	}
	return w, nil
}

func labels(entry registry.Registered) []string {
	found := make([]string, len(entry.Levels))
	for i, l := range entry.Levels {
		found[i] = l.Label
	}
	return found
}

// header is a comment that says where the numbers come from and what is missing.
func (w *writer) header() string {
	missing := ""
	if w.names.failed.series == "" {
		missing += "# The engine does not count failed requests, so there is no rule on errors.\n"
	}
	if w.names.failed.own != "" && w.server == "" {
		missing += "# Failed requests are counted by the web server, whose series name no model: give a selector of these servers.\n"
	}
	if len(w.names.latency) == 0 {
		missing += "# The engine has no histogram of latencies, so there is no rule on latency.\n"
	}
	return fmt.Sprintf("# Written by swapgate from version %d of the baseline of %s: %s, measured at %s on %s.\n%s",
		w.entry.Version, w.entry.Target, strconv.Quote(w.entry.Serving.Model), w.level.Label,
		w.entry.Source.Ended.UTC().Format("2006-01-02"), missing)
}

// add completes a rule.
func (w *writer) add(r rule, severity, summary, description string) {
	r.Labels = map[string]string{
		"severity": severity, "target": w.entry.Target, "baseline_version": strconv.Itoa(w.entry.Version),
	}
	r.Annotations = map[string]string{"summary": summary, "description": description}
	w.rules = append(w.rules, r)
}

// series is a series with its matchers.
func series(name, matchers string) string {
	if matchers == "" {
		return name
	}
	return name + "{" + matchers + "}"
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
