package runstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/swapgate/swapgate/pkg/swap"
)

// Finish waits until everything is stored, verifies that each of plans is sealed with as many outcomes and rows as were
// planned, and writes the manifest of the step, once, with why it ended and how well it was measured. It returns the manifest
// that counts: results of blocks that another attempt sealed first are that attempt's. ctx bounds how long an unavailable
// store is waited for.
func (l *StepLog) Finish(
	ctx context.Context, plans []swap.BlockPlan, end swap.StepEnd, instrument swap.InstrumentState,
) (swap.StepManifest, swap.ObjectRef, error) {
	if err := l.Drain(ctx); err != nil {
		return swap.StepManifest{}, swap.ObjectRef{}, err
	}
	var manifest swap.StepManifest
	var ref swap.ObjectRef
	err := l.policy.backoff.retry(ctx, func() (err error) {
		manifest, ref, err = l.writeManifest(ctx, plans, end, instrument)
		return err
	}, func(error) {})
	return manifest, ref, err
}

func (l *StepLog) writeManifest(
	ctx context.Context, plans []swap.BlockPlan, end swap.StepEnd, instrument swap.InstrumentState,
) (swap.StepManifest, swap.ObjectRef, error) {
	state, err := l.store.scanStep(ctx, l.run, l.step)
	if err != nil {
		return swap.StepManifest{}, swap.ObjectRef{}, err
	}
	ours := swap.StepManifest{
		RunKey: l.run, Step: l.step, Spec: l.spec, Ended: end, Instrument: instrument, Discarded: state.discarded,
	}
	key := StepManifestKey(l.run, l.step)
	if ours.Blocks, err = sealedBlocks(plans, state.sealed); err != nil {
		return swap.StepManifest{}, swap.ObjectRef{}, &Error{Op: "finish", URI: l.store.URI(key), Cause: err}
	}
	ref, created, err := PutJSONOnce(ctx, l.store, key, schemaManifest, ours)
	if err != nil || created {
		return ours, ref, err
	}
	first, err := GetJSON[swap.StepManifest](ctx, l.store, ref)
	if err != nil {
		return swap.StepManifest{}, swap.ObjectRef{}, err
	}
	if !slices.EqualFunc(first.Blocks, ours.Blocks, sameTables) {
		return swap.StepManifest{}, swap.ObjectRef{}, &Error{
			Op: "finish", URI: l.store.URI(key), Kind: ErrCorrupt,
			Cause: errors.New("another attempt finished the step with other blocks"),
		}
	}
	return first, ref, nil
}

func sameTables(a, b swap.BlockResult) bool {
	return slices.EqualFunc(a.Slices, b.Slices, func(a, b swap.BlockSlice) bool { return a.Raw == b.Raw })
}

// sealedBlocks picks the results of the planned blocks, in their order.
func sealedBlocks(plans []swap.BlockPlan, sealed map[int]sealedBlock) ([]swap.BlockResult, error) {
	blocks := make([]swap.BlockResult, 0, len(plans))
	for _, plan := range plans {
		b, ok := sealed[plan.Block]
		if !ok {
			return nil, fmt.Errorf("block %d is not sealed", plan.Block)
		}
		if b.Result.BlockPlan != plan {
			return nil, fmt.Errorf("block %d was sealed for %+v, planned is %+v", plan.Block, b.Result.BlockPlan, plan)
		}
		if err := checkCounts(b.Result); err != nil {
			return nil, err
		}
		blocks = append(blocks, b.Result)
	}
	return blocks, nil
}
