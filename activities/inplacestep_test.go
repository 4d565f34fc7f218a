package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// stepInput is a load step on one server whose two sets of weights are known.
func (s *site) stepInput(t *testing.T) swap.LoadStepInput {
	t.Helper()
	s.spec.InPlace.Observe = swap.Duration(100 * time.Millisecond)
	before := s.inspect(t)
	there := mustRun[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, s.swapInput(before))
	facts := swap.PerArm[swap.ArmFacts]{Baseline: s.facts().Baseline, Candidate: s.facts().Baseline}
	facts.Candidate.Model = s.spec.Candidate.Model
	return swap.LoadStepInput{
		Spec: s.spec, Step: 1, Facts: facts, Known: swap.PerArm[*swap.EngineState]{Baseline: &before, Candidate: &there.Swap.State},
	}
}

func TestLoadStepInPlaceServesEachArmInItsBlocks(t *testing.T) {
	t.Parallel()
	for name, lora := range map[string]bool{"sglang": false, "vllm_lora": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newInPlaceSite(t, simengine.SwapFaults{})
			if lora {
				s.withLoRA()
			}
			in := s.stepInput(t)
			got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, in)
			require.Equal(t, 4, got.Blocks, "A B B A")
			for _, arm := range swap.Arms {
				require.Zero(t, got.Outcomes.Get(arm).Failed(), "%s", arm)
			}
			var paths []string
			for _, done := range s.engines.Baseline.Swaps() {
				paths = append(paths, done.Path)
			}
			if lora {
				require.Equal(t, []string{"/w/2", "/w/2"}, paths, "loaded for the measured swap, and for the two blocks in the middle")
				return
			}
			require.Equal(t, []string{"/w/2", "/w/1", "/w/2", "/w/1"}, paths, "there; back for the first block, there for two, back for the last")
		})
	}
}

func TestLoadStepInPlaceEndsWhereAnArmCannotBeServed(t *testing.T) {
	t.Parallel()
	s := newInPlaceSite(t, simengine.SwapFaults{})
	in := s.stepInput(t)
	in.Spec.InPlace.Timeout = swap.Duration(500 * time.Millisecond)
	require.NoError(t, s.engines.Baseline.SetFaults(simengine.Faults{Swap: simengine.SwapFaults{Lie: true}}))
	_, err := run[swap.StepResult](t, s, swap.ActivityLoadStep, in)
	requireType(t, err, TypeSwapNotProven, false)

	in.Known.Candidate = nil
	_, err = run[swap.StepResult](t, s, swap.ActivityLoadStep, in)
	requireType(t, err, TypeInvalidRequest, false)
}

func TestASnapshotHoldsWhatTheServerServed(t *testing.T) {
	t.Parallel()
	s := newInPlaceSite(t, simengine.SwapFaults{})
	s.spec.InPlace.Observe = swap.Duration(50 * time.Millisecond)
	before := s.inspect(t)
	arms := s.facts()
	mustRun[swap.ObjectRef](t, s, swap.ActivityTakeSnapshot, swap.TakeSnapshotInput{Spec: s.spec, Arms: arms, Engine: &before})
	mustRun[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, s.swapInput(before))

	kept := mustRun[swap.Restored](t, s, swap.ActivityRestoreSnapshot, swap.RestoreSnapshotInput{Target: s.spec.Target, Store: s.spec.Store})
	require.NotNil(t, kept.InPlace)
	back := mustRun[swap.ModelSwap](t, s, swap.ActivityRestoreModel, *kept.InPlace)
	require.True(t, back.Changed)
	require.Equal(t, before.Golden, back.State.Golden)
}

func TestPreflightInPlaceAsksTheOneServer(t *testing.T) {
	t.Parallel()
	s := newInPlaceSite(t, simengine.SwapFaults{})
	s.withLoRA()
	got := mustRun[swap.PreflightResult](t, s, swap.ActivityPreflight, swap.PreflightInput{Spec: s.spec})
	require.Equal(t, "m-8b", got.Arms.Baseline.Model)
	require.Equal(t, "m-8b-lora-2", got.Arms.Candidate.Model, "not served yet, and not asked for")
	require.Equal(t, got.Arms.Baseline.Fingerprint, got.Arms.Candidate.Fingerprint)
	for _, f := range got.Findings {
		require.NotEqual(t, swap.Blocking, f.Severity, f.Message)
	}
}
