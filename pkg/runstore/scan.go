package runstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/swapgate/swapgate/pkg/swap"
)

// scanReaders is how many objects a scan reads at a time.
const scanReaders = 8

// stepState is what the store holds of one step.
type stepState struct {
	// sealed by block number.
	sealed map[int]sealedBlock
	// discarded attempts, in the order of blocks and start: begun, and no slice of the sealed block.
	discarded []swap.DiscardedAttempt
}

// scanStep reads what there is of a step.
func (s *Store) scanStep(ctx context.Context, run swap.RunKey, step int) (stepState, error) {
	prefix := StepPrefix(run, step)
	keys, err := s.List(ctx, prefix)
	if err != nil {
		return stepState{}, err
	}
	var parsed []blockKey
	for _, key := range keys {
		if k, ok := parseBlockKey(step, strings.TrimPrefix(key, prefix)); ok {
			parsed = append(parsed, k)
		}
	}
	state := stepState{}
	if state.sealed, err = s.readSealed(ctx, run, parsed); err != nil {
		return stepState{}, err
	}
	state.discarded, err = s.readDiscarded(ctx, run, parsed, state.sealed)
	return state, err
}

func (s *Store) readSealed(ctx context.Context, run swap.RunKey, keys []blockKey) (map[int]sealedBlock, error) {
	var mu sync.Mutex
	sealed := map[int]sealedBlock{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(scanReaders)
	for _, k := range keys {
		if k.attempt != "" {
			continue
		}
		g.Go(func() error {
			b, _, err := GetKeyJSON[sealedBlock](ctx, s, sealedKey(run, k.plan))
			mu.Lock()
			defer mu.Unlock()
			sealed[k.plan.Block] = b
			return err
		})
	}
	return sealed, g.Wait()
}

func (s *Store) readDiscarded(
	ctx context.Context, run swap.RunKey, keys []blockKey, sealed map[int]sealedBlock,
) ([]swap.DiscardedAttempt, error) {
	attempts := s.unsealedAttempts(run, keys, sealed)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(scanReaders)
	for _, a := range attempts {
		g.Go(func() error {
			begun, _, err := GetKeyJSON[swap.DiscardedAttempt](ctx, s, attemptPrefix(run, a.BlockPlan, a.Attempt)+attemptName)
			if err != nil {
				return err
			}
			a.Pair, a.Shard, a.Started = begun.Pair, begun.Shard, begun.Started
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var discarded []swap.DiscardedAttempt
	for _, a := range attempts {
		discarded = append(discarded, *a)
	}
	slices.SortFunc(discarded, func(a, b swap.DiscardedAttempt) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), a.Started.Compare(b.Started), cmp.Compare(a.Attempt, b.Attempt))
	})
	return discarded, nil
}

// counts reports whether an attempt has a slice of the block.
func (b sealedBlock) counts(attempt string) bool {
	return slices.ContainsFunc(b.Result.Slices, func(s swap.BlockSlice) bool { return s.Attempt == attempt })
}

// unsealedAttempts groups keys by attempt and leaves out those that count. Everything an attempt uploads comes
// after its attempt.json, so a key without one is not an attempt of ours.
func (s *Store) unsealedAttempts(
	run swap.RunKey, keys []blockKey, sealed map[int]sealedBlock,
) map[string]*swap.DiscardedAttempt {
	attempts := map[string]*swap.DiscardedAttempt{}
	for _, k := range keys {
		if k.name == attemptName && !sealed[k.plan.Block].counts(k.attempt) {
			attempts[attemptPrefix(run, k.plan, k.attempt)] = &swap.DiscardedAttempt{BlockPlan: k.plan, Attempt: k.attempt}
		}
	}
	for _, k := range keys {
		prefix := attemptPrefix(run, k.plan, k.attempt)
		if a := attempts[prefix]; a != nil && k.name != attemptName {
			a.Parts = append(a.Parts, s.URI(prefix+k.name))
		}
	}
	return attempts
}
