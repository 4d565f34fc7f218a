package activities

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/swap"
)

func takeSnapshot(t *testing.T, s *site) swap.ObjectRef {
	t.Helper()
	return mustRun[swap.ObjectRef](t, s, swap.ActivityTakeSnapshot, swap.TakeSnapshotInput{
		Spec: s.spec, SpecSHA256: "spec-hash", Arms: s.facts(), RequestedBy: "ann",
	})
}

func restore(t *testing.T, s *site, in swap.RestoreSnapshotInput) (swap.Restored, error) {
	t.Helper()
	in.Target = "chat"
	if in.Store == (swap.Store{}) {
		in.Store = s.spec.Store
	}
	return run[swap.Restored](t, s, swap.ActivityRestoreSnapshot, in)
}

func TestSnapshotHoldsWhatMustBeRestored(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Rollout.Decay.Rule = swap.DecayACI
	s.setWeights(t, swap.Weights{Baseline: 90, Candidate: 10})
	arms := s.facts()
	arms.Baseline.Fingerprint, arms.Candidate.Setup.WeightsID = "vllm-0.27.0-0a1b2c3d", "step-12"
	ref := mustRun[swap.ObjectRef](t, s, swap.ActivityTakeSnapshot, swap.TakeSnapshotInput{
		Spec: s.spec, SpecSHA256: "spec-hash", Arms: arms, RequestedBy: "ann",
	})
	snap, err := snapshot.Load(t.Context(), openStore(t, s.spec.Store), ref)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), snap.Taken, time.Minute)
	require.NotEmpty(t, snap.RouteVersion)
	require.Len(t, snap.ServiceSHA256, 64)
	again := snap
	snap.Taken, snap.RouteVersion, snap.ServiceSHA256 = time.Time{}, "", ""
	require.Equal(t, swap.Snapshot{
		SchemaVersion: swap.SnapshotVersion, Target: "chat", Route: &s.spec.Rollout.Route, Arms: arms,
		Weights: &swap.Weights{Baseline: 90, Candidate: 10}, SpecSHA256: "spec-hash", RunID: testRunID, RequestedBy: "ann",
		Decay: swap.Of(.05), Proofs: []swap.WeightsProof{
			{Arm: swap.Baseline, Method: "fingerprint", Identifier: "m-8b", Proof: "vllm-0.27.0-0a1b2c3d"},
			{Arm: swap.Candidate, Method: "weights_id", Identifier: "m-8b-fp8", Proof: "step-12"},
		},
	}, snap)
	again.Arms.Candidate.Version = "0.28.0"
	other, err := serviceHash(again)
	require.NoError(t, err)
	require.NotEqual(t, again.ServiceSHA256, other, "another server is another service")
}

func TestSnapshotWithoutARouteHasNothingToRestore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spec.Rollout = nil
	ref := takeSnapshot(t, s)
	got, err := restore(t, s, swap.RestoreSnapshotInput{Snapshot: &ref})
	require.NoError(t, err)
	require.Nil(t, got.Weights)
	require.False(t, got.Changed)
	require.Equal(t, &ref, got.Snapshot)
}

func TestOldSnapshotsArePruned(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var refs []swap.ObjectRef
	for range s.spec.Snapshots.Keep + 2 {
		refs = append(refs, takeSnapshot(t, s))
	}
	store := openStore(t, s.spec.Store)
	keys, err := store.List(t.Context(), "snapshots/chat/")
	require.NoError(t, err)
	var want []string
	for _, ref := range refs[2:] {
		key, err := store.KeyOf(ref)
		require.NoError(t, err)
		want = append(want, key)
	}
	require.Equal(t, want, keys, "the newest are kept")
}

func TestRestoreProvesWhatIsLive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ref := takeSnapshot(t, s)
	s.setWeights(t, swap.Weights{Baseline: 20, Candidate: 80})

	got, err := restore(t, s, swap.RestoreSnapshotInput{Snapshot: &ref})
	require.NoError(t, err)
	require.True(t, got.Changed)
	require.Equal(t, &swap.AllBaseline, got.Weights)
	require.Equal(t, &ref, got.Snapshot)
	require.Equal(t, swap.AllBaseline, s.weights(t))

	again, err := restore(t, s, swap.RestoreSnapshotInput{Snapshot: &ref})
	require.NoError(t, err)
	require.False(t, again.Changed, "what is right is left alone")
	require.Equal(t, &swap.AllBaseline, again.Weights, "and proven all the same")
}

func TestRestoreWithoutAReferenceTakesTheNewest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	takeSnapshot(t, s)
	s.setWeights(t, swap.Weights{Baseline: 70, Candidate: 30})
	newest := takeSnapshot(t, s)
	s.setWeights(t, swap.Weights{Candidate: 100})
	got, err := restore(t, s, swap.RestoreSnapshotInput{})
	require.NoError(t, err)
	require.Equal(t, &newest, got.Snapshot)
	require.Equal(t, swap.Weights{Baseline: 70, Candidate: 30}, s.weights(t))
}

// A person names a snapshot by its address alone.
func TestRestoreByAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	older := takeSnapshot(t, s)
	s.setWeights(t, swap.Weights{Baseline: 70, Candidate: 30})
	takeSnapshot(t, s)
	got, err := restore(t, s, swap.RestoreSnapshotInput{Snapshot: &swap.ObjectRef{URI: older.URI}})
	require.NoError(t, err)
	require.Equal(t, &older, got.Snapshot, "what was restored is named in full")
	require.Equal(t, swap.AllBaseline, s.weights(t))
}

func TestRestoreErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ref := takeSnapshot(t, s)
	store := openStore(t, s.spec.Store)
	_, err := runstore.PutJSON(t.Context(), store, "snapshots/chat/forged.json", snapshot.Schema, map[string]string{"target": "chat"})
	require.NoError(t, err)
	forged := swap.ObjectRef{URI: store.URI("snapshots/chat/forged.json")}
	gone := ref
	gone.URI += ".gone"
	other := ref
	other.SHA256 = "00" + ref.SHA256[2:]

	own := s.spec.Target
	s.spec.Target = "search"
	foreign := takeSnapshot(t, s)
	s.spec.Target = own

	for name, c := range map[string]struct {
		ref  swap.ObjectRef
		name string
	}{
		"another target":  {foreign, TypeInvalidRequest},
		"another hash":    {other, TypeRunCorrupt},
		"not there":       {gone, TypeRunCorrupt},
		"no snapshot":     {forged, TypeRunCorrupt},
		"address of none": {swap.ObjectRef{URI: gone.URI}, TypeRunCorrupt},
		"another bucket":  {swap.ObjectRef{URI: "s3://elsewhere/snapshots/chat/x.json"}, TypeInvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := restore(t, s, swap.RestoreSnapshotInput{Snapshot: &c.ref})
			requireType(t, err, c.name, false)
		})
	}
	empty := newSite(t)
	_, err = restore(t, empty, swap.RestoreSnapshotInput{})
	requireType(t, err, TypeSnapshotMissing, false)
}

func TestRestoreNeverWaitsForTheStore(t *testing.T) {
	t.Parallel()
	for name, breakIt := range map[string]func(t *testing.T, s *site, in *swap.RestoreSnapshotInput){
		"snapshot lost": func(t *testing.T, s *site, in *swap.RestoreSnapshotInput) {
			t.Helper()
			store := openStore(t, s.spec.Store)
			key, err := store.KeyOf(*in.Snapshot)
			require.NoError(t, err)
			require.NoError(t, store.Delete(t.Context(), key))
		},
		"no snapshot taken": func(t *testing.T, _ *site, in *swap.RestoreSnapshotInput) {
			t.Helper()
			in.Snapshot, in.Store = nil, newStore(t)
		},
		"store out of order": func(t *testing.T, s *site, in *swap.RestoreSnapshotInput) {
			t.Helper()
			proxy, cfg := localtest.NewProxy(t, s.spec.Store)
			proxy.Down(true)
			in.Store = cfg
		},
		"store silent": func(t *testing.T, s *site, in *swap.RestoreSnapshotInput) {
			t.Helper()
			in.Store = s.spec.Store
			in.Store.Endpoint = silentAddress(t)
		},
		"store's key gone": func(_ *testing.T, s *site, in *swap.RestoreSnapshotInput) {
			in.Store = s.spec.Store
			in.Store.SecretKey = &swap.SecretRef{File: "/nowhere/key"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			ref := takeSnapshot(t, s)
			s.setWeights(t, swap.Weights{Baseline: 50, Candidate: 50})
			in := swap.RestoreSnapshotInput{Snapshot: &ref, Fallback: &s.spec.Rollout.Route}
			breakIt(t, s, &in)
			began := time.Now()
			got, err := restore(t, s, in)
			require.NoError(t, err)
			require.Less(t, time.Since(began), snapshotPatience+2*time.Second)
			require.Nil(t, got.Snapshot, "no snapshot was restored")
			require.Equal(t, &swap.AllBaseline, got.Weights)
			require.True(t, got.Changed)
			require.Equal(t, swap.AllBaseline, s.weights(t))
		})
	}
}

// A rollback must go on trying whatever the gateway says, so that a person can mend it meanwhile.
func TestRestoreWithAFallbackFailsOnlyWithErrorsWorthRetrying(t *testing.T) {
	t.Parallel()
	wrong := secretFile(t, "hush-wrong")
	for name, c := range map[string]struct {
		change func(*swap.Route)
		name   string
	}{
		"gateway gone":  {func(r *swap.Route) { r.AdminURL = goneURL() }, TypeRouteUnavailable},
		"token refused": {func(r *swap.Route) { r.AdminToken = wrong }, TypeRouteRefused},
		"token missing": {func(r *swap.Route) { r.AdminToken = &swap.SecretRef{File: "/nowhere"} }, TypeSecretMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			route := s.spec.Rollout.Route
			c.change(&route)
			_, err := restore(t, s, swap.RestoreSnapshotInput{Fallback: &route})
			requireType(t, err, c.name, true)
			require.NotContains(t, err.Error(), "hush-wrong")
		})
	}
}

func TestRestoreWinsAgainstAnotherWriter(t *testing.T) {
	t.Parallel()
	var meddle func()
	s := newSite(t, func(p *plan) {
		p.admin = func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut && meddle != nil {
					once := meddle
					meddle = nil
					once()
				}
				next.ServeHTTP(w, r)
			})
		}
	})
	ref := takeSnapshot(t, s)
	s.setWeights(t, swap.Weights{Baseline: 50, Candidate: 50})
	meddle = func() { s.setWeights(t, swap.Weights{Baseline: 40, Candidate: 60}) }
	got, err := restore(t, s, swap.RestoreSnapshotInput{Snapshot: &ref})
	require.NoError(t, err)
	require.Equal(t, &swap.AllBaseline, got.Weights)
	require.Equal(t, swap.AllBaseline, s.weights(t))
}

// silentAddress takes connections and never answers.
func silentAddress(t *testing.T) string {
	t.Helper()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return "http://" + ln.Addr().String()
}
