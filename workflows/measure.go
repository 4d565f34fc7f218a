package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/swapgate/swapgate/pkg/swap"
)

// preflight finds out whether the run can be measured and undone at all, before anything is changed.
func (v *validation) preflight(ctx workflow.Context) (string, error) {
	var found swap.PreflightResult
	ctx = workflow.WithActivityOptions(ctx, probe("both arms, store, route, plan"))
	err := workflow.ExecuteActivity(ctx, swap.ActivityPreflight, swap.PreflightInput{Spec: v.in.Spec}).Get(ctx, &found)
	if err != nil {
		return "", err
	}
	v.verdict.Arms = found.Arms
	v.verdict.Findings = append(v.verdict.Findings, found.Findings...)
	v.verdict.Compatibility = found.Compatibility
	v.verdict.FinalWeights = found.Weights
	v.verdict.Provenance.Version = found.Version
	v.board.status.Weights = found.Weights
	var blocking []swap.Reason
	for _, f := range found.Findings {
		if f.Severity == swap.Blocking {
			blocking = append(blocking, swap.Reason{Code: swap.ReasonPreflightBlocking, Subject: f.Subject, Message: f.Message + " " + f.Next})
		}
	}
	if len(blocking) > 0 {
		v.decide(swap.Inconclusive, blocking...)
	}
	return fmt.Sprintf("%s → %s%s", engineLabel(found.Arms.Baseline), engineLabel(found.Arms.Candidate), differ(found.Compatibility)), nil
}

// differ names what is not harmless in how the servers differ; empty if nothing is.
func differ(c *swap.Compatibility) string {
	if c == nil {
		return ""
	}
	var rules []string
	for _, d := range c.Differences {
		if d.Severity != swap.Harmless {
			rules = append(rules, string(d.Rule))
		}
	}
	if len(rules) == 0 {
		return ""
	}
	return "; they differ in " + strings.Join(rules, ", ")
}

func engineLabel(f swap.ArmFacts) string {
	return strings.TrimSpace(f.Model + " on " + f.Engine + " " + f.Version)
}

// takeSnapshot records the state to go back to. From here on every end of the run restores it unless it promoted.
func (v *validation) takeSnapshot(ctx workflow.Context) (string, error) {
	if err := v.inspect(ctx); err != nil {
		return "", err
	}
	var ref swap.ObjectRef
	ctx = workflow.WithActivityOptions(ctx, quick("state to go back to"))
	in := swap.TakeSnapshotInput{
		Spec: v.in.Spec, SpecSHA256: v.in.SpecSHA256, Arms: v.verdict.Arms, RequestedBy: v.in.RequestedBy, Engine: v.inPlace.known.Baseline,
	}
	if err := workflow.ExecuteActivity(ctx, swap.ActivityTakeSnapshot, in).Get(ctx, &ref); err != nil {
		return "", err
	}
	v.verdict.Snapshot = &ref
	return shortSHA(ref.SHA256), nil
}

// warmUp brings both arms to steady state, one after the other so that neither disturbs the other.
func (v *validation) warmUp(ctx workflow.Context) (string, error) {
	if v.in.Spec.InPlace != nil {
		return v.warmUpInPlace(ctx)
	}
	var both swap.PerArm[swap.WarmUpResult]
	for _, arm := range swap.Arms {
		if err := v.warmUpArm(ctx, arm, &both); err != nil {
			return "", err
		}
	}
	v.verdict.WarmUp = &both
	return hotAndCold(both), nil
}

func (v *validation) warmUpArm(ctx workflow.Context, arm swap.Arm, both *swap.PerArm[swap.WarmUpResult]) error {
	in := swap.WarmUpInput{Spec: v.in.Spec, Arm: arm, Facts: v.verdict.Arms.Get(arm)}
	opts := drive(fmt.Sprintf("%s until latency is stable", arm), v.in.Spec.WarmUp.MaxDuration.Std())
	actx := workflow.WithActivityOptions(ctx, opts)
	v.board.scheduled(ctx, swap.ActivityWarmUp, fmt.Sprintf("the warm-up of the %s", arm))
	err := workflow.ExecuteActivity(actx, swap.ActivityWarmUp, in).Get(actx, both.Ptr(arm))
	v.board.released(ctx)
	return err
}

func hotAndCold(both swap.PerArm[swap.WarmUpResult]) string {
	return fmt.Sprintf("cold TTFT %s / %s ms, hot %s / %s ms", both.Baseline.ColdTTFTms, both.Candidate.ColdTTFTms,
		both.Baseline.HotTTFTms, both.Candidate.HotTTFTms)
}

// load drives the steps on both arms in interleaved blocks, with telemetry beside them.
func (v *validation) load(ctx workflow.Context) (string, error) {
	spec := v.in.Spec
	stopCapture := v.capture(ctx, longestLoad(spec.Load)+v.swapTime(spec.Load.Steps...))
	err := v.steps(ctx)
	v.telemetry = stopCapture()
	v.verdict.Telemetry = v.telemetry
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d steps, %s", len(spec.Load.Steps), spec.Load.Duration()), nil
}

