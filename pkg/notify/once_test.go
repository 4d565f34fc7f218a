package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/notify"
	"github.com/swapgate/swapgate/pkg/report/reporttest"
	"github.com/swapgate/swapgate/pkg/runstore"
	"github.com/swapgate/swapgate/pkg/swap"
)

// store is a Claims in memory. fail may make a write fail before or after it took effect.
type store struct {
	mu      sync.Mutex
	objects map[string][]byte
	fail    func(key string) (before, after error)
}

func newStore() *store { return &store{objects: map[string][]byte{}} }

func (s *store) PutOnce(_ context.Context, key, _ string, data []byte, _ string) (swap.ObjectRef, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var before, after error
	if s.fail != nil {
		before, after = s.fail(key)
	}
	if before != nil {
		return swap.ObjectRef{}, false, before
	}
	_, found := s.objects[key]
	if !found {
		s.objects[key] = data
	}
	return swap.ObjectRef{}, !found, after
}

func (s *store) GetKey(_ context.Context, key string) ([]byte, swap.ObjectRef, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, found := s.objects[key]
	if !found {
		return nil, swap.ObjectRef{}, fmt.Errorf("get %s: %w", key, runstore.ErrNotFound)
	}
	return data, swap.ObjectRef{}, nil
}

// sent is the message that most tests post.
var sent = notify.Sent{Channel: "C1", TS: "1.1"}

func posts(ts string) func(context.Context) (notify.Sent, error) {
	return func(context.Context) (notify.Sent, error) { return notify.Sent{Channel: "C1", TS: ts}, nil }
}

func fails(err error) func(context.Context) (notify.Sent, error) {
	return func(context.Context) (notify.Sent, error) { return notify.Sent{}, err }
}

func mustNotPost(t *testing.T) func(context.Context) (notify.Sent, error) {
	t.Helper()
	return func(context.Context) (notify.Sent, error) {
		t.Error("posted again")
		return notify.Sent{}, nil
	}
}

func TestOnceFindsTheEarlierPost(t *testing.T) {
	s := newStore()
	first, err := notify.Once(t.Context(), s, "k", posts("1.1"))
	require.NoError(t, err)
	require.Equal(t, notify.Posted{Sent: sent, Recorded: true}, first)
	again, err := notify.Once(t.Context(), s, "k", mustNotPost(t))
	require.NoError(t, err)
	require.Equal(t, notify.Posted{Sent: sent, Earlier: true, Recorded: true}, again)
}

func TestOncePostsAgainAfterACertainFailure(t *testing.T) {
	s := newStore()
	limited := &notify.RateLimitedError{Channel: "C1", RetryAfter: 1}
	_, err := notify.Once(t.Context(), s, "k", fails(limited))
	require.ErrorIs(t, err, limited)
	_, err = notify.Once(t.Context(), s, "k", fails(&notify.PostError{NotPosted: true, Kind: notify.ErrBadToken}))
	require.ErrorIs(t, err, notify.ErrBadToken)
	got, err := notify.Once(t.Context(), s, "k", posts("2.2"))
	require.NoError(t, err)
	require.Equal(t, "2.2", got.TS)
}

func TestOnceNeverRepeatsAnUnknownOutcome(t *testing.T) {
	s := newStore()
	_, err := notify.Once(t.Context(), s, "k", fails(&notify.PostError{Detail: "HTTP 503"}))
	require.ErrorContains(t, err, "503")
	_, err = notify.Once(t.Context(), s, "k", mustNotPost(t))
	require.ErrorIs(t, err, notify.ErrOutcomeUnknown)
	require.True(t, notify.Retryable(err))
}

func TestAnOwnerThatDiedLeavesAnUnknownOutcome(t *testing.T) {
	s := newStore()
	require.Panics(t, func() {
		_, _ = notify.Once(t.Context(), s, "k", func(context.Context) (notify.Sent, error) { panic("the worker dies") })
	})
	_, err := notify.Once(t.Context(), s, "k", mustNotPost(t))
	require.ErrorIs(t, err, notify.ErrOutcomeUnknown)
}

func TestNothingIsPostedWithoutAClaim(t *testing.T) {
	s := newStore()
	down := errors.New("store is down")
	s.fail = func(string) (before, after error) { return down, nil }
	_, err := notify.Once(t.Context(), s, "k", mustNotPost(t))
	require.ErrorIs(t, err, down)
}

