package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/swapgate/swapgate/pkg/swap"
)

// checkPlan reports a plan that cannot be judged. The gradient of its load is expanded.
func checkPlan(r *reporter, spec swap.Spec) {
	checkEnoughBlocks(r, spec)
	checkEnoughRequests(r, spec)
	checkOpinionsCanSpeak(r, spec)
	checkScored(r, spec)
}

// checkScored reports a gate on the quality of answers where no prompt can say what a good one is. Whether those of a file do is
// seen where the file is.
func checkScored(r *reporter, spec swap.Spec) {
	for i, g := range spec.Gates {
		if g.Metric == swap.MetricQuality && spec.Workload.PromptFile == "" {
			r.valueUsing(at("gates", i, "metric"), []path{at("workload", "prompt_file"), at("workload", "api")},
				"quality needs prompts that say what a good answer is: name a workload.prompt_file with lines such as "+
					`{"prompt": "…", "expect": {"contains": "…"}}`)
		}
	}
}

// checkEnoughBlocks reports a load that yields fewer blocks than the judge accepts.
func checkEnoughBlocks(r *reporter, spec swap.Spec) {
	planned := estimateLoad(spec).BlocksPerArm
	least := spec.Judge.MinBlocks
	if planned >= least {
		return
	}
	steps := len(spec.Load.Steps)
	rounds := (least + steps - 1) / steps
	advice := fmt.Sprintf("hold every step for %s, add steps, or shorten load.block", short(spec.Load.Block.Std()*time.Duration(rounds)))
	if r.root.find(at("load", "gradient")) != nil {
		advice = fmt.Sprintf("write rounds: %d or more levels in load.gradient, or add steps", rounds)
	}
	r.valueUsing(at("load"), []path{at("judge", "min_blocks")},
		"plans %d blocks per arm, but judge.min_blocks is %d: %s", planned, least, advice)
}

// checkEnoughRequests reports quantile gates for which the load sends too few requests however fast the servers answer. Where it
// depends on them, the preflight says so.
func checkEnoughRequests(r *reporter, spec swap.Spec) {
	requests := estimateLoad(spec).RequestsPerArm
	planned, bounded := requests.Most.Get()
	if !bounded {
		return
	}
	about := "about"
	if _, known := requests.Get(); !known {
		about = "at most about"
	}
	for i, g := range spec.Gates {
		p, isQuantile := g.Stat.Quantile()
		if !isQuantile {
			continue
		}
		need := math.Ceil(float64(spec.Judge.MinTail)/(1-p) - 1e-6)
		if planned >= need {
			continue
		}
		message := fmt.Sprintf("%s %s needs %.0f requests per arm (judge.min_tail is %d), but the load plans %s %.0f: %s",
			g.Metric, g.Stat, need, spec.Judge.MinTail, about, planned, moreRequests(spec.Load, need/planned))
		reportGatePlan(r, i, message)
	}
}

// reportGatePlan places a problem between a gate and the load at the gate, or at the load when the gate is a default.
func reportGatePlan(r *reporter, gate int, message string) {
	p := at("gates", gate)
	using := []path{at("load"), at("judge", "min_tail")}
	if r.root.find(p).pos.known() {
		r.valueUsing(p, using, "%s, or choose a lower quantile", message)
		return
	}
	if !r.spoiled(append(using, at("gates"))...) {
		r.add(p, r.root.locate(at("load")), "load", "the default gate "+message+", or list gates without it")
	}
}

// moreRequests says how to send factor times the requests.
func moreRequests(l swap.Load, factor float64) string {
	if slices.ContainsFunc(l.Steps, func(s swap.Step) bool { return s.Rate == 0 && s.TokenRate != nil }) {
		return fmt.Sprintf("raise token_rate, or hold the steps %s times as long", higher(factor))
	}
	if len(l.Steps) == 1 {
		s := l.Steps[0]
		if s.Rate == 0 || s.Ramp != nil || s.Spike != nil {
			return "use hold: " + longerHold(s.Hold, l.Block, factor)
		}
		return fmt.Sprintf("use hold: %s or rate: %s", longerHold(s.Hold, l.Block, factor), higher(s.Rate*factor))
	}
	longer := "use hold: " + longerHold(l.Steps[0].Hold, l.Block, factor) + " in every step"
	if slices.ContainsFunc(l.Steps, func(s swap.Step) bool { return s.Hold != l.Steps[0].Hold }) {
		longer = fmt.Sprintf("hold the steps %s times as long", higher(factor))
	}
	if slices.ContainsFunc(l.Steps, func(s swap.Step) bool { return s.Rate == 0 }) {
		return longer
	}
	return fmt.Sprintf("%s, or multiply every rate by %s", longer, higher(factor))
}

func longerHold(hold, block swap.Duration, factor float64) string {
	return short(wholeBlocks(time.Duration(math.Ceil(float64(hold)*factor)), block.Std()))
}

// higher rounds up to two decimals.
func higher(v float64) string {
	return strconv.FormatFloat(math.Ceil(v*100-1e-6)/100, 'f', -1, 64)
}
