package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheOldestCachedBlocksAreEvicted(t *testing.T) {
	k := newKVCache(10*blockTokens, true)
	for _, salt := range []string{"a", "b"} {
		l, ok := k.acquire(words(salt, 64), 65)
		require.True(t, ok)
		k.publish(&l, words(salt, 64))
		k.release(&l)
	}
	require.Equal(t, 8, k.cached.Len())
	l, ok := k.acquire(words("c", 64), 65)
	require.True(t, ok)
	require.Equal(t, 5, k.cached.Len(), "five blocks were taken, of which two were empty")
	require.Len(t, k.lookup(words("b", 65)), 4, "the newer prompt is still there")
	require.Len(t, k.lookup(words("a", 65)), 1, "the older one lost the end of its prefix first")
	k.release(&l)
}

func TestSharedBlocksCountOnce(t *testing.T) {
	k := newKVCache(10*blockTokens, true)
	p := words("a", 65)
	one, ok := k.acquire(p, 65)
	require.True(t, ok)
	k.publish(&one, p)
	two, ok := k.acquire(p, 65)
	require.True(t, ok)
	require.Equal(t, 64, two.cachedTokens)
	require.Equal(t, 6, k.held, "four shared blocks and one private block each")
	k.release(&one)
	require.Equal(t, 5, k.held)
	k.reset()
	k.release(&two)
	require.Zero(t, k.held)
	require.Zero(t, k.cached.Len(), "blocks from before a reset are not offered again")
}

func TestACacheThatIsFullRefuses(t *testing.T) {
	k := newKVCache(2*blockTokens, false)
	l, ok := k.acquire(words("a", 20), 21)
	require.True(t, ok)
	_, ok = k.acquire(words("b", 1), 2)
	require.False(t, ok)
	require.True(t, k.grow(&l, 32))
	require.False(t, k.grow(&l, 33))
	require.InDelta(t, 1, k.usage(), 0)
}
