package rawlog

import "github.com/swapgate/swapgate/pkg/swap"

// PerBlock keeps something for each sealed block of manifests, and finds it for a raw record. The manifests decide what counts: a
// record of another block, such as one of an attempt that was discarded, has nothing. It does not change once it is made, so that
// records of different blocks may be looked up at the same time.
type PerBlock[T any] struct {
	// Blocks are in the order in which they were given.
	Blocks []T
	index  map[blockKey]int
}

type blockKey struct{ step, block int }

// NewPerBlock makes one of each sealed block, in the order of the results. Of two results of one block the last one counts.
func NewPerBlock[T any](results []swap.BlockResult, of func(swap.BlockResult) T) PerBlock[T] {
	p := PerBlock[T]{Blocks: make([]T, len(results)), index: make(map[blockKey]int, len(results))}
	for i, r := range results {
		p.Blocks[i], p.index[blockKey{r.Step, r.Block}] = of(r), i
	}
	return p
}

// Of is what is kept for the block of a record; nil where that is not sealed.
func (p *PerBlock[T]) Of(r *Record) *T {
	at, sealed := p.index[blockKey{int(r.Step), int(r.Block)}]
	if !sealed {
		return nil
	}
	return &p.Blocks[at]
}

// Sealed are the blocks of manifests, in their order.
func Sealed(manifests []swap.StepManifest) []swap.BlockResult {
	var all []swap.BlockResult
	for _, m := range manifests {
		all = append(all, m.Blocks...)
	}
	return all
}
