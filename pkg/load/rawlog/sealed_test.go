package rawlog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/swap"
)

func sealedBlock(step, block int, arm swap.Arm) swap.BlockResult {
	return swap.BlockResult{BlockPlan: swap.BlockPlan{Step: step, Block: block, Arm: arm}}
}

func TestRecordsFindTheirSealedBlock(t *testing.T) {
	sealed := Sealed([]swap.StepManifest{
		{Step: 2, Blocks: []swap.BlockResult{sealedBlock(2, 1, swap.Baseline), sealedBlock(2, 2, swap.Candidate)}},
		{Step: 1, Blocks: []swap.BlockResult{sealedBlock(1, 1, swap.Candidate)}},
	})
	require.Len(t, sealed, 3)
	p := NewPerBlock(sealed, func(r swap.BlockResult) swap.Arm { return r.Arm })
	require.Equal(t, []swap.Arm{swap.Baseline, swap.Candidate, swap.Candidate}, p.Blocks, "the order is that of the manifests")
	require.Equal(t, swap.Baseline, *p.Of(&Record{Step: 2, Block: 1}))
	require.Same(t, &p.Blocks[2], p.Of(&Record{Step: 1, Block: 1}))
	require.Nil(t, p.Of(&Record{Step: 1, Block: 2}))
	require.Nil(t, p.Of(&Record{}))
	none := NewPerBlock(Sealed(nil), func(swap.BlockResult) int { return 1 })
	require.Nil(t, none.Of(&Record{}))
}

func TestOfABlockSealedTwiceTheLastCounts(t *testing.T) {
	p := NewPerBlock([]swap.BlockResult{sealedBlock(1, 1, swap.Baseline), sealedBlock(1, 1, swap.Candidate)},
		func(r swap.BlockResult) swap.Arm { return r.Arm })
	require.Equal(t, swap.Candidate, *p.Of(&Record{Step: 1, Block: 1}))
}
