// Package expect says what a good answer to a prompt is, and scores answers by it. It is pure.
package expect

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Expectation is what a good answer must be: one condition or several.
type Expectation struct{ conditions []condition }

// condition is met where any of its alternatives holds of an answer without the space around it.
type condition []func(answer string) bool

// Score is the share of the conditions that an answer meets, from 0 to 1. Space around the answer does not count; case does.
func (e *Expectation) Score(answer string) float64 {
	answer = strings.TrimSpace(answer)
	met := 0
	for _, c := range e.conditions {
		if c.met(answer) {
			met++
		}
	}
	return float64(met) / float64(len(e.conditions))
}

func (c condition) met(answer string) bool {
	for _, holds := range c {
		if holds(answer) {
			return true
		}
	}
	return false
}

func contains(want string) func(string) bool {
	return func(answer string) bool { return strings.Contains(answer, want) }
}

func equals(want string) func(string) bool {
	want = strings.TrimSpace(want)
	return func(answer string) bool { return answer == want }
}

// matches finds a pattern anywhere in the answer. RE2 takes time in proportion to the answer, whatever the pattern.
func matches(pattern *regexp.Regexp) func(string) bool { return pattern.MatchString }

func isJSON(answer string) bool { return json.Valid([]byte(answer)) }
