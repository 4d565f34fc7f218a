package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/baseline/sizeclass"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// passed is the verdict of a run that promoted its candidate after the steps.
func passed(s *site, steps ...swap.StepResult) swap.Verdict {
	end := time.Now().UTC()
	return swap.Verdict{
		Verdict: swap.Pass, Target: s.spec.Target, Arms: s.facts(), Steps: steps,
		Rollout: &swap.RolloutResult{}, FinalWeights: &swap.Weights{Candidate: 100},
		Gates:      []swap.GateResult{rise(s, .04)},
		Provenance: swap.Provenance{WorkflowID: "swap-chat", Started: end.Add(-time.Minute), Ended: end, SpecSHA256: "spec"},
	}
}

// rise is the first gate of the site with a change known to ±1 %.
func rise(s *site, change float64) swap.GateResult {
	g := s.spec.Gates[0]
	return swap.GateResult{
		Gate: g, Name: g.Name(), Decision: swap.Pass, Change: swap.Of(change), Low: swap.Of(change - .01), High: swap.Of(change + .01),
	}
}

func TestRegisteringABaseline(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	_, records := readStep(t, s, step)
	verdict := passed(s, step)
	in := swap.RegisterBaselineInput{Spec: s.spec, Verdict: verdict}
	got := mustRun[swap.RegisteredBaseline](t, s, swap.ActivityRegisterBaseline, in)
	require.Equal(t, 2, got.Version, "version 1 is the model that was replaced")
	require.Equal(t, 1, got.Reference)
	require.Equal(t, swap.Candidate, got.Arm)
	require.Contains(t, got.Why, "worse than version 1")
	require.Equal(t, got, mustRun[swap.RegisteredBaseline](t, s, swap.ActivityRegisterBaseline, in), "a retry changes nothing")

	entry, err := registry.Latest(t.Context(), openStore(t, s.spec.Store), "chat", registry.Query{Model: "m-8b-fp8", Class: "small"})
	require.NoError(t, err)
	require.Equal(t, got.Entry, entry.Ref)
	require.Equal(t, len(measuredOf(records, swap.Candidate)), entry.Levels[0].Requests)
	require.Equal(t, "40 req/s", entry.Levels[0].Label)
	require.InDelta(t, 8, entry.Serving.Billions.Or(0), 0)
	require.Equal(t, "v-test", entry.Source.Version)
	require.Equal(t, runstore.VerdictKey(swap.RunKey{Target: "chat", RunID: testRunID}), entry.Source.Verdict)
	require.Len(t, entry.Source.Manifests, 1)

	t.Run("without a promotion the baseline is registered", func(t *testing.T) {
		other := in
		other.Spec.Target, other.Verdict.Rollout = "other", nil
		got := mustRun[swap.RegisteredBaseline](t, s, swap.ActivityRegisterBaseline, other)
		require.Equal(t, swap.Baseline, got.Arm)
		require.Equal(t, 1, got.Reference)
	})
	t.Run("only a pass is registered", func(t *testing.T) {
		failed := in
		failed.Verdict.Verdict = swap.Fail
		_, err := run[swap.RegisteredBaseline](t, s, swap.ActivityRegisterBaseline, failed)
		requireType(t, err, TypeInvalidRequest, false)
	})
	t.Run("a damaged history is not added to", func(t *testing.T) {
		store := openStore(t, s.spec.Store)
		_, err := store.PutBytes(t.Context(), "registry/broken/v000001.json", runstore.ContentJSON, []byte("{}"), registry.Schema)
		require.NoError(t, err)
		broken := in
		broken.Spec.Target = "broken"
		_, err = run[swap.RegisteredBaseline](t, s, swap.ActivityRegisterBaseline, broken)
		requireType(t, err, TypeRunCorrupt, false)
		p := readPast(t.Context(), store, broken.Spec)
		var c swap.Comparison
		require.NoError(t, p.apply(t.Context(), store, swap.CompareInput{Spec: broken.Spec}, evidence{}, &c))
		require.Contains(t, c.Findings[0].Message, "The history of the target could not be read")
	})
}

// Each of three candidates is 4 % slower than the one before it, with a margin of 10 %: the third is one too many.
func TestRegressionsThatAddUpFail(t *testing.T) {
	gate := swap.Gate{Metric: swap.MetricTTFT, Stat: swap.StatP95, Margin: .1, Unit: swap.Relative, Better: swap.LowerIsBetter}
	s := &site{spec: swap.Spec{Target: "chat", Gates: []swap.Gate{gate}}}
	models := []string{"a", "b", "c", "d"}
	latest := registry.Registered{Entry: registry.Entry{Target: "chat", Version: 1, Serving: registry.Serving{Model: "a"}}}
	for i := range 3 {
		in := swap.CompareInput{Spec: s.spec}
		in.Facts.Baseline.Model = models[i]
		c := swap.Comparison{Decision: swap.Pass, Gates: []swap.GateResult{rise(s, .04)}}
		refuseCreep(latest, in, &c)
		if i < 2 {
			require.Equal(t, swap.Pass, c.Decision, "run %d", i)
		} else {
			require.Equal(t, swap.Fail, c.Decision)
			require.Equal(t, swap.ReasonAddsUp, c.Reasons[0].Code)
			require.Contains(t, c.Reasons[0].Message, "against version 1 of the baseline it is ttft_p95 +12.5 % (")
		}
		latest.Since = latest.Chained(registry.Serving{Model: models[i]}, c.Gates)
		latest.Serving.Model, latest.Reference = models[i+1], &registry.Link{Version: 1}
	}
	in := swap.CompareInput{Spec: s.spec}
	in.Facts.Baseline.Model = "x"
	c := swap.Comparison{Decision: swap.Pass, Gates: []swap.GateResult{rise(s, .04)}}
	refuseCreep(latest, in, &c)
	require.Equal(t, swap.Pass, c.Decision, "nobody compared x with what served before")
}

func TestLimitsBySizeWithoutAHistory(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	step := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	in := swap.CompareInput{Spec: s.spec, Manifests: []swap.ObjectRef{step.Manifest}, Facts: s.facts()}
	bySize := func(in swap.CompareInput) []swap.Finding {
		var found []swap.Finding
		for _, f := range mustRun[swap.Comparison](t, s, swap.ActivityCompareArms, in).Findings {
			if f.Subject == sizeclass.Subject {
				found = append(found, f)
			}
		}
		return found
	}
	got := bySize(in)
	require.Len(t, got, 2, "one for each arm")
	require.Contains(t, got[1].Message, "compare the candidate with. m-8b-fp8 has 8 billion parameters (told by name; class small)")

	in.Spec.ModelSizes = []swap.ModelSize{{Pattern: "^m-", Billions: 70}}
	require.Contains(t, bySize(in)[0].Message, "70 billion parameters (told by model_sizes; class large)")

	mustRun[swap.RegisteredBaseline](t, s, swap.ActivityRegisterBaseline, swap.RegisterBaselineInput{Spec: s.spec, Verdict: passed(s, step)})
	require.Empty(t, bySize(in), "a target with a history is held against that")
}
