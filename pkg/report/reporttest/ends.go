package reporttest

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/report"
	"github.com/swapgate/swapgate/pkg/swap"
)

// kneeAt is one curve over all steps with its knee at one step and saturation at another, both counted from 0, on both arms.
func kneeAt(d report.Data, knee, saturation int) []swap.Capacity {
	c := swap.Capacity{}
	for i := range d.Steps {
		c.Steps = append(c.Steps, i+1)
	}
	for _, arm := range swap.Arms {
		top := levelOf(d, arm, len(d.Steps)-1)
		c.Arms.Ptr(arm).Peak, c.Arms.Ptr(arm).Knee, c.Arms.Ptr(arm).Saturation = top, levelOf(d, arm, knee), levelOf(d, arm, saturation)
		c.Arms.Ptr(arm).KneeMessage = fmt.Sprintf("the knee is at %s: 1 %% more load gives 0.80 %% more throughput up to there, and 0.31 %% "+
			"from there to %s", levelOf(d, arm, knee).Label, top.Label)
		c.Arms.Ptr(arm).Bend = bendAt(levelOf(d, arm, knee), top)
		c.Arms.Ptr(arm).SaturationMessage = fmt.Sprintf("%s adds no throughput beyond noise", levelOf(d, arm, saturation).Label)
	}
	return []swap.Capacity{c}
}

// bendAt is a knee that is confirmed, with the most throughput between it and the last level.
func bendAt(knee, top *swap.LoadLevel) *swap.Bend {
	peak := (knee.Load.Or(0) + top.Load.Or(0)) / 2
	b := &swap.Bend{
		Knee: knee, KneeLow: knee.Load, KneeHigh: knee.Load, PeakLoad: swap.Of(peak), PeakLow: swap.Of(peak - 2), PeakHigh: swap.Of(peak + 3),
		FitError: swap.Of(0.014), Confirmed: true,
	}
	b.Message = fmt.Sprintf("Kneedle sees the knee at %s (95 %% interval %s to %s), and the universal scalability law confirms that growth "+
		"ends: throughput is highest at a load of %s (95 %% interval %s to %s); it fits to within 1.4 %%",
		knee.Label, b.KneeLow, b.KneeHigh, b.PeakLoad, b.PeakLow, b.PeakHigh)
	return b
}

func levelOf(d report.Data, arm swap.Arm, step int) *swap.LoadLevel {
	p := d.Steps[step].Arms.Get(arm)
	return &swap.LoadLevel{
		Step: step + 1, Label: d.Steps[step].Label, Load: swap.Of(float64(concurrencies[step])), Throughput: p.Throughput, TTFTP95ms: p.TTFTP95ms,
	}
}

// unsaturated takes knee and saturation away from an arm.
func unsaturated(c *swap.ArmCapacity) {
	c.Knee, c.Saturation = nil, nil
	c.Bend = &swap.Bend{FitError: swap.Of(0.008), Message: "Kneedle sees no knee up to concurrency 32; by the universal scalability law " +
		"throughput grows beyond concurrency 32; it fits to within 0.8 %"}
	c.KneeMessage = "no knee was found up to concurrency 32: growth did not fall by 40 % beyond noise"
	c.SaturationMessage = "saturation was not reached up to concurrency 32"
}

// stopAtLimit ends the last step at a limit that the candidate broke; the baseline has neither knee nor saturation.
func stopAtLimit(v *swap.Verdict) {
	last := &v.Steps[len(v.Steps)-1]
	last.Ended = swap.StepEnd{
		Code: swap.EndedLimit, Arm: swap.Candidate,
		Message: "the candidate's error rate was 3.3 % in block 12 (12 of 60 requests failed); the limit is 2.0 %",
	}
	unsaturated(&v.Capacity[0].Arms.Baseline)
	v.Capacity[0].Arms.Candidate.SaturationMessage = "a limit ended concurrency 32"
}

// prolong makes one step end when it was steady and one at its longest hold; neither arm saturates.
func prolong(v *swap.Verdict) {
	v.Steps[1].Blocks, v.Steps[1].Ended = 16, swap.StepEnd{
		Code: swap.EndedSteady, Message: "the tail is steady after 8 blocks on each arm: the baseline's P99 of TTFT is known to ±9.1 %, " +
			"the candidate's P99 of TTFT is known to ±9.8 %",
	}
	v.Steps[3].Blocks, v.Steps[3].Ended = 40, swap.StepEnd{
		Code: swap.EndedMaxHold, Message: "the tail was not steady after the longest hold of 20 blocks on each arm: the candidate's " +
			"median of TTFT rises; the other arm is steady",
	}
	unsaturated(&v.Capacity[0].Arms.Baseline)
	unsaturated(&v.Capacity[0].Arms.Candidate)
}
