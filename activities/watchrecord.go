package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// Schemas of what a watch leaves in the store.
const (
	watchSchema = "watch/v" + swap.WatchSchemaVersion
	blockSchema = "target-block/v1"
)

// RecordDrift keeps the result of a watch as history, and sets or ends the block of its target. A later watch that is silent ends
// it; one that fails or decides nothing leaves it in force.
func (a *Activities) RecordDrift(ctx context.Context, in swap.RecordDriftInput) (swap.RecordedDrift, error) {
	store, err := a.OpenStore(in.Spec.Store)
	if err != nil {
		return swap.RecordedDrift{}, err
	}
	defer store.Close()
	run := runKey(ctx, in.Spec.Target)
	var done swap.RecordedDrift
	if done.Blocked, err = a.settleBlock(ctx, store, run, in); err != nil {
		return swap.RecordedDrift{}, err
	}
	in.Result.Blocked = done.Blocked
	done.Stored, err = runstore.PutJSON(ctx, store, runstore.WatchKey(run, in.Result.Provenance.Started), watchSchema, in.Result)
	return done, err
}

func (a *Activities) settleBlock(
	ctx context.Context, store *runstore.Store, run swap.RunKey, in swap.RecordDriftInput,
) (*swap.TargetBlock, error) {
	key := runstore.TargetBlockKey(run.Target)
	switch in.Result.Response {
	case swap.DriftBlock:
		since := in.Result.Provenance.Ended
		block := swap.TargetBlock{
			Target: run.Target, Reason: in.Result.Summary, Since: since, Until: since.Add(in.Spec.Watch.BlockFor.Std()), RunID: run.RunID,
		}
		_, err := runstore.PutJSON(ctx, store, key, blockSchema, block)
		return &block, err
	case swap.DriftSilent:
		return nil, store.Delete(ctx, key)
	case swap.DriftInconclusive, swap.DriftNotify, swap.DriftFail:
	}
	return a.blockOf(ctx, store, run.Target)
}

// blockOf is the block of a target that is in force, or nil.
func (a *Activities) blockOf(ctx context.Context, store *runstore.Store, target string) (*swap.TargetBlock, error) {
	block, _, err := runstore.GetKeyJSON[swap.TargetBlock](ctx, store, runstore.TargetBlockKey(target))
	if errors.Is(err, runstore.ErrNotFound) || err == nil && !a.Now().Before(block.Until) {
		return nil, nil //nolint:nilnil // a target without a block is a normal one
	}
	return &block, err
}

// checkBlock finds the block of the target. It stands in the way of a rollout only: measuring changes nothing.
func (a *Activities) checkBlock(ctx context.Context, spec swap.Spec) ([]swap.Finding, error) {
	store, err := a.OpenStore(spec.Store)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	block, err := a.blockOf(ctx, store, spec.Target)
	if err != nil || block == nil {
		return nil, err
	}
	severity := swap.Notable
	if spec.Rollout != nil {
		severity = swap.Blocking
	}
	return []swap.Finding{{
		Severity: severity, Subject: "drift",
		Message: fmt.Sprintf("Rollouts of %s are blocked until %s: %s", spec.Target, block.Until.UTC().Format(time.RFC3339), block.Reason),
		Next: "Mend the baseline and run `swapgate watch run`, which ends the block if it is silent; or remove s3 object " +
			store.URI(runstore.TargetBlockKey(spec.Target)) + ".",
	}}, nil
}
