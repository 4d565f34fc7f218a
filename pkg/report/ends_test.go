package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestEveryEndOfAStepIsShown(t *testing.T) {
	ends := []swap.StepEnd{
		{Code: swap.EndedPlanned},
		{Code: swap.EndedSteady, Message: "the tail is steady after 8 blocks on each arm"},
		{Code: swap.EndedMaxHold, Message: "the tail was not steady"},
		{Code: swap.EndedLimit, Arm: swap.Candidate, Message: "the candidate's error rate was 9 %; the limit is 2 %"},
		{},
	}
	var steps []swap.StepResult
	for k, end := range ends {
		steps = append(steps, swap.StepResult{Step: k + 1, Label: "concurrency 8", Blocks: 12, Ended: end})
	}
	require.Equal(t, []endRow{
		{Step: "1", Label: "concurrency 8", Blocks: "12", Ended: "as planned", Why: "The planned blocks were driven.", Tone: "pass"},
		{
			Step: "2", Label: "concurrency 8", Blocks: "12", Ended: "held until steady",
			Why: "The tail is steady after 8 blocks on each arm.", Tone: "pass",
		},
		{
			Step: "3", Label: "concurrency 8", Blocks: "12", Ended: "held to its longest, not steady",
			Why: "The tail was not steady.", Tone: "inconclusive",
		},
		{
			Step: "4", Label: "concurrency 8", Blocks: "12", Ended: "stopped at a limit",
			Why: "The candidate's error rate was 9 %; the limit is 2 %.", Tone: "inconclusive",
		},
		{Step: "5", Label: "concurrency 8", Blocks: "12", Ended: "n/a", Why: "n/a"},
	}, endRows(steps))
}

func TestCapacityIsOneLineForEachArm(t *testing.T) {
	knee := &swap.LoadLevel{Step: 2, Label: "concurrency 16", Load: swap.Of(16), Throughput: swap.Of(480), TTFTP95ms: swap.Of(312)}
	top := &swap.LoadLevel{Step: 3, Label: "concurrency 32", Load: swap.Of(32), Throughput: swap.Of(650)}
	c := swap.Capacity{Steps: []int{1, 2, 3}, Arms: swap.PerArm[swap.ArmCapacity]{
		Baseline: swap.ArmCapacity{
			Knee: knee, Peak: top, Saturation: top, Bend: &swap.Bend{Message: "Kneedle sees it at 16"},
			KneeMessage: "the knee is there", SaturationMessage: "c=32 is flat",
		},
		Candidate: swap.ArmCapacity{KneeMessage: "a knee needs at least 3 load levels"},
	}}
	v := swap.Verdict{Steps: make([]swap.StepResult, 5), Capacity: []swap.Capacity{c}, Gates: make([]swap.GateResult, 1)}
	part := newCapacityPart(v)
	require.Equal(t, []curve{{Lines: []capacityLine{
		{
			Arm: "baseline", Detail: "The knee is there. Kneedle sees it at 16. c=32 is flat.",
			Line: "Knee at concurrency 16 (480 tok/s, TTFT P95 312 ms); saturated at concurrency 32; most throughput 650 tok/s at concurrency 32",
		},
		{Arm: "candidate", Line: "No knee found; no saturation found", Detail: "A knee needs at least 3 load levels."},
	}}}, part.Curves)

	v.Capacity = append(v.Capacity, swap.Capacity{Steps: []int{4, 5}})
	part = newCapacityPart(v)
	require.Equal(t, []string{"Steps 1, 2 and 3", "Steps 4 and 5"}, []string{part.Curves[0].Name, part.Curves[1].Name})

	v.Capacity = nil
	require.Contains(t, newCapacityPart(v).Missing, "differ in their level only")
	v.Gates, v.Stage = nil, swap.StageLoad
	require.Contains(t, newCapacityPart(v).Missing, "the run ended at the stage “load”")
	require.Equal(t, capacityPart{}, newCapacityPart(swap.Verdict{}), "without a step there is nothing to say")
}

func TestTTFTFromColdToSteady(t *testing.T) {
	warm := swap.PerArm[swap.WarmUpResult]{Baseline: swap.WarmUpResult{ColdTTFTms: swap.Of(900), HotTTFTms: swap.Of(100)}}
	d := Data{Verdict: swap.Verdict{WarmUp: &warm, Steps: []swap.StepResult{
		{Step: 1, Label: "concurrency 8", TTFTP50ms: swap.PerArm[swap.Value]{Baseline: swap.Of(120), Candidate: swap.Of(150)}},
		{Step: 2},
	}}}
	d.Steps = []Step{{Arms: swap.PerArm[StepPoint]{Baseline: StepPoint{Unsteady: swap.Of(15)}}}}
	require.Equal(t, []phaseRow{
		{"Cold start", "the first request", "900 ms", "n/a", "n/a"},
		{"Hot start", "median at the end of the warm-up", "100 ms", "n/a", "n/a"},
		{"Steady state, step 1 (concurrency 8)", "median; steady after 15 / n/a requests", "120 ms", "150 ms", "+25.0 %"},
		{"Steady state, step 2", "median", "n/a", "n/a", "n/a"},
	}, newWarmUpSection(d, &figureIDs{}).Phases)
}
