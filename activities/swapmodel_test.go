package activities

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// newInPlaceSite is a site whose baseline server has two sets of weights, swapped as SGLang does.
func newInPlaceSite(t *testing.T, f simengine.SwapFaults, changes ...func(*plan)) *site {
	t.Helper()
	s := newSite(t, append(changes, func(p *plan) {
		p.engines.Baseline.Weights = map[string]simengine.Weights{"/w/1": {Answers: 1}, "/w/2": {Answers: 2}}
		p.engines.Baseline.Loaded = "/w/1"
		p.engines.Baseline.Faults.Swap = f
	})...)
	s.spec.Rollout = nil
	s.spec.Candidate = s.spec.Baseline
	s.spec.Load.Steps = []swap.Step{{Rate: 120, Hold: swap.Duration(400 * time.Millisecond)}}
	s.spec.InPlace = &swap.InPlace{
		Method: swap.InPlaceSGLang, From: swap.InPlaceSource{Path: "/w/1"}, To: swap.InPlaceSource{Path: "/w/2"},
		Timeout: swap.Duration(20 * time.Second), Observe: swap.Duration(1500 * time.Millisecond), Swaps: 1,
		Golden: swap.Golden{Prompts: []string{"Describe the sea.", "Name a river."}, MaxTokens: 12},
	}
	return s
}

// withLoRA swaps adapters of vLLM instead: the base model against one adapter.
func (s *site) withLoRA() {
	s.spec.InPlace.Method, s.spec.InPlace.From = swap.InPlaceVLLMLoRA, swap.InPlaceSource{}
	s.spec.Candidate.Model = "m-8b-lora-2"
}

func (s *site) inspect(t *testing.T) swap.EngineState {
	t.Helper()
	return mustRun[swap.EngineState](t, s, swap.ActivityInspectModel, swap.InspectModelInput{Spec: s.spec, Facts: s.facts().Baseline})
}

func (s *site) swapInput(before swap.EngineState) swap.ModelSwapInput {
	return swap.ModelSwapInput{
		Spec: s.spec, Facts: s.facts().Baseline, Arm: swap.Candidate, Index: 1, Known: swap.PerArm[*swap.EngineState]{Baseline: &before},
	}
}

// What the simulator does in a swap is known, and the measurement must find it.
func TestSwapModelFindsWhatTheSwapDid(t *testing.T) {
	t.Parallel()
	const stall, burst = 600 * time.Millisecond, 500 * time.Millisecond
	s := newInPlaceSite(t, simengine.SwapFaults{Stall: swap.Duration(stall), ErrorBurst: swap.Duration(burst)})
	before := s.inspect(t)
	require.Equal(t, "/w/1", before.Model.Path)
	require.NotEmpty(t, before.Fingerprint)

	got := mustRun[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, s.swapInput(before))
	require.True(t, got.Swap.Changed)
	require.Equal(t, "/w/2", got.Swap.State.Model.Path)
	truth := s.engines.Baseline.Swaps()
	require.Len(t, truth, 1)
	require.WithinDuration(t, time.Unix(0, truth[0].AskedUnixNS), got.Swap.Asked, 100*time.Millisecond)

	seen := got.Transition
	require.NotNil(t, seen)
	require.Zero(t, seen.Before.Outcomes.Failed())
	require.InDelta(t, float64(stall.Milliseconds()), seen.Stall.DurationMS, 150)
	require.Greater(t, seen.Stall.InFlight, 10)
	require.Less(t, seen.Before.LongestGapMS.Or(1e9), 300.0)

	failed := 0
	for _, r := range s.engines.Baseline.Truth(0).Requests {
		if r.Status == http.StatusInternalServerError && r.TraceParent != "" {
			failed++
		}
	}
	require.Positive(t, failed)
	require.InDelta(t, failed, seen.Errors.Count, 1)
	applied := time.Unix(0, truth[0].AppliedUnixNS).Sub(got.Swap.Asked)
	require.InDelta(t, float64(applied.Milliseconds()), seen.Errors.FromMS, 100)
	require.InDelta(t, float64((applied + burst).Milliseconds()), seen.Errors.ToMS, 100)

	require.Equal(t, seen.Spanning.Outcomes.Total(), seen.Spanning.Requests)
	for _, r := range seen.Recovery {
		if r.Metric == swap.MetricErrorRate {
			require.InDelta(t, float64((applied + burst).Milliseconds()), r.AfterMS.Or(0), 200, r.Message)
		}
	}
	require.False(t, got.Swap.Served.Before(time.Unix(0, truth[0].AppliedUnixNS).Add(burst)),
		"golden answers do not come before the errors end")

	records := readWindow(t, s, swap.Window{Raw: got.Raw})
	phases := seen.Before.Requests + seen.During.Requests + seen.After.Requests
	require.InDelta(t, len(records), phases+settled(records, got.Swap), 5, "some are sent between the end of the span and that of the load")
	require.Positive(t, countArms(records)[string(swap.Candidate)])
}

// settled counts the records of settle time, which are in no phase.
func settled(records []rawlog.Record, done swap.ModelSwap) int {
	n := 0
	for _, r := range records {
		if !r.Measured && r.SentUnixNS < done.Asked.UnixNano() {
			n++
		}
	}
	return n
}

