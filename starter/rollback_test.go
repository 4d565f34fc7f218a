package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/swapgate/swapgate/pkg/local/localtest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestFailedRollbackSpeaksForItself(t *testing.T) {
	const said = "rollback failed: no snapshot of target chat; set the weights by hand"
	failed := temporal.NewNonRetryableApplicationError(said, "RollbackFailed", nil)
	err := rollbackFailure(fmt.Errorf("workflow execution error (type: RollbackSwap): %w", failed))
	require.EqualError(t, err, said)
	require.Equal(t, exitNoVerdict, exitCode(err))

	other := errors.New("Temporal is away")
	require.Equal(t, other, rollbackFailure(other))
}

// snapshotSite is a store with two snapshots of chat, the older of which is healthy. It returns a specification for it.
func snapshotSite(t *testing.T) (file string, older, newer swap.ObjectRef) {
	t.Helper()
	cfg := localtest.S3(t)
	store, err := runstore.Open(cfg)
	require.NoError(t, err)
	defer store.Close()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	all := swap.AllBaseline
	save := func(at time.Time, run, by string) swap.ObjectRef {
		ref, err := snapshot.Save(t.Context(), store, swap.Snapshot{
			Target: "chat", Taken: at, RunID: run, RequestedBy: by, Weights: &all, Route: &swap.Route{Kind: swap.RouteSwapgate, URL: "http://g"},
			Arms: swap.PerArm[swap.ArmFacts]{Baseline: swap.ArmFacts{Model: "a"}, Candidate: swap.ArmFacts{Model: "b"}},
		})
		require.NoError(t, err)
		return ref
	}
	older, newer = save(noon, "run-1", "ada"), save(noon.Add(time.Hour), "run-2", "")
	require.NoError(t, snapshot.MarkHealthy(t.Context(), store, older, swap.SnapshotHealth{
		VerdictID: "run-1", Verdict: swap.Pass, Decided: noon.Add(time.Minute),
	}))
	spec, err := json.Marshal(map[string]any{
		"target": "chat", "store": cfg,
		"baseline": map[string]string{"url": "http://a", "model": "a"}, "candidate": map[string]string{"url": "http://b", "model": "b"},
	})
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "swap.yaml")
	require.NoError(t, os.WriteFile(file, spec, 0o600))
	return file, older, newer
}

func TestRollbackList(t *testing.T) {
	file, older, newer := snapshotSite(t)
	got := swapgate(t.Context(), offline(t), "rollback", "chat", "--list", "-f", file)
	require.Equal(t, 0, got.code, got.stderr)
	require.Equal(t, "id                taken (UTC)          healthy  baseline  candidate  weights  verdict  by\n"+
		newer.SHA256[:16]+"  2026-05-01 13:00:00  no       a         b          100/0    run-2    -\n"+
		older.SHA256[:16]+"  2026-05-01 12:00:00  yes      a         b          100/0    run-1    ada\n", got.stdout)

	got = swapgate(t.Context(), offline(t), "rollback", "chat", "--list", "-f", file, "-o", "json")
	require.Equal(t, 0, got.code, got.stderr)
	var list []listedSnapshot
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &list))
	require.Len(t, list, 2)
	require.False(t, list[0].Healthy)
	require.True(t, list[1].Healthy)
	require.Equal(t, older.URI, list[1].Ref)

	got = swapgate(t.Context(), offline(t), "rollback", "other", "--list", "-f", file)
	require.Equal(t, exitUsage, got.code)
}

func TestRollbackListShowsWhatIsWrong(t *testing.T) {
	require.Equal(t, "chat has no snapshot: no run of it has come so far\n", snapshotTable("chat", nil))
	text := snapshotTable("chat", []listedSnapshot{
		{ID: "00ff", Problem: "snapshot is corrupt: k: cut off"},
		{ID: "00fe", Taken: time.Unix(0, 0), Problem: "snapshot is corrupt: the mark of k: cut off"},
	})
	require.Contains(t, text, "cannot be restored: snapshot is corrupt: k: cut off")
	require.Contains(t, text, "unknown", "whether it is healthy")
	require.Contains(t, text, "no route")
}
