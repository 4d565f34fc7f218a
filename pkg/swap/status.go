package swap

import (
	"fmt"
	"strings"
	"time"
)

// Names of workflows, updates and queries: part of the contract with operators and with the Temporal UI.
const (
	WorkflowValidateSwap = "ValidateSwap"
	WorkflowRollbackSwap = "RollbackSwap"

	UpdateApprove  = "approve"
	UpdateAbort    = "abort"
	UpdateExtend   = "extend"
	UpdateRollback = "rollback"

	// SignalLoadNews is how an activity on a load worker tells its workflow how it stands; its argument is a LoadNews.
	SignalLoadNews = "load_news"

	QueryStatus  = "status"
	QueryPlan    = "plan"
	QueryPreview = "verdict_preview"

	// QueueControl runs workflows and light activities; QueueLoad runs load generators; a GPU host's worker polls
	// QueueGPUPrefix + host.
	QueueControl   = "swapgate"
	QueueLoad      = "swapgate-load"
	QueueGPUPrefix = "swapgate-gpu."
)

// ValidateWorkflowID is the workflow id of a target's validation. It is the lock of the target.
func ValidateWorkflowID(target string) string { return "swap-" + target }

// RollbackWorkflowID is the workflow id of a stand-alone rollback.
func RollbackWorkflowID(target string) string { return "rollback-" + target }

// RunURL is the page of a run in the Temporal UI at base; empty without a base.
func RunURL(base, namespace, workflowID, runID string) string {
	if base == "" {
		return ""
	}
	return fmt.Sprintf("%s/namespaces/%s/workflows/%s/%s/history", strings.TrimRight(base, "/"), namespace, workflowID, runID)
}

// Status answers the status query: the same struct that `swapgate status` prints.
type Status struct {
	Target  string       `json:"target"`
	Stage   Stage        `json:"stage"`
	Stages  []StageState `json:"stages"`
	Started time.Time    `json:"started"`
	// PlannedEnd estimates the end of the run, were nothing to fail.
	PlannedEnd time.Time `json:"planned_end"`
	// Verdict is set once there is one.
	Verdict Decision `json:"verdict,omitempty"`
	// StepsDone and Steps count load steps; Windows counts rollout windows.
	StepsDone int `json:"steps_done"`
	Steps     int `json:"steps"`
	Windows   int `json:"windows"`
	// LastWindow is what the last rollout window said, in a sentence; empty before the first.
	LastWindow string `json:"last_window,omitempty"`
	// Weights is the last known split of traffic; absent without a route.
	Weights *Weights `json:"weights,omitempty"`
	// Now says what a load worker is doing, or that one is waited for; empty where there is nothing to say.
	Now string `json:"now,omitempty"`
	// Waiting says what a person can do now, in one sentence; empty when nothing is awaited.
	Waiting string   `json:"waiting,omitempty"`
	Reasons []Reason `json:"reasons,omitempty"`
}

// LoadNews is what an activity on a load worker tells its workflow: that it has begun, and then whatever people should know
// before it ends.
type LoadNews struct {
	ActivityID   string `json:"activity_id"`
	ActivityType string `json:"activity_type"`
	// Note is a sentence for people; empty when an attempt begins.
	Note string `json:"note,omitempty"`
}

// ByRequest is the argument of the updates approve, abort, extend and rollback.
type ByRequest struct {
	// By is who asks.
	By string `json:"by"`
	// Reason is kept with the run.
	Reason string `json:"reason,omitempty"`
	// Weight is the weight that an approval is meant for, in percent; 0 approves whichever is awaited.
	Weight int `json:"weight,omitempty"`
}

// Answer is the result of an update, in a sentence.
type Answer struct {
	Message string `json:"message"`
}