func TestSwapModelIsNotDoneTwice(t *testing.T) {
	t.Parallel()
	var loads atomic.Int64
	s := newInPlaceSite(t, simengine.SwapFaults{}, func(p *plan) { p.servers.Baseline = counting("/update_weights_from_disk", &loads) })
	s.spec.InPlace.Observe = swap.Duration(200 * time.Millisecond)
	before := s.inspect(t)
	in := s.swapInput(before)
	first := mustRun[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, in)
	require.NotNil(t, first.Transition)
	again := mustRun[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, in)
	require.False(t, again.Swap.Changed)
	require.Nil(t, again.Transition, "what another attempt did cannot be measured any more")
	require.EqualValues(t, 1, loads.Load())

	in.Known.Candidate, in.Arm, in.Index = &first.Swap.State, swap.Baseline, 2
	back := mustRun[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, in)
	require.True(t, back.Swap.Changed)
	require.Equal(t, before.Golden, back.Swap.State.Golden)

	restore := swap.RestoreModelInput{Spec: s.spec, Facts: s.facts().Baseline, Snapshot: before}
	kept := mustRun[swap.ModelSwap](t, s, swap.ActivityRestoreModel, restore)
	require.False(t, kept.Changed)
	require.EqualValues(t, 2, loads.Load())
}

func TestSwapModelFollowsTheNameOfAnAdapter(t *testing.T) {
	t.Parallel()
	s := newInPlaceSite(t, simengine.SwapFaults{})
	s.withLoRA()
	s.spec.InPlace.Observe = swap.Duration(300 * time.Millisecond)
	before := s.inspect(t)
	got := mustRun[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, s.swapInput(before))
	require.Equal(t, "m-8b-lora-2", got.Swap.State.Model.Name)
	for _, p := range []swap.TransitionPhase{got.Transition.Before, got.Transition.During, got.Transition.After} {
		require.Zero(t, p.Outcomes.Failed(), "no request asks for a name that is gone or not there yet")
	}
	back := mustRun[swap.ModelSwap](t, s, swap.ActivityRestoreModel,
		swap.RestoreModelInput{Spec: s.spec, Facts: s.facts().Baseline, Snapshot: before})
	require.Equal(t, before.Golden, back.State.Golden)
}

func TestSwapModelErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults simengine.SwapFaults
		change func(*swap.ModelSwapInput)
		name   string
		retry  bool
	}{
		"refused in the body of a 200": {faults: simengine.SwapFaults{Refuse: true}, name: TypeSwapRefused},
		"no such weights": {change: func(in *swap.ModelSwapInput) {
			in.Spec.InPlace.To.Path = "/w/9"
		}, name: TypeSwapRefused},
		"another engine": {change: func(in *swap.ModelSwapInput) {
			in.Spec.InPlace.Method = swap.InPlaceTriton
		}, name: TypeSwapUnsupported},
		"unsafe": {change: func(in *swap.ModelSwapInput) {
			in.Spec.InPlace.Method = swap.InPlaceVLLMReload
		}, name: TypeSwapUnsafe},
		"nothing known": {change: func(in *swap.ModelSwapInput) { in.Known.Baseline = nil }, name: TypeInvalidRequest},
		"gone": {change: func(in *swap.ModelSwapInput) {
			in.Spec.InPlace.AdminURL, in.Spec.InPlace.Timeout = goneURL(), swap.Duration(100*time.Millisecond)
		}, name: TypeEngineUnreachable, retry: true},
		"no section": {change: func(in *swap.ModelSwapInput) {
			in.Spec.InPlace = nil
		}, name: TypeInvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			s := newInPlaceSite(t, c.faults)
			s.spec.InPlace.Observe = swap.Duration(50 * time.Millisecond)
			in := s.swapInput(s.inspect(t))
			if c.change != nil {
				copied := *in.Spec.InPlace
				in.Spec.InPlace = &copied
				c.change(&in)
			}
			if in.Spec.InPlace == nil {
				_, err := run[swap.EngineState](t, s, swap.ActivityInspectModel, swap.InspectModelInput{Spec: in.Spec})
				requireType(t, err, c.name, c.retry)
				return
			}
			_, err := run[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, in)
			requireType(t, err, c.name, c.retry)
		})
	}
}

func TestALieIsNotASwapAndIsUndone(t *testing.T) {
	t.Parallel()
	s := newInPlaceSite(t, simengine.SwapFaults{Lie: true})
	s.spec.InPlace.Observe, s.spec.InPlace.Timeout = swap.Duration(100*time.Millisecond), swap.Duration(time.Second)
	before := s.inspect(t)
	_, err := run[swap.ModelSwapResult](t, s, swap.ActivitySwapModel, s.swapInput(before))
	requireType(t, err, TypeSwapNotProven, false)
	require.ErrorContains(t, err, "all golden answers are those of before")

	restore := swap.RestoreModelInput{Spec: s.spec, Facts: s.facts().Baseline, Snapshot: before}
	require.NoError(t, s.engines.Baseline.SetFaults(simengine.Faults{Crash: true}))
	_, err = run[swap.ModelSwap](t, s, swap.ActivityRestoreModel, restore)
	requireType(t, err, TypeEngineUnreachable, true)
	require.NoError(t, s.engines.Baseline.SetFaults(simengine.Faults{}))
	back := mustRun[swap.ModelSwap](t, s, swap.ActivityRestoreModel, restore)
	require.True(t, back.Changed, "the path that the server names is not trusted")
	require.Equal(t, before.Golden, back.State.Golden)
}

func counting(path string, n *atomic.Int64) middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				n.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	}
}
