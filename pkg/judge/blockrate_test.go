package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestTokensPerSecondOfABlock(t *testing.T) {
	tokens := func(n int32) *int32 { return &n }
	b := Block{MeasuredSeconds: 4}
	_, known := b.TokensPerSecond()
	require.False(t, known, "a block without requests")

	b.Requests.Append(&rawlog.Record{Outcome: string(swap.OK), OutputTokens: tokens(30)})
	b.Requests.Append(&rawlog.Record{Outcome: string(swap.OK), OutputTokens: tokens(50)})
	b.Requests.Append(&rawlog.Record{Outcome: string(swap.TimeoutTotal), OutputTokens: tokens(70)})
	rate, known := b.TokensPerSecond()
	require.True(t, known)
	require.InDelta(t, 20, rate, 1e-12)

	b.Requests.Append(&rawlog.Record{Outcome: string(swap.OK)})
	_, known = b.TokensPerSecond()
	require.False(t, known, "a good answer without a count")
}
