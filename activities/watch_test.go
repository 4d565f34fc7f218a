package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/baseline/registry"
	"github.com/swapgate/swapgate/pkg/runstore"
	simengine "github.com/swapgate/swapgate/pkg/sim/engine"
	"github.com/swapgate/swapgate/pkg/swap"
)

// watchedSite is a site that is watched: one server as both arms, with limits far beyond the noise of a busy machine.
func watchedSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, func(p *plan) { p.engines.Baseline.Prefill.Base = swap.Duration(5 * time.Millisecond) })
	s.spec.Candidate, s.spec.Rollout = s.spec.Baseline, nil
	s.spec.Load.Steps[0].Hold = swap.Duration(800 * time.Millisecond)
	s.spec.Load.Calibration.SendLateness = swap.Duration(time.Minute)
	s.spec.Gates[0].Margin = 5
	s.spec.Watch = swap.Watch{
		Rule: swap.DriftByBounds, Notify: .9, Fail: .92, Block: .94, Distribution: swap.DistributionByBlocks, Distance: .6,
		BlockFor: swap.Duration(time.Hour),
	}
	return s
}

// driven is the load of a watch, kept under a target of its own: the test environment has one run id.
func driven(t *testing.T, s *site, under string) swap.CompareDriftInput {
	t.Helper()
	in := loadStepInput(s)
	in.Spec.Target = under
	step := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, in)
	return swap.CompareDriftInput{Spec: s.spec, Facts: s.facts().Baseline, Manifests: []swap.ObjectRef{step.Manifest}}
}

// registered makes a driven load the baseline of its server.
func registered(t *testing.T, s *site, in swap.CompareDriftInput) registry.Registered {
	t.Helper()
	store := openStore(t, s.spec.Store)
	e, err := readEvidence(t.Context(), store, in.Manifests)
	require.NoError(t, err)
	meter := registry.NewMeter(e.manifests, swap.Baseline)
	require.NoError(t, e.eachRecord(t.Context(), store, meter.Add, swap.Baseline))
	work, err := registry.WorkHash(s.spec)
	require.NoError(t, err)
	arm := registry.Measured{
		Serving: registry.Serving{Model: in.Facts.Model, Engine: in.Facts.Engine, EngineVersion: in.Facts.Version}, Levels: meter.Levels(),
	}
	r, err := registry.Register(t.Context(), store, registry.Draft{
		Target: s.spec.Target, Arms: swap.PerArm[registry.Measured]{Baseline: arm, Candidate: arm},
		Source: registry.Source{
			RunID: "an-earlier-run", WorkSHA256: work, Started: time.Now().AddDate(0, 0, -30), Recorded: time.Now(), Manifests: in.Manifests,
		},
	})
	require.NoError(t, err)
	return r
}

func compareDrift(t *testing.T, s *site, in swap.CompareDriftInput) swap.Drift {
	t.Helper()
	return mustRun[swap.Drift](t, s, swap.ActivityCompareDrift, in)
}

