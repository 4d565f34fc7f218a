package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

func TestTimeToFirstTokenFollowsPromptLength(t *testing.T) {
	for _, tokens := range []int{1, 100, 1000} {
		c := newScheduler(exact())
		s := newSequence(words("a", tokens), 1, "length", healthy())
		c.add(s, 0)
		finishAll(c)
		want := 5*ms + time.Duration(tokens)*ms/10
		require.InDelta(t, want, tokenTimes(t, s)[0], float64(time.Microsecond), "%d tokens", tokens)
	}
}

func TestDecodeStepFollowsBatchAndContext(t *testing.T) {
	cfg := exact()
	cfg.Decode = Decode{Base: swap.Duration(3 * ms), PerSequence: swap.Duration(ms / 10), PerContextToken: swap.Duration(time.Microsecond)}
	for _, batch := range []int{1, 8, 32} {
		c := newScheduler(cfg)
		var seqs []*sequence
		for i := range batch {
			seqs = append(seqs, newSequence(words(fmt.Sprint("a", i), 99), 3, "length", healthy()))
			c.add(seqs[i], 0)
		}
		finishAll(c)
		// Both steps see every sequence; the context of each is 100 tokens in the first and 101 in the second.
		first := 3*ms + time.Duration(batch)*(ms/10+100*time.Microsecond)
		for _, s := range seqs {
			require.Equal(t, []time.Duration{first, first + time.Duration(batch)*time.Microsecond}, gaps(tokenTimes(t, s)))
		}
	}
}

func TestPrefillContention(t *testing.T) {
	cfg := exact()
	cfg.Prefill.Contention = 0.5
	c := newScheduler(cfg)
	alone, second := newSequence(words("a", 50), 1, "length", healthy()), newSequence(words("b", 50), 1, "length", healthy())
	c.add(alone, 0)
	c.add(second, 0)
	finishAll(c)
	require.Equal(t, []time.Duration{10 * ms}, tokenTimes(t, alone))
	require.Equal(t, []time.Duration{15 * ms}, tokenTimes(t, second))
}

func TestRequestsQueueWhenTheBatchIsFull(t *testing.T) {
	cfg := exact()
	cfg.MaxBatch = 1
	c := newScheduler(cfg)
	first, second := newSequence(words("a", 50), 6, "length", healthy()), newSequence(words("b", 50), 1, "length", healthy())
	c.add(first, 0)
	c.add(second, ms)
	require.Len(t, c.waiting, 1)
	finishAll(c)
	require.Equal(t, 30*ms, second.scheduled, "scheduled when the first has its last token: 10 ms + 5 steps of 4 ms")
	require.Equal(t, []time.Duration{40 * ms}, tokenTimes(t, second))
}

func TestRequestsQueueWhenTheKVCacheIsFull(t *testing.T) {
	cfg := exact()
	cfg.MaxModelLen, cfg.KVTokens = 320, 320
	c := newScheduler(cfg)
	seqs := make([]*sequence, 3)
	for i := range seqs {
		seqs[i] = newSequence(words(fmt.Sprint("a", i), 150), 5, "length", healthy())
		c.add(seqs[i], 0)
	}
	require.InDelta(t, 1, c.kv.usage(), 1e-9, "two requests of 10 blocks fill 20 blocks")
	require.Equal(t, []*sequence{seqs[2]}, c.waiting)
	finishAll(c)
	require.Equal(t, tokenTimes(t, seqs[0])[4], seqs[2].scheduled)
	require.Zero(t, c.preemptions)
}

func TestPreemptionRecomputesTheLastAdmitted(t *testing.T) {
	cfg := exact()
	cfg.MaxModelLen, cfg.KVTokens = 320, 320
	c := newScheduler(cfg)
	old, young := newSequence(words("a", 150), 100, "length", healthy()), newSequence(words("b", 150), 100, "length", healthy())
	c.add(old, 0)
	c.add(young, ms)
	finishAll(c)
	require.Zero(t, old.preemptions)
	require.Equal(t, 1, young.preemptions)
	require.EqualValues(t, 1, c.preemptions)
	times := tokenTimes(t, young)
	require.Len(t, times, 100, "a preempted answer is still whole")
	oldEnd := tokenTimes(t, old)[99]
	resumed := 0
	for times[resumed] <= oldEnd {
		resumed++
	}
	// A prompt and the tokens before the preemption are read again, less what the prefix cache kept of the prompt.
	require.Greater(t, times[resumed]-oldEnd, 5*ms)
	require.Zero(t, c.kv.held)
}

