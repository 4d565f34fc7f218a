package activities

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

func loadStepInput(s *site) swap.LoadStepInput {
	return swap.LoadStepInput{Spec: s.spec, Step: 1, Facts: s.facts()}
}

// readStep reads what counts of a step; it fails if a record is there twice or missing.
func readStep(t *testing.T, s *site, got swap.StepResult) (swap.StepManifest, []rawlog.Record) {
	t.Helper()
	manifest, records, err := runstore.ReadStep(t.Context(), openStore(t, s.spec.Store), got.Manifest)
	require.NoError(t, err)
	return manifest, records
}

// sealedBlocks are the keys of the blocks that count.
func sealedBlocks(t *testing.T, s *site) []string {
	t.Helper()
	var sealed []string
	for _, key := range stepKeys(t, s) {
		if strings.HasSuffix(key, "/sealed.json") {
			sealed = append(sealed, key)
		}
	}
	return sealed
}

func stepKeys(t *testing.T, s *site) []string {
	t.Helper()
	keys, err := openStore(t, s.spec.Store).List(t.Context(), runstore.StepPrefix(swap.RunKey{Target: "chat", RunID: testRunID}, 1))
	require.NoError(t, err)
	return keys
}

func TestLoadStepSealsEveryBlockOnBothArms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Equal(t, 4, got.Blocks)
	require.Equal(t, "40 req/s", got.Label)
	require.Zero(t, got.Discarded)
	require.Equal(t, got.Planned.Baseline, got.Planned.Candidate, "both arms are asked the same")

	manifest, records := readStep(t, s, got)
	require.Equal(t, swap.RunKey{Target: "chat", RunID: testRunID}, manifest.RunKey)
	require.Len(t, manifest.Blocks, 4)
	hashes := map[int]string{}
	var planned swap.PerArm[int]
	for _, b := range manifest.Blocks {
		*planned.Ptr(b.Arm) += b.Planned
		require.Equal(t, b.Planned, b.Outcomes.Total())
		require.Len(t, b.Slices, 1)
		require.EqualValues(t, b.Planned, b.Slices[0].Raw.Rows)
		require.EqualValues(t, 200, b.MeasuredMS)
		if first, paired := hashes[b.Pair]; paired {
			require.Equal(t, first, b.ScheduleSHA256, "both blocks of a pair run one schedule")
		}
		hashes[b.Pair] = b.ScheduleSHA256
	}
	require.Len(t, hashes, 2)
	require.NotEqual(t, hashes[1], hashes[2])
	require.Equal(t, planned, got.Planned)
	for _, arm := range swap.Arms {
		require.Equal(t, swap.OutcomeCounts{swap.OK: got.Planned.Get(arm)}, got.Outcomes.Get(arm))
		require.Equal(t, got.Planned.Get(arm), countArms(records)[string(arm)])
		require.Equal(t, got.Planned.Get(arm), s.served(arm), "nothing was asked that is not recorded")
		require.Greater(t, got.TTFTP95ms.Get(arm).Or(0), 2.0)
		require.Positive(t, got.Throughput.Get(arm).Or(0))
	}

	again := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Equal(t, got, again, "a step that is complete is not driven again")
	require.Equal(t, got.Planned.Baseline, s.served(swap.Baseline))
}

