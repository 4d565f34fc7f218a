package workflows

import (
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Register registers every workflow under its stable name.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(ValidateSwap, workflow.RegisterOptions{Name: swap.WorkflowValidateSwap})
	r.RegisterWorkflowWithOptions(RollbackSwap, workflow.RegisterOptions{Name: swap.WorkflowRollbackSwap})
	r.RegisterWorkflowWithOptions(WatchBaseline, workflow.RegisterOptions{Name: swap.WorkflowWatchBaseline})
}