func TestPrefixCacheShortensPrefill(t *testing.T) {
	ttft := func(c *scheduler, at time.Duration) time.Duration {
		s := newSequence(words("same", 1601), 1, "length", healthy())
		c.add(s, at)
		finishAll(c)
		return tokenTimes(t, s)[0] - at
	}
	c := newScheduler(exact())
	cold := ttft(c, 0)
	warm := ttft(c, time.Second)
	require.InDelta(t, 165*ms+ms/10, cold, float64(time.Microsecond))
	require.InDelta(t, 5*ms+ms/10, warm, float64(time.Microsecond), "only the last token is computed")
	require.EqualValues(t, 1600, c.cacheHits)
	require.EqualValues(t, 3202, c.cacheQueries)
	c.kv.reset()
	require.Equal(t, cold, ttft(c, 2*time.Second))

	cfg := exact()
	cfg.PrefixCache = false
	off := newScheduler(cfg)
	ttft(off, 0)
	require.Equal(t, cold, ttft(off, time.Second))
}

func TestAbortGivesItsPlaceToTheNext(t *testing.T) {
	cfg := exact()
	cfg.MaxBatch = 1
	c := newScheduler(cfg)
	first, second := newSequence(words("a", 50), 6, "length", healthy()), newSequence(words("b", 50), 1, "length", healthy())
	c.add(first, 0)
	c.add(second, 0)
	c.advance(12 * ms)
	c.abort(first, 12*ms)
	finishAll(c)
	require.Equal(t, 12*ms, second.scheduled)
	require.Len(t, first.ticks, 1)
	require.Zero(t, c.kv.held)
}

// workload is a random plan of requests for a small server.
type workload struct {
	cfg  Config
	at   []time.Duration
	seqs func() []*sequence
}

func drawWorkload(t *rapid.T) workload {
	cfg := exact()
	cfg.Noise, cfg.Seed = Noise{Prefill: 0.3, Decode: 0.1, Drift: 0.1, DriftTime: swap.Duration(50 * ms)}, rapid.Uint64().Draw(t, "seed")
	cfg.MaxModelLen, cfg.KVTokens = 256, rapid.IntRange(256, 1024).Draw(t, "kv")
	cfg.MaxBatch = rapid.IntRange(1, 8).Draw(t, "batch")
	cfg.PrefixCache = rapid.Bool().Draw(t, "prefix cache")
	type plan struct{ salt, tokens, want int }
	var plans []plan
	w := workload{cfg: cfg}
	now := time.Duration(0)
	for range rapid.IntRange(1, 25).Draw(t, "requests") {
		now += time.Duration(rapid.IntRange(0, 20).Draw(t, "gap")) * ms
		w.at = append(w.at, now)
		plans = append(plans, plan{
			salt:   rapid.IntRange(0, 3).Draw(t, "salt"),
			tokens: rapid.IntRange(1, 150).Draw(t, "prompt"),
			want:   rapid.IntRange(1, 100).Draw(t, "answer"),
		})
	}
	faults := Faults{Tail: Tail{Share: 0.2, Factor: 2.5}, Stall: Stall{Share: 0.2, Duration: swap.Duration(30 * ms)}}
	w.seqs = func() []*sequence {
		var out []*sequence
		for i, p := range plans {
			out = append(out, newSequence(words(fmt.Sprint(p.salt), p.tokens), p.want, "length", faults.fate(cfg.Seed, uint64(i))))
		}
		return out
	}
	return w
}

// play runs a workload and calls between, if given, between arrivals.
func (w workload) play(between func(c *scheduler, until time.Duration)) (*scheduler, []*sequence) {
	c, seqs := newScheduler(w.cfg), w.seqs()
	for i, s := range seqs {
		if between != nil {
			between(c, w.at[i])
		}
		c.advance(w.at[i])
		c.add(s, w.at[i])
	}
	finishAll(c)
	return c, seqs
}

func TestEveryRequestGetsItsAnswerAndNothingLeaks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorkload(rt)
		c, seqs := w.play(nil)
		for i, s := range seqs {
			times := tokenTimes(t, s)
			require.Len(t, times, s.want)
			require.GreaterOrEqual(t, s.scheduled, w.at[i])
			require.Greater(t, times[0], s.scheduled)
			for _, gap := range gaps(times) {
				require.Positive(t, gap)
			}
		}
		require.Zero(t, c.kv.held)
		require.LessOrEqual(t, c.kv.cached.Len(), c.kv.total)
		require.Len(t, c.kv.shared, c.kv.cached.Len(), "every block that nobody holds is evictable")
	})
}

func TestALateClockChangesNoTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorkload(rt)
		_, late := w.play(nil)
		_, eager := w.play(func(c *scheduler, until time.Duration) {
			for at, ok := c.next(); ok && at <= until; at, ok = c.next() {
				c.advance(at)
			}
		})
		for i := range late {
			require.Equal(t, tokenTimes(t, eager[i]), tokenTimes(t, late[i]))
		}
	})
}
