// Package conformal says when a value is unusually high compared with healthy values before it, at a rate of alarms that holds
// whatever the values do: adaptive conformal inference (Gibbs and Candès 2021, arXiv 2106.00170). It is pure.
//
// A level aₜ is the share of healthy values that may be above the threshold. It follows the alarms:
//
//	aₜ₊₁ = aₜ + γ·(a* − errₜ), errₜ = 1 where the value was above the threshold, else 0
//
// so that a series that drifts makes the threshold follow, and the mean of err comes to a* for any series at all (see Bound).
// It decides about alarms only; whether a service is rolled back must not depend on a threshold that learns from the service.
package conformal

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Config is how thresholds are set.
type Config struct {
	// Target is a*, the share of values that shall raise an alarm.
	Target float64
	// Step is γ, by how much an alarm moves the level.
	Step float64
	// Window is how many of the last healthy values are looked back at. Fewer than 1/Target−1 of them can set no threshold at the
	// target level.
	Window int
	// Fewest is how many healthy values are needed before anything is judged.
	Fewest int
}

// Defaults aim at one alarm in a hundred values, with γ = 0.02, over the last 500 healthy values.
func Defaults() Config { return Config{Target: 0.01, Step: 0.02, Window: 500, Fewest: 100} }

// Check says what is wrong with the configuration.
func (c Config) Check() error {
	switch {
	case !(c.Target > 0 && c.Target < 1):
		return fmt.Errorf("the target is %g: it must be between 0 and 1", c.Target)
	case !(c.Step > 0 && c.Step < 1):
		return fmt.Errorf("the step is %g: it must be between 0 and 1", c.Step)
	case c.Fewest < 1 || c.Window < c.Fewest:
		return errors.New("the window must hold the fewest healthy values, at least one")
	}
	return nil
}

// State is what is remembered between values. It can be written as JSON and read back.
type State struct {
	// Level is aₜ, from −γ to 1+γ.
	Level float64 `json:"level"`
	// Healthy are the last healthy values, the oldest first.
	Healthy []float64 `json:"healthy"`
	// Judged and Alarms count the values that had a threshold and those above it.
	Judged int `json:"judged"`
	Alarms int `json:"alarms"`
}

// Start is the state before any value, at the target level.
func (c Config) Start() State { return State{Level: c.Target} }

// Judgement is what is thought of one value.
type Judgement struct {
	// Judged is false while there are too few healthy values.
	Judged bool
	// Alarm says that the value is above the threshold.
	Alarm bool
	// Threshold is what the value was compared with; it can be infinite.
	Threshold float64
}

// Threshold is the value that more than a share aₜ of healthy values would not exceed: of n healthy values the ⌈(n+1)(1−aₜ)⌉-th
// smallest, which is exact for values that can be exchanged. It is +Inf where n is too small for the level or the level is 0 or
// less, and −Inf where the level is 1 or more. ok is false while there are too few healthy values.
func (c Config) Threshold(s State) (threshold float64, ok bool) {
	n := len(s.Healthy)
	if n < c.Fewest || n == 0 {
		return 0, false
	}
	const rounding = 1e-9
	rank := int(math.Ceil(float64(n+1)*(1-s.Level) - rounding))
	switch {
	case s.Level <= 0 || rank > n:
		return math.Inf(1), true
	case s.Level >= 1 || rank < 1:
		return math.Inf(-1), true
	}
	sorted := slices.Sorted(slices.Values(s.Healthy))
	return sorted[rank-1], true
}

// Next judges a value by the healthy ones before it and learns from it. healthy says whether it is one to compare later values
// with; an alarm may be, such as one that turned out to be nothing. The state that is passed is not changed. The error is for a
// value that is not finite, which is not learned from, and for a bad configuration.
func (c Config) Next(s State, value float64, healthy bool) (State, Judgement, error) {
	if err := c.Check(); err != nil {
		return s, Judgement{}, err
	}
	if math.IsNaN(value) || math.IsInf(value, 0) || math.IsNaN(s.Level) {
		return s, Judgement{}, fmt.Errorf("%g at level %g cannot be judged: both must be finite", value, s.Level)
	}
	var j Judgement
	j.Threshold, j.Judged = c.Threshold(s)
	if j.Judged {
		j.Alarm = value > j.Threshold
		s.Judged++
		s.Level += c.Step * c.Target
	}
	if j.Alarm {
		s.Alarms++
		s.Level -= c.Step
	}
	if healthy {
		s.Healthy = append(slices.Clone(s.Healthy[max(0, len(s.Healthy)+1-c.Window):]), value)
	}
	return s, j, nil
}

// Bound is how far the share of alarms among the first judged values can be from the target, whatever the values are: with a
// level that started at start from 0 to 1, (max(start, 1−start)+γ)/(γT) (Gibbs and Candès 2021, proposition 4.1).
func (c Config) Bound(start float64, judged int) float64 {
	return (max(start, 1-start) + c.Step) / (c.Step * float64(judged))
}
