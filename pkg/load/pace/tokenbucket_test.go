package pace

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func bucket(t require.TestingT, limit float64, burst time.Duration) *TokenBucket {
	b, err := NewTokenBucket(limit, burst)
	require.NoError(t, err)
	return b
}

func TestBucketOfAnEightBillionModel(t *testing.T) {
	b := bucket(t, 8500, 200*time.Millisecond) // holds 1700 tokens
	require.Zero(t, b.Due(0, 1000))
	require.Zero(t, b.Due(0, 700), "the burst")
	require.Equal(t, 100*time.Millisecond, b.Due(0, 850))
	require.Equal(t, 200*time.Millisecond, b.Due(0, 850), "one after the other at the limit")
	require.Equal(t, 10*time.Second, b.Due(10*time.Second, 1700), "an idle bucket fills up, and no further")
	require.Equal(t, 10*time.Second+200*time.Millisecond, b.Due(10*time.Second, 1700))
}

func TestRequestLargerThanTheBucketWaitsForAllOfItsTokens(t *testing.T) {
	b := bucket(t, 1000, time.Second)
	require.Equal(t, 4*time.Second, b.Due(0, 5000), "a full bucket holds 1000 of them")
	require.Equal(t, 4*time.Second+time.Millisecond, b.Due(0, 1), "nothing is left, and nothing is owed")
	require.Equal(t, 4*time.Second+time.Millisecond+9*time.Second, b.Due(0, 9000))
}

func TestEachBlockKeepsTheLimitWhateverTheSizeOfARequest(t *testing.T) {
	const block = 100 * time.Second
	b := bucket(t, 5, time.Millisecond)
	require.InDelta(t, 56, b.Due(0, 280).Seconds(), 0.01, "280 tokens at 5 tok/s")
	require.Greater(t, b.Due(0, 280), block, "one request of 280 tokens in 100 s, and not two")
}

func TestBucketWithoutBurst(t *testing.T) {
	b := bucket(t, 100, 0)
	for i := range 10 {
		require.Equal(t, time.Duration(i+1)*100*time.Millisecond, b.Due(0, 10))
	}
}

type release struct {
	asked, due time.Duration
	tokens     int
}

// requests draws requests that ask one after the other, and lets a bucket place them.
func requests(t *rapid.T, b *TokenBucket) (out []release, largest int) {
	now := time.Duration(0)
	for range rapid.IntRange(1, 60).Draw(t, "n") {
		now += time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "gap"))
		tokens := rapid.IntRange(0, 4000).Draw(t, "tokens")
		largest = max(largest, tokens)
		out = append(out, release{now, b.Due(now, tokens), tokens})
	}
	return out, largest
}

func TestBucketKeepsTheLimitOverEveryWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Float64Range(10, 20_000).Draw(t, "limit")
		burst := time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "burst"))
		sent, largest := requests(t, bucket(t, limit, burst))
		full := limit * burst.Seconds()
		atOnce := max(full, float64(largest))
		since := 0.0
		for _, r := range sent {
			since += float64(r.tokens)
			require.LessOrEqual(t, since, limit*r.due.Seconds()+full+1e-3, "since the start")
		}
		for from := range sent {
			total := 0.0
			for _, r := range sent[from:] {
				total += float64(r.tokens)
				window := (r.due - sent[from].due).Seconds()
				require.LessOrEqual(t, total, limit*window+atOnce+1e-3)
			}
		}
	})
}

func TestBucketIsFirstComeFirstServedAndNeverIdleLongerThanNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Float64Range(10, 20_000).Draw(t, "limit")
		burst := time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "burst"))
		sent, _ := requests(t, bucket(t, limit, burst))
		tokens, last := 0, time.Duration(0)
		for _, r := range sent {
			require.GreaterOrEqual(t, r.due, max(r.asked, last))
			// All tokens so far at the limit, and a refill of the bucket, are the longest that anyone waits.
			tokens += r.tokens
			longest := float64(tokens)/limit + burst.Seconds()
			require.LessOrEqual(t, (r.due - r.asked).Seconds(), longest+1e-6*float64(len(sent)))
			last = r.due
		}
	})
}

func TestBucketUsesItsLimit(t *testing.T) {
	b := bucket(t, 1000, 100*time.Millisecond)
	last := time.Duration(0)
	for range 1000 {
		last = b.Due(0, 37)
	}
	require.InDelta(t, (37_000-100)/1000.0, last.Seconds(), 1e-3)
}

func TestBucketOfNoUse(t *testing.T) {
	for _, limit := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := NewTokenBucket(limit, 0)
		require.ErrorContains(t, err, "must be above 0")
	}
	_, err := NewTokenBucket(1, -time.Second)
	require.ErrorContains(t, err, "must not be negative")
	b := bucket(t, 1e-300, 0)
	b.Due(0, 1)
	require.Equal(t, time.Duration(math.MaxInt64), b.Due(0, 1))
	require.Equal(t, time.Duration(math.MaxInt64), b.Due(time.Hour, 1))
}
