package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
)

func TestFailedRollbackSpeaksForItself(t *testing.T) {
	const said = "rollback failed: no snapshot of target chat; set the weights by hand"
	failed := temporal.NewNonRetryableApplicationError(said, "RollbackFailed", nil)
	err := rollbackFailure(fmt.Errorf("workflow execution error (type: RollbackSwap): %w", failed))
	require.EqualError(t, err, said)
	require.Equal(t, exitNoVerdict, exitCode(err))

	other := errors.New("Temporal is away")
	require.Equal(t, other, rollbackFailure(other))
}
