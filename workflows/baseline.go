package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// changeRegister marks the runs that register a baseline. Runs that began with older workers do not.
const changeRegister = "register-baseline"

// register gives what a passing run measured a place in the history of its target. It cannot change the verdict: what fails
// here is noted and passed over.
func (v *validation) register(ctx workflow.Context) {
	if v.verdict.Verdict != swap.Pass {
		return
	}
	if workflow.GetVersion(ctx, changeRegister, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	actx := workflow.WithActivityOptions(ctx, compute("the baseline of what serves now"))
	in := swap.RegisterBaselineInput{Spec: v.in.Spec, Verdict: v.verdict}
	var registered swap.RegisteredBaseline
	if err := workflow.ExecuteActivity(actx, swap.ActivityRegisterBaseline, in).Get(actx, &registered); err != nil {
		v.note("baseline", "The baseline could not be registered: "+shortError(err),
			"Later runs are held against the one before it.")
		return
	}
	v.verdict.Findings = append(v.verdict.Findings, registered.Findings...)
	registered.Findings = nil
	v.verdict.Registered = &registered
}
