package sizeclass

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Size is the number of parameters of a model, in 10⁹.
type Size struct {
	// Total are all parameters; they take memory.
	Total float64 `json:"billions"`
	// Active are those that a token passes through; they take time. Equal to Total unless the model is a mixture of experts.
	Active float64 `json:"active_billions"`
	// From says what told: "model_sizes", "engine", "model family" or "name".
	From string `json:"from"`
}

const (
	fromRules  = "model_sizes"
	fromEngine = "engine"
	fromFamily = "model family"
	fromName   = "name"
)

// Rule gives models whose name matches a size.
type Rule struct {
	pattern  *regexp.Regexp
	billions float64
}

// Compile makes rules of what a person wrote. A pattern is a regular expression (RE2) that is looked for anywhere in the
// model's name, whatever its case.
func Compile(sizes []swap.ModelSize) ([]Rule, error) {
	rules := make([]Rule, 0, len(sizes))
	for i, s := range sizes {
		pattern, err := regexp.Compile("(?i)" + s.Pattern)
		if err != nil {
			return nil, fmt.Errorf("model_sizes[%d]: the pattern %q is not a regular expression: %w", i, s.Pattern, err)
		}
		if s.Pattern == "" || !(s.Billions > 0) {
			return nil, fmt.Errorf("model_sizes[%d]: it needs a pattern and a number of parameters above 0", i)
		}
		rules = append(rules, Rule{pattern: pattern, billions: s.Billions})
	}
	return rules, nil
}

// Of reads a model's size from its name, such as "meta-llama/Llama-3.1-8B-Instruct", "qwen2.5:0.5b-q4_K_M" or a path. The
// first of the rules that matches counts; then the table of families; then a number in the name itself. ok is false where
// nothing tells.
func Of(model string, rules []Rule) (size Size, ok bool) {
	for _, r := range rules {
		if r.pattern.MatchString(model) {
			return Size{Total: r.billions, Active: r.billions, From: fromRules}, true
		}
	}
	name := strings.ToLower(strings.TrimRight(model, "/"))
	last := name[strings.LastIndexByte(name, '/')+1:]
	for _, n := range []string{last, name} {
		if s, ok := ofFamily(n, mixtures); ok {
			return s, true
		}
		if s, ok := ofName(n); ok {
			return s, true
		}
		if s, ok := ofFamily(n, unnamed); ok {
			return s, true
		}
	}
	return Size{}, false
}

// OfServer is the size that a server has told of itself, unless one of the rules matches, or what Of reads from its model's
// name.
func OfServer(f swap.ArmFacts, rules []Rule) (size Size, ok bool) {
	size, ok = Of(f.Model, rules)
	if told, has := f.Billions.Get(); has && size.From != fromRules {
		return Size{Total: told, Active: told * share(size), From: fromEngine}, true
	}
	return size, ok
}

// share is what part of its parameters a model uses for a token.
func share(s Size) float64 {
	if !(s.Total > 0) {
		return 1
	}
	return s.Active / s.Total
}