func TestAClaimWhoseAnswerWasLostIsStillOurs(t *testing.T) {
	s := newStore()
	lost := true
	s.fail = func(string) (before, after error) {
		if lost {
			lost = false
			return nil, errors.New("the answer was lost")
		}
		return nil, nil
	}
	got, err := notify.Once(t.Context(), s, "k", posts("1.1"))
	require.NoError(t, err)
	require.Equal(t, "1.1", got.TS)
}

func TestAPostThatCannotBeRecordedIsStillPosted(t *testing.T) {
	s := newStore()
	s.fail = func(key string) (before, after error) {
		if strings.Contains(key, "result") {
			return errors.New("store is down"), nil
		}
		return nil, nil
	}
	got, err := notify.Once(t.Context(), s, "k", posts("1.1"))
	require.NoError(t, err)
	require.Equal(t, notify.Posted{Sent: sent}, got)
	_, err = notify.Once(t.Context(), s, "k", mustNotPost(t))
	require.ErrorIs(t, err, notify.ErrOutcomeUnknown)
}

func TestTheResultIsRecordedAfterACancel(t *testing.T) {
	s := newStore()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := notify.Once(ctx, s, "k", func(context.Context) (notify.Sent, error) {
		cancel()
		return sent, nil
	})
	require.NoError(t, err)
	got, err := notify.Once(t.Context(), s, "k", mustNotPost(t))
	require.NoError(t, err)
	require.Equal(t, "1.1", got.TS)
}

func TestFindTellsWhereAMessageIs(t *testing.T) {
	s := newStore()
	_, found, err := notify.Find(t.Context(), s, "k")
	require.NoError(t, err)
	require.False(t, found)
	_, err = notify.Once(t.Context(), s, "k", fails(&notify.PostError{NotPosted: true}))
	require.Error(t, err)
	_, err = notify.Once(t.Context(), s, "k", posts("1.1"))
	require.NoError(t, err)
	got, found, err := notify.Find(t.Context(), s, "k")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, sent, got)
}

func TestRivalsPostOnce(t *testing.T) {
	s := newStore()
	var posted atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := notify.Once(t.Context(), s, "k", func(context.Context) (notify.Sent, error) {
				posted.Add(1)
				return sent, nil
			})
			if err != nil && !errors.Is(err, notify.ErrOutcomeUnknown) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, posted.Load())
}

func TestNoSequenceOfFailuresPostsTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStore()
		posted := 0
		for range rapid.IntRange(1, 10).Draw(t, "attempts") {
			storeFails := rapid.SampledFrom([]string{"", "claim", "result"}).Draw(t, "store")
			afterwards := rapid.Bool().Draw(t, "afterwards")
			s.fail = func(key string) (before, after error) {
				if storeFails == "" || !strings.Contains(key, storeFails) {
					return nil, nil
				}
				if afterwards {
					return nil, errors.New("answer lost")
				}
				return errors.New("store is down"), nil
			}
			how := rapid.SampledFrom([]string{"ok", "refused", "lost", "cut"}).Draw(t, "slack")
			_, _ = notify.Once(context.Background(), s, "k", func(context.Context) (notify.Sent, error) {
				switch how {
				case "ok":
					posted++
					return sent, nil
				case "refused":
					return notify.Sent{}, &notify.PostError{NotPosted: true}
				case "lost": // Slack posted, but its answer was lost
					posted++
				}
				return notify.Sent{}, &notify.PostError{Detail: "no answer"}
			})
		}
		require.LessOrEqual(t, posted, 1)
	})
}

func TestKeyIsOfRunKindAndContent(t *testing.T) {
	v := reporttest.FailAtGates().Verdict
	key := func(run, kind, channel string, v swap.Verdict) string {
		k, err := notify.Key(run, kind, notify.NewPayload(channel, v))
		require.NoError(t, err)
		return k
	}
	base := key("r", "verdict", "C1", v)
	require.Regexp(t, `^claims/r/verdict/[0-9a-f]{16}$`, base)
	require.Equal(t, base, key("r", "verdict", "C1", v))
	require.NotEqual(t, base, key("r", "verdict", "C2", v))
	require.NotEqual(t, base, key("r", "verdict", "C1", reporttest.Inconclusive().Verdict))
	require.NotEqual(t, base, key("q", "verdict", "C1", v))
}
