package main

import (
	"errors"
	"strings"

	"github.com/swapgate/swapgate/starter/internal/control"
)

// exitError ends a command with a code. Without a message the code says all, as for a verdict that was printed.
type exitError struct {
	code    int
	message string
	// next are things that a person can do, one a line.
	next []string
}

func (e *exitError) Error() string { return e.message }

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

// explain prints an error once, with what to do next.
func (a *app) explain(err error) {
	if err.Error() == "" {
		return
	}
	a.say("swapgate: %s", strings.TrimRight(err.Error(), "\n"))
	for _, n := range nextSteps(err) {
		a.say("  %s", n)
	}
}

func nextSteps(err error) []string {
	var (
		exit        *exitError
		usage       *usageError
		refused     *control.RefusedError
		running     *control.AlreadyRunningError
		unreachable *control.UnreachableError
	)
	switch {
	case errors.As(err, &exit):
		return exit.next
	case errors.As(err, &usage):
		return []string{"see `swapgate --help`"}
	case errors.As(err, &refused):
		return []string{refused.Next}
	case errors.As(err, &running):
		target := running.Target()
		return []string{
			"watch it:      swapgate result " + target + " --follow",
			"join it:       the same command with --join, if the specification is the same",
			"stop it:       swapgate abort " + target + " --reason …",
		}
	case errors.As(err, &unreachable):
		return []string{unreachable.Next}
	}
	return nil
}