// TestWatchOfADrivenServer runs alone: it measures.
func TestWatchOfADrivenServer(t *testing.T) {
	s := watchedSite(t)
	in := driven(t, s, "past")

	t.Run("without a baseline nothing is decided", func(t *testing.T) {
		got := compareDrift(t, s, in)
		require.Equal(t, swap.DriftInconclusive, got.Response)
		require.Equal(t, swap.ReasonNoBaseline, got.Reasons[0].Code, "%+v", got.Reasons)
		require.Nil(t, got.Baseline)
		require.NotEmpty(t, got.WorkSHA256)
	})
	stored := registered(t, s, in)
	t.Run("against itself it is silent", func(t *testing.T) {
		got := compareDrift(t, s, in)
		require.Equal(t, swap.DriftSilent, got.Response, "%+v", got)
		require.Empty(t, got.Reasons)
		require.Equal(t, stored.Version, got.Baseline.Version)
		require.Len(t, got.Metrics, 2)
		require.Equal(t, "ttft_p50", got.Metrics[0].Name)
		require.Equal(t, 8, got.Metrics[0].Blocks, "the blocks of both halves")
		require.Equal(t, 4, got.Metrics[0].BaselineBlocks)
		require.Len(t, got.Distances, 1)
		require.False(t, got.Distances[0].Drifted)
		require.True(t, hasFinding(got.Findings, "ttft_p50"), "the spread between runs is not known yet")
		require.Equal(t, got, compareDrift(t, s, in), "the same evidence, the same response")
	})
	t.Run("limits are not watched", func(t *testing.T) {
		limited := in
		limited.Spec.Gates = []swap.Gate{{
			Metric: swap.MetricTTFT, Stat: swap.StatP50, VS: swap.AgainstSLO, Limit: 1000, Better: swap.LowerIsBetter,
		}}
		got := compareDrift(t, s, limited)
		require.Equal(t, swap.DriftInconclusive, got.Response)
		require.Empty(t, got.Metrics)
	})
	t.Run("another model has no baseline", func(t *testing.T) {
		other := in
		other.Facts.Model = "m-70b"
		require.Nil(t, compareDrift(t, s, other).Baseline)
	})
	t.Run("another engine is said", func(t *testing.T) {
		other := in
		other.Facts.Version = "9.9"
		got := compareDrift(t, s, other)
		require.NotNil(t, got.Baseline)
		require.True(t, hasFinding(got.Findings, "engine"), "%+v", got.Findings)
	})
	t.Run("a load client that is not believed decides nothing", func(t *testing.T) {
		strict := in
		strict.Spec.Load.Calibration.SendLateness = swap.Duration(time.Nanosecond)
		got := compareDrift(t, s, strict)
		require.Equal(t, swap.DriftInconclusive, got.Response)
		require.Equal(t, swap.ReasonInstrument, got.Reasons[0].Code)
	})
	var slow swap.CompareDriftInput
	t.Run("a server that became slow blocks its target", func(t *testing.T) { slow = slowServer(t, s) })
	t.Run("earlier watches are the history", func(t *testing.T) { watchHistory(t, s, in) })
	t.Run("raw requests that are gone are said", func(t *testing.T) {
		store := openStore(t, s.spec.Store)
		keys, err := store.List(t.Context(), "runs/past/")
		require.NoError(t, err)
		for _, key := range keys {
			require.NoError(t, store.Delete(t.Context(), key))
		}
		got := compareDrift(t, s, slow)
		require.True(t, hasFinding(got.Findings, "distributions"), "%+v", got.Findings)
		require.Len(t, got.Metrics, 2, "the numbers of blocks are in the registry")
		require.Empty(t, got.Distances)
	})
}

func slowServer(t *testing.T, s *site) swap.CompareDriftInput {
	t.Helper()
	engine := s.engines.Baseline
	require.NoError(t, engine.SetFaults(simengine.Faults{PrefillSlowdown: 4}))
	defer func() { require.NoError(t, engine.SetFaults(simengine.Faults{})) }()
	in := driven(t, s, "slow")
	got := compareDrift(t, s, in)
	require.Equal(t, swap.DriftBlock, got.Response, "%+v", got)
	require.Equal(t, swap.ReasonDrifted, got.Reasons[0].Code)
	require.Equal(t, "ttft_p50", got.Reasons[0].Subject)
	require.Contains(t, got.Reasons[0].Message, "the lower bound is above the block limit")
	require.True(t, got.Distances[0].Drifted && got.Distances[0].Larger)

	classic := in
	classic.Spec.Watch.Rule, classic.Spec.Watch.Distribution = swap.DriftClassic3_8, swap.DistributionKSAdaptive
	got = compareDrift(t, s, classic)
	require.Equal(t, swap.DriftBlock, got.Response)
	require.Contains(t, got.Distances[0].Message, "classic_ks_adaptive")
	return in
}