func TestLoadStepGoesOnWhereAnAttemptDied(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Load.Block, s.spec.Load.Steps[0].Hold = swap.Duration(300*time.Millisecond), swap.Duration(600*time.Millisecond)
	first := start[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	eventually(t, "a block of the candidate runs", func() bool { return s.served(swap.Candidate) > 0 })
	first.cancel()
	_, err := first.wait(t)
	requireCancelled(t, err)
	kept := sealedBlocks(t, s)
	require.NotEmpty(t, kept)
	require.Less(t, len(kept), 4)

	got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Equal(t, 1, got.Discarded)
	require.Subset(t, sealedBlocks(t, s), kept)
	manifest, records := readStep(t, s, got)
	require.Len(t, manifest.Blocks, 4)
	require.Len(t, records, got.Planned.Baseline+got.Planned.Candidate, "no record is there twice")
	require.Len(t, manifest.Discarded, 1)
	lost := manifest.Discarded[0]
	require.Equal(t, len(kept)+1, lost.Block, "the block in which it died")
	require.False(t, lost.Started.IsZero())
	for i, b := range manifest.Blocks {
		byFirst := strings.Contains(b.Slices[0].Raw.URI, "/"+lost.Attempt+"/")
		require.Equal(t, i < len(kept), byFirst, "block %d: sealed blocks are kept, others are driven anew", b.Block)
	}
	for _, r := range records {
		require.Equal(t, string(swap.OK), r.Outcome)
	}
}

func TestLoadStepHandsOverWhenItsWorkerStops(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Load.Block, s.spec.Load.Steps[0].Hold = swap.Duration(700*time.Millisecond), swap.Duration(700*time.Millisecond)
	c := start[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	eventually(t, "the first block runs", func() bool { return s.served(swap.Baseline) > 0 })
	c.stopWorker()
	_, err := c.wait(t)
	requireType(t, err, TypeWorkerStopping, true)
	require.Len(t, sealedBlocks(t, s), 1, "the running block is finished and sealed, and no other begun")

	beats := c.progress(t)
	last := beats[len(beats)-1]
	require.Equal(t, "blocks", last.What)
	require.Equal(t, 2, last.Total)
	require.LessOrEqual(t, last.Done, 2)
	require.Positive(t, last.Requests)
	require.Zero(t, last.Failed)
	require.Greater(t, last.TTFTP95ms.Or(0), 1.0)
	left := map[int]string{0: "2s", 1: "1s"} // of blocks of 750 ms; the last progress is from before or after the first was sealed
	require.Equal(t, left[last.Done], last.ETA)
	for i, b := range beats[1:] {
		require.GreaterOrEqual(t, b.Done, beats[i].Done)
		require.GreaterOrEqual(t, b.Requests, beats[i].Requests)
	}

	got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Zero(t, got.Discarded, "a worker that stops leaves nothing half done")
	readStep(t, s, got)
}

func TestLoadStepStopsTrafficAtOnceWhenCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Load.Block, s.spec.Load.Steps[0].Hold = swap.Duration(time.Minute), swap.Duration(time.Minute)
	c := start[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	eventually(t, "traffic", func() bool { return s.served(swap.Baseline) > 3 })
	cancelled := time.Now()
	c.cancel()
	_, err := c.wait(t)
	requireCancelled(t, err)
	require.Less(t, time.Since(cancelled), time.Second)
	for _, r := range s.engines.Baseline.Truth(0).Requests {
		require.Less(t, time.Unix(0, r.ArrivalUnixNS).Sub(cancelled), 200*time.Millisecond, "no request after the cancel")
	}
	require.Empty(t, sealedBlocks(t, s), "a block that was cut off does not count")
	require.NotEmpty(t, stepKeys(t, s), "but it is known that it was begun")
}

func TestLoadStepOutlastsAnOutageOfTheStore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	proxy, through := localtest.NewProxy(t, s.spec.Store)
	in := loadStepInput(s)
	in.Spec.Store = through
	c := start[swap.StepResult](t, s, swap.ActivityLoadStep, in)
	eventually(t, "the first block runs", func() bool { return s.served(swap.Baseline) > 0 })
	proxy.Down(true)
	eventually(t, "the outage is met", func() bool { return proxy.Refused.Load() > 1 })
	eventually(t, "load goes on in the outage", func() bool { return s.served(swap.Candidate) > 3 })
	proxy.Down(false)
	got, err := c.wait(t)
	require.NoError(t, err)
	require.Zero(t, got.Discarded)
	_, records := readStep(t, s, got)
	require.Len(t, records, s.served(swap.Baseline)+s.served(swap.Candidate), "nothing is lost")
}

func TestLoadStepInAClosedLoop(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Load.Steps[0] = swap.Step{Concurrency: 2, Hold: swap.Duration(200 * time.Millisecond)}
	got := mustRun[swap.StepResult](t, s, swap.ActivityLoadStep, loadStepInput(s))
	require.Equal(t, "concurrency 2", got.Label)
	require.Equal(t, 2, got.Blocks)
	_, records := readStep(t, s, got)
	require.Len(t, records, s.served(swap.Baseline)+s.served(swap.Candidate))
}

func TestLoadStepRefusesWhatNoRetryMends(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, c := range map[string]struct {
		change func(*swap.LoadStepInput)
		name   string
	}{
		"step 0":       {func(in *swap.LoadStepInput) { in.Step = 0 }, TypeInvalidRequest},
		"step 2 of 1":  {func(in *swap.LoadStepInput) { in.Step = 2 }, TypeInvalidRequest},
		"no prompts":   {func(in *swap.LoadStepInput) { in.Spec.Workload.PromptFile = "/nowhere" }, TypeInvalidRequest},
		"bad URL":      {func(in *swap.LoadStepInput) { in.Spec.Baseline.URL = "llm" }, TypeInvalidRequest},
		"no such key":  {func(in *swap.LoadStepInput) { in.Spec.Candidate.APIKey = &swap.SecretRef{File: "/nowhere"} }, TypeSecretMissing},
		"too much":     {func(in *swap.LoadStepInput) { in.Spec.Load.Steps = []swap.Step{{Concurrency: 1e7, Hold: 1e9}} }, TypeClientLimits},
		"store denied": {func(in *swap.LoadStepInput) { in.Spec.Store.Bucket = "nowhere" }, TypeRunStoreDenied},
	} {
		t.Run(name, func(t *testing.T) {
			in := loadStepInput(s)
			c.change(&in)
			_, err := run[swap.StepResult](t, s, swap.ActivityLoadStep, in)
			requireType(t, err, c.name, false)
		})
	}
	require.Zero(t, s.served(swap.Baseline))
}
