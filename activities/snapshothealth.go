package activities

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/activity"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/snapshot"
	"github.com/swapgate/swapgate/pkg/swap"
)

// MarkHealthy says beside a snapshot that its run passed, and drops the oldest snapshots of the target.
func (a *Activities) MarkHealthy(ctx context.Context, in swap.MarkHealthyInput) (swap.SnapshotHealth, error) {
	store, err := a.OpenStore(in.Store)
	if err != nil {
		return swap.SnapshotHealth{}, err
	}
	defer store.Close()
	if err := snapshot.MarkHealthy(ctx, store, in.Snapshot, in.Health); err != nil {
		return swap.SnapshotHealth{}, err
	}
	return in.Health, a.pruneSnapshots(ctx, store, in.Target, in.Keep, in.Snapshot)
}

// pruneSnapshots spares what the run itself may go back to, and everything while a rollback of the target runs: it may be restoring
// any of them.
func (a *Activities) pruneSnapshots(ctx context.Context, store *runstore.Store, target string, keep int, own swap.ObjectRef) error {
	if runs, err := a.Running(ctx, swap.RollbackWorkflowID(target)); runs || err != nil {
		activity.GetLogger(ctx).Info("old snapshots are left for later", "rollback_runs", runs, "error", err)
		return nil
	}
	_, err := snapshot.Prune(ctx, store, target, keep, own)
	return err
}

// weightsProofs are what the servers say by which their weights are told from others.
func weightsProofs(arms swap.PerArm[swap.ArmFacts]) []swap.WeightsProof {
	var proofs []swap.WeightsProof
	for _, arm := range swap.Arms {
		f := arms.Get(arm)
		for _, said := range []struct{ method, proof string }{{"weights_id", f.Setup.WeightsID}, {"fingerprint", f.Fingerprint}} {
			if said.proof != "" {
				proofs = append(proofs, swap.WeightsProof{Arm: arm, Method: said.method, Identifier: f.Model, Proof: said.proof})
			}
		}
	}
	return proofs
}

// serviceHash is the hash of what served when a snapshot was taken: the servers as they said they were, and the gateway in front.
func serviceHash(s swap.Snapshot) (string, error) {
	data, err := json.Marshal(struct {
		Arms  swap.PerArm[swap.ArmFacts] `json:"arms"`
		Route *swap.Route                `json:"route"`
	}{s.Arms, s.Route})
	if err != nil {
		return "", fmt.Errorf("hash of the service: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