// watchHistory keeps eight usual runs and ten slow ones, and finds the change between them.
func watchHistory(t *testing.T, s *site, in swap.CompareDriftInput) {
	t.Helper()
	store := openStore(t, s.spec.Store)
	work, err := registry.WorkHash(s.spec)
	require.NoError(t, err)
	began := time.Now().Add(-20 * 24 * time.Hour)
	for day := range 18 {
		level := 5.0 + .02*float64(day%3)
		if day >= 8 {
			level *= 3
		}
		r := watchResult(swap.DriftSilent)
		r.WorkSHA256, r.Facts = work, in.Facts
		r.Provenance.RunID, r.Provenance.Started = "watch-run", began.AddDate(0, 0, day)
		r.Metrics = []swap.DriftMetric{{
			Name: "ttft_p50", Gate: s.spec.Gates[0], Now: swap.Of(level), NowError: swap.Of(.01),
		}}
		key := runstore.WatchKey(swap.RunKey{Target: s.spec.Target, RunID: "watch-run"}, r.Provenance.Started)
		_, err := runstore.PutJSON(t.Context(), store, key, watchSchema, r)
		require.NoError(t, err)
	}
	got := compareDrift(t, s, in)
	require.NotEmpty(t, got.Changes, "%+v", got)
	require.Equal(t, "ttft_p50", got.Changes[0].Name)
	require.WithinDuration(t, began.AddDate(0, 0, 8), got.Changes[0].At, time.Second)
	require.InDelta(t, 2, got.Changes[0].Relative.Or(0), .5)
	require.True(t, got.Metrics[0].RunToRun.Valid(), "the spread between runs is known now")
}

func watchResult(r swap.DriftResponse) swap.WatchResult {
	began := time.Now().Add(-time.Minute)
	return swap.WatchResult{
		SchemaVersion: swap.WatchSchemaVersion, Target: "chat", Response: r, Summary: "m-8b on chat is 20 % worse.",
		Reasons: []swap.Reason{}, Metrics: []swap.DriftMetric{}, Steps: []swap.StepResult{},
		Provenance: swap.Provenance{RunID: testRunID, Started: began, Ended: began.Add(30 * time.Second)},
	}
}

func TestBlockOfATarget(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Watch.BlockFor = swap.Duration(time.Hour)
	record := func(r swap.DriftResponse) swap.RecordedDrift {
		return mustRun[swap.RecordedDrift](t, s, swap.ActivityRecordDrift, swap.RecordDriftInput{Spec: s.spec, Result: watchResult(r)})
	}
	blocking := func() (blocked bool, severity swap.Severity) {
		got, err := preflight(t, s)
		require.NoError(t, err)
		for _, f := range got.Findings {
			if f.Subject == "drift" {
				require.Contains(t, f.Message, "m-8b on chat is 20 % worse.")
				return true, f.Severity
			}
		}
		return false, ""
	}
	require.Nil(t, record(swap.DriftFail).Blocked, "nothing was blocked")
	done := record(swap.DriftBlock)
	require.NotNil(t, done.Blocked)
	require.Equal(t, testRunID, done.Blocked.RunID)
	kept, err := runstore.GetJSON[swap.WatchResult](t.Context(), openStore(t, s.spec.Store), done.Stored)
	require.NoError(t, err)
	require.NotNil(t, kept.Blocked)
	require.Contains(t, done.Stored.URI, "/watches/chat/")

	is, severity := blocking()
	require.True(t, is)
	require.Equal(t, swap.Blocking, severity)
	require.NotNil(t, record(swap.DriftInconclusive).Blocked, "what decides nothing leaves the block in force")
	rollout := s.spec.Rollout
	s.spec.Rollout = nil
	_, severity = blocking()
	require.Equal(t, swap.Notable, severity, "measuring changes nothing")
	s.spec.Rollout = rollout

	require.Nil(t, record(swap.DriftSilent).Blocked)
	is, _ = blocking()
	require.False(t, is)

	record(swap.DriftBlock)
	s.deps.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	is, _ = blocking()
	require.False(t, is, "a block ends by itself")
}

func TestWatchErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := run[swap.Drift](t, s, swap.ActivityCompareDrift, swap.CompareDriftInput{
		Spec: s.spec, Manifests: []swap.ObjectRef{{URI: openStore(t, s.spec.Store).URI("runs/none.json")}},
	})
	requireType(t, err, TypeRunCorrupt, false)
	s.spec.Store.Bucket = "no-such-bucket"
	_, err = run[swap.RecordedDrift](t, s, swap.ActivityRecordDrift, swap.RecordDriftInput{Spec: s.spec, Result: watchResult(swap.DriftBlock)})
	requireType(t, err, TypeRunStoreDenied, false)
}

func TestCheckIdle(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var asked []string
	runs, failure := map[string]bool{"swap-chat": true}, error(nil)
	s.deps.Running = func(_ context.Context, id string) (bool, error) {
		asked = append(asked, id)
		return runs[id], failure
	}
	check := func() (swap.CheckIdleResult, error) {
		return run[swap.CheckIdleResult](t, s, swap.ActivityCheckIdle, swap.CheckIdleInput{Target: "chat"})
	}
	got, err := check()
	require.NoError(t, err)
	require.Equal(t, "swap-chat", got.Busy)
	runs = map[string]bool{"watch-chat": true}
	got, err = check()
	require.NoError(t, err)
	require.Equal(t, "watch-chat", got.Busy, "a watch started by hand, seen by a scheduled one")
	runs, asked = nil, nil
	got, err = check()
	require.NoError(t, err)
	require.Empty(t, got.Busy)
	require.Equal(t, []string{"swap-chat", "watch-chat"}, asked)
	failure = errors.New("away")
	_, err = check()
	requireType(t, err, TypeInternal, true)
}

func hasFinding(all []swap.Finding, subject string) bool {
	for _, f := range all {
		if f.Subject == subject {
			return true
		}
	}
	return false
}

func TestDriftStaysSmall(t *testing.T) {
	long := largeVerdict()
	var d swap.Drift
	for _, g := range long.Gates {
		d.Metrics = append(d.Metrics, swap.DriftMetric{
			Gate: g.Gate, Name: g.Name, Baseline: number, Now: number, Change: number, Low: number, High: number, Message: g.Reason.Message,
		})
		d.Changes = append(d.Changes, swap.DriftChange{Name: g.Name, Before: number, After: number, Message: g.Reason.Message})
	}
	d.Reasons, d.Findings = long.Reasons, long.Findings
	require.Less(t, encodedSize(t, d), resultLimit)
}

func TestAWatchSpeaksOfHalves(t *testing.T) {
	w := watch{}
	w.believe(swap.Comparison{
		Gates: []swap.GateResult{{
			Name: "ttft_p99", Decision: swap.Fail, Reason: swap.Reason{Message: "the candidate is slower than the baseline"},
		}},
		Reasons: []swap.Reason{{Code: "C", Subject: "throughput", Message: "3 of 9 answers of the candidate reported no token count"}},
		Findings: []swap.Finding{
			{Subject: "answers", Message: "some of the candidate's answers have another length", Next: "ask the candidate"},
			{Subject: "candidate", Message: "it differs"},
		},
	})
	require.Equal(t, []string{
		"The two halves of the watch, on the same server, differ: the second half is slower than the first half. Something else disturbed the " +
			"server or the load.",
		"3 of 9 answers of the serving model reported no token count",
	}, []string{w.found.Reasons[0].Message, w.found.Reasons[1].Message})
	require.Equal(t, []swap.Finding{
		{Subject: "answers", Message: "some of the serving model's answers have another length", Next: "ask the second half"},
	}, w.found.Findings)
}
