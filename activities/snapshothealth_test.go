package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/swap"
)

func markHealthy(t *testing.T, s *site, ref swap.ObjectRef) error {
	t.Helper()
	_, err := run[swap.SnapshotHealth](t, s, swap.ActivityMarkHealthy, swap.MarkHealthyInput{
		Target: "chat", Store: s.spec.Store, Keep: s.spec.Snapshots.Keep, Snapshot: ref,
		Health: swap.SnapshotHealth{VerdictID: testRunID, Verdict: swap.Pass, Decided: time.Now(), Decay: swap.Of(.3)},
	})
	return err
}

func snapshotsOf(t *testing.T, s *site) []snapshot.Entry {
	t.Helper()
	entries, err := snapshot.List(t.Context(), openStore(t, s.spec.Store), "chat")
	require.NoError(t, err)
	return entries
}

func TestHealthySnapshotsOutliveOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	healthy := takeSnapshot(t, s)
	require.NoError(t, markHealthy(t, s, healthy))
	require.NoError(t, markHealthy(t, s, healthy), "repeating is allowed")
	for range s.spec.Snapshots.Keep + 3 {
		takeSnapshot(t, s)
	}
	left := snapshotsOf(t, s)
	require.Len(t, left, s.spec.Snapshots.Keep+1)
	last := left[len(left)-1]
	require.Equal(t, healthy, last.Ref)
	require.Equal(t, testRunID, last.Health.VerdictID)
	require.Equal(t, swap.Of(.3), last.Health.Decay)
}

func TestNothingIsPrunedWhileARollbackRuns(t *testing.T) {
	t.Parallel()
	for name, running := range map[string]func(context.Context, string) (bool, error){
		"a rollback runs": func(_ context.Context, id string) (bool, error) { return id == swap.RollbackWorkflowID("chat"), nil },
		"nobody knows":    func(context.Context, string) (bool, error) { return false, errors.New("away") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.deps.Running = running
			for range s.spec.Snapshots.Keep + 2 {
				takeSnapshot(t, s)
			}
			require.Len(t, snapshotsOf(t, s), s.spec.Snapshots.Keep+2)
		})
	}
}

func TestMarkErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ref := takeSnapshot(t, s)
	ref.SHA256 = "00" + ref.SHA256[2:]
	requireType(t, markHealthy(t, s, ref), TypeRunCorrupt, false)
}

// A person names a snapshot by the beginning of its id.
func TestRestoreByID(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	older := takeSnapshot(t, s)
	s.setWeights(t, swap.Weights{Baseline: 70, Candidate: 30})
	takeSnapshot(t, s)
	got, err := restore(t, s, swap.RestoreSnapshotInput{SnapshotID: older.SHA256[:8]})
	require.NoError(t, err)
	require.Equal(t, &older, got.Snapshot)
	require.Equal(t, swap.AllBaseline, s.weights(t))

	_, err = restore(t, s, swap.RestoreSnapshotInput{SnapshotID: "00000000"})
	requireType(t, err, TypeSnapshotMissing, false)
	require.ErrorContains(t, err, older.SHA256[:16], "those that there are")
	_, err = restore(t, s, swap.RestoreSnapshotInput{SnapshotID: "newest"})
	requireType(t, err, TypeInvalidRequest, false)
}

func TestCorruptSnapshotsNameTheWayOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ref := takeSnapshot(t, s)
	store := openStore(t, s.spec.Store)
	key, err := store.KeyOf(ref)
	require.NoError(t, err)
	_, err = store.PutBytes(t.Context(), key, "application/json", []byte(`{"target":"chat"`), snapshot.Schema)
	require.NoError(t, err)
	for _, in := range []swap.RestoreSnapshotInput{{}, {SnapshotID: ref.SHA256[:8]}} {
		_, err = restore(t, s, in)
		requireType(t, err, TypeRunCorrupt, false)
		require.ErrorContains(t, err, "swapgate rollback chat --list")
	}
	require.Equal(t, swap.AllBaseline, s.weights(t), "nothing was changed")
}
