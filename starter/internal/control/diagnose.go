package control

import (
	"fmt"
	"time"
)

// stuck reports whether the server itself shows that the run does not move.
func stuck(e Execution) bool {
	for _, p := range e.Pending {
		if !p.Started && p.Attempt <= 1 {
			return true
		}
	}
	return e.TaskAttempt > 1
}

// diagnose says what is wrong with a run, one sentence each, the likeliest cause first. answered says whether its worker
// answered a query.
func diagnose(e Execution, missing []Queue, answered bool) []string {
	if e.State != Running {
		return nil
	}
	var problems []string
	if len(missing) > 0 {
		problems = append(problems, describeMissing(missing)+"; "+startWorker(missing))
	}
	if e.TaskAttempt > 1 {
		problems = append(problems, fmt.Sprintf(
			"the workflow's code fails on its worker (attempt %d): %s; deploy a worker with a fix, nothing is lost",
			e.TaskAttempt, e.TaskFailure))
	}
	if !answered && len(problems) == 0 {
		problems = append(problems, fmt.Sprintf("the worker did not answer within %s; it may be busy or have just stopped", answerTimeout))
	}
	for _, p := range e.Pending {
		if s := p.problem(e.WorkflowID); s != "" {
			problems = append(problems, s)
		}
	}
	return problems
}

// problem says what holds the activity up; empty when nothing does.
func (p PendingActivity) problem(workflowID string) string {
	name := fmt.Sprintf("activity %s (id %s)", p.Type, p.ID)
	switch {
	case p.Paused:
		return fmt.Sprintf("%s is paused; resume it: temporal activity unpause -w %s -a %s", name, workflowID, p.ID)
	case p.LastFailure != "":
		s := fmt.Sprintf("%s is at %s; the last one failed: %s", name, p.attempts(), p.LastFailure)
		if p.NextAttempt != nil && !p.Started {
			s += "; next try at " + p.NextAttempt.UTC().Format(time.TimeOnly) + " UTC"
		}
		return s
	}
	return ""
}

func (p PendingActivity) attempts() string {
	if p.MaxAttempts > 0 {
		return fmt.Sprintf("attempt %d of %d", p.Attempt, p.MaxAttempts)
	}
	return fmt.Sprintf("attempt %d", p.Attempt)
}
