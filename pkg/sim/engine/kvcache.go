package engine

import "container/list"

// kvCache accounts for the blocks of the KV cache. A block is empty, held by sequences, or cached: left by a finished
// prompt and reused or evicted, oldest first.
type kvCache struct {
	total, leakedTokens int
	prefixCache         bool
	// held counts blocks in use; a block shared by several sequences counts once.
	held int
	// shared maps the hash of a prompt's prefix to its block.
	shared map[uint64]*sharedBlock
	// cached lists the shared blocks that nobody holds, least recently used first.
	cached *list.List
}

type sharedBlock struct {
	hash    uint64
	holders int
	// place is the block's element in cached while nobody holds it.
	place *list.Element
}

// lease is what one sequence holds.
type lease struct {
	shared  []*sharedBlock
	private int
	// cachedTokens is the part of the prompt that was found in the cache.
	cachedTokens int
}

func newKVCache(tokens int, prefixCache bool) *kvCache {
	return &kvCache{
		total: tokens / blockTokens, prefixCache: prefixCache,
		shared: map[uint64]*sharedBlock{}, cached: list.New(),
	}
}

// acquire takes the blocks for a prompt and a number of tokens of which the prompt is the beginning.
func (k *kvCache) acquire(p prompt, tokens int) (lease, bool) {
	hits := k.lookup(p)
	need := blocksFor(tokens)
	revived := 0
	for _, b := range hits {
		if b.holders == 0 {
			revived++
		}
	}
	if need-len(hits)+revived > k.free() {
		return lease{}, false
	}
	for _, b := range hits {
		k.hold(b)
	}
	k.take(need - len(hits))
	return lease{shared: hits, private: need - len(hits), cachedTokens: len(hits) * blockTokens}, true
}

// lookup finds the longest cached prefix. The last token of a prompt is always computed, since its result is wanted.
func (k *kvCache) lookup(p prompt) []*sharedBlock {
	if !k.prefixCache {
		return nil
	}
	var hits []*sharedBlock
	for i := 0; i < len(p.blocks) && (i+1)*blockTokens < p.tokens; i++ {
		b, ok := k.shared[p.blocks[i]]
		if !ok {
			break
		}
		hits = append(hits, b)
	}
	return hits
}

// grow takes one more block if the lease is full at this number of tokens.
func (k *kvCache) grow(l *lease, tokens int) bool {
	if blocksFor(tokens) <= len(l.shared)+l.private {
		return true
	}
	if k.free() < 1 {
		return false
	}
	k.take(1)
	l.private++
	return true
}

// publish offers the computed blocks of a prompt to later prompts.
func (k *kvCache) publish(l *lease, p prompt) {
	if !k.prefixCache {
		return
	}
	for _, hash := range p.blocks[len(l.shared):] {
		if _, known := k.shared[hash]; known {
			return
		}
		b := &sharedBlock{hash: hash, holders: 1}
		k.shared[hash] = b
		l.shared = append(l.shared, b)
		l.private--
	}
}

// release gives a lease back; its shared blocks stay in the cache.
func (k *kvCache) release(l *lease) {
	k.held -= l.private
	for i := len(l.shared) - 1; i >= 0; i-- {
		b := l.shared[i]
		b.holders--
		if b.holders > 0 {
			continue
		}
		k.held--
		if k.shared[b.hash] == b {
			b.place = k.cached.PushBack(b)
		}
	}
	*l = lease{}
}

// reset forgets every cached block that nobody holds and hides the others from later prompts.
func (k *kvCache) reset() {
	k.cached.Init()
	k.shared = map[uint64]*sharedBlock{}
}

// usage is the share of the cache that is in use or lost, 0..1.
func (k *kvCache) usage() float64 {
	return min(1, float64(k.held+k.leakedTokens/blockTokens)/float64(k.total))
}

// free counts the blocks that could be taken, cached ones included.
func (k *kvCache) free() int { return k.total - k.held - k.leakedTokens/blockTokens }

func (k *kvCache) hold(b *sharedBlock) {
	if b.holders == 0 {
		k.cached.Remove(b.place)
		b.place = nil
		k.held++
	}
	b.holders++
}

// take marks n free blocks as held and evicts cached blocks that no longer fit.
func (k *kvCache) take(n int) {
	k.held += n
	for k.cached.Len() > max(0, k.free()) {
		oldest := k.cached.Remove(k.cached.Front()).(*sharedBlock)
		delete(k.shared, oldest.hash)
	}
}

func blocksFor(tokens int) int { return (tokens + blockTokens - 1) / blockTokens }
