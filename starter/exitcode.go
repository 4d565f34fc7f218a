package main

import (
	"context"
	"errors"

	"github.com/swapgate/swapgate/pkg/config"
	"github.com/swapgate/swapgate/pkg/swap"
	"github.com/swapgate/swapgate/starter/internal/control"
)

// The exit codes: a contract with release pipelines, described in docs/cli.md. 64, 69 and 70 are those of sysexits.h.
const (
	exitPass         = 0
	exitFail         = 1
	exitInconclusive = 2
	exitAborted      = 3
	// exitNotify: a watch found a small worsening that people were told of.
	exitNotify = 4
	// exitUsage: what was asked is wrong, or was refused as things stand.
	exitUsage = 64
	// exitUnavailable: Temporal, its namespace or a worker does not answer.
	exitUnavailable = 69
	// exitNoVerdict: the run could not be measured, or has no verdict yet.
	exitNoVerdict = 70
	// exitDetached: a signal ended the command, not the run.
	exitDetached = 130
)

// verdictCode is the exit code of a verdict.
func verdictCode(d swap.Decision) int {
	switch d {
	case swap.Pass:
		return exitPass
	case swap.Fail:
		return exitFail
	case swap.Inconclusive:
		return exitInconclusive
	case swap.Aborted:
		return exitAborted
	case swap.Errored:
		return exitNoVerdict
	}
	return exitNoVerdict
}

// driftCode is the exit code of a watch's response.
func driftCode(r swap.DriftResponse) int {
	switch r {
	case swap.DriftSilent:
		return exitPass
	case swap.DriftNotify:
		return exitNotify
	case swap.DriftFail, swap.DriftBlock:
		return exitFail
	case swap.DriftInconclusive:
		return exitInconclusive
	}
	return exitNoVerdict
}

// exitCode is the exit code of a command that returned err.
func exitCode(err error) int {
	var (
		exit        *exitError
		usage       *usageError
		invalid     *config.Error
		refused     *control.RefusedError
		running     *control.AlreadyRunningError
		unreachable *control.UnreachableError
	)
	switch {
	case err == nil:
		return exitPass
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage), errors.As(err, &invalid), errors.As(err, &refused), errors.As(err, &running):
		return exitUsage
	case errors.As(err, &unreachable):
		return exitUnavailable
	}
	return exitNoVerdict
}

// interrupted gives an error that a signal caused the exit code of one.
func interrupted(ctx context.Context, err error) error {
	var exit *exitError
	if ctx.Err() == nil || errors.As(err, &exit) {
		return err
	}
	return &exitError{
		code: exitDetached, message: "interrupted", next: []string{"a run that was already started goes on: swapgate status TARGET"},
	}
}