// longestLoad is the time that all steps take where each is prolonged as far as it may be.
func longestLoad(l swap.Load) time.Duration {
	var d time.Duration
	for _, s := range l.Steps {
		d += l.LongestStep(s)
	}
	return d
}

func (v *validation) steps(ctx workflow.Context) error {
	for i := range v.in.Spec.Load.Steps {
		res, err := v.step(ctx, i+1)
		if err != nil {
			return err
		}
		v.verdict.Steps = append(v.verdict.Steps, res)
		v.verdict.Findings = append(v.verdict.Findings, res.Findings...)
		v.manifests = append(v.manifests, res.Manifest)
		v.board.stepDone(ctx, len(v.verdict.Steps))
		if res.Ended.Code == swap.EndedLimit {
			break // a load that cannot be held cannot be raised
		}
	}
	return nil
}

// capture starts sampling and returns the function that ends it and collects what was sampled. A capture that fails is
// evidence that is missing, not a reason to stop the load.
func (v *validation) capture(ctx workflow.Context, planned time.Duration) (stop func() []swap.TelemetryResult) {
	captureCtx, cancel := workflow.WithCancel(ctx)
	var futures []workflow.Future
	hosts := append([]string{""}, gpuHosts(v.in.Spec.Telemetry)...)
	for _, host := range hosts {
		queue, what := swap.QueueControl, "engine and exporter pages"
		if host != "" {
			queue, what = swap.QueueGPUPrefix+host, "GPUs of "+host
		}
		actx := workflow.WithActivityOptions(captureCtx, watch(queue, what, planned))
		in := swap.CaptureTelemetryInput{Spec: v.in.Spec, Facts: v.verdict.Arms, Host: host}
		futures = append(futures, workflow.ExecuteActivity(actx, swap.ActivityCaptureTelemetry, in))
	}
	return func() []swap.TelemetryResult {
		cancel()
		results := make([]swap.TelemetryResult, len(futures))
		for i, f := range futures {
			if err := f.Get(ctx, &results[i]); err != nil {
				v.log.Warn("telemetry capture failed", "host", hosts[i], "error", err)
				results[i].Sources = missingSources(v.in.Spec.Telemetry, hosts[i], shortError(err))
			}
		}
		return results
	}
}

// gpuHosts lists the hosts whose workers read NVML, each once, in the order of the request.
func gpuHosts(t swap.Telemetry) []string {
	var hosts []string
	seen := map[string]bool{}
	for _, s := range t.Sources {
		if s.Kind == swap.SourceNVML && !seen[s.Host] {
			seen[s.Host] = true
			hosts = append(hosts, s.Host)
		}
	}
	return hosts
}

func missingSources(t swap.Telemetry, host, why string) []swap.SourceState {
	var out []swap.SourceState
	for _, s := range t.Sources {
		if (s.Kind == swap.SourceNVML) == (host != "") && (host == "" || s.Host == host) {
			out = append(out, swap.SourceState{
				Source: string(s.Kind) + " " + s.URL + s.Host, Arm: s.Arm, Errors: 1, LastError: why, Required: s.Required,
			})
		}
	}
	return out
}

// fitBaseline fits the distribution of the baseline arm.
func (v *validation) fitBaseline(ctx workflow.Context) (string, error) {
	var fit swap.BaselineFit
	ctx = workflow.WithActivityOptions(ctx, compute("distribution of the baseline arm"))
	in := swap.FitBaselineInput{Spec: v.in.Spec, Facts: v.verdict.Arms.Baseline, Manifests: v.manifests}
	if err := workflow.ExecuteActivity(ctx, swap.ActivityFitBaseline, in).Get(ctx, &fit); err != nil {
		return "", err
	}
	v.verdict.Baseline = &fit.Ref
	return fmt.Sprintf("%d metrics", len(fit.Metrics)), nil
}

// compare judges the load stage. Anything but a pass ends the run here.
func (v *validation) compare(ctx workflow.Context) (string, error) {
	var c swap.Comparison
	ctx = workflow.WithActivityOptions(ctx, compute(fmt.Sprintf("%d gates", len(v.in.Spec.Gates))))
	in := swap.CompareInput{Spec: v.in.Spec, Facts: v.verdict.Arms, Manifests: v.manifests, Telemetry: v.telemetry, Steps: v.verdict.Steps}
	if err := workflow.ExecuteActivity(ctx, swap.ActivityCompareArms, in).Get(ctx, &c); err != nil {
		return "", err
	}
	v.verdict.Gates = c.Gates
	v.verdict.Capacity = c.Capacity
	v.verdict.Reaction = c.Reaction
	v.verdict.Jitter = c.Jitter
	v.verdict.Attribution = c.Attribution
	v.verdict.Opinions = c.Opinions
	v.verdict.Findings = append(v.verdict.Findings, c.Findings...)
	v.verdict.Provenance.EvidenceSHA256 = c.EvidenceSHA256
	if c.Decision != swap.Pass {
		v.decide(c.Decision, c.Reasons...)
	} else {
		v.verdict.Reasons = append(v.verdict.Reasons, c.Reasons...)
	}
	return string(c.Decision), nil
}

func shortSHA(s string) string {
	if len(s) > 12 {
		return s[:12]
	}
	return s
}
