package load

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/swapgate/swapgate/pkg/swap"
)

// scenario is a block of any kind, and when it is cancelled.
type scenario struct {
	step     swap.Step
	shape    swap.Shape
	settle   time.Duration
	answer   time.Duration
	shard    Shard
	cancelAt time.Duration
}

func drawScenario(t *rapid.T) scenario {
	s := scenario{
		shape:    rapid.SampledFrom([]swap.Shape{"", swap.ShapeStar, swap.ShapeSession, swap.ShapeRing}).Draw(t, "shape"),
		settle:   time.Duration(rapid.IntRange(0, 3).Draw(t, "settle")) * time.Second,
		answer:   time.Duration(rapid.IntRange(50, 8000).Draw(t, "answer")) * time.Millisecond,
		cancelAt: time.Duration(rapid.IntRange(0, 15_000).Draw(t, "cancel")) * time.Millisecond,
	}
	if rapid.Bool().Draw(t, "sharded") {
		s.shard = Shard{Index: rapid.IntRange(0, 1).Draw(t, "shard"), Of: 2}
	}
	if rapid.Bool().Draw(t, "closed") {
		s.step.Concurrency = rapid.IntRange(2, 6).Draw(t, "concurrency")
	} else {
		s.step.Rate = rapid.SampledFrom([]float64{1, 10, 40}).Draw(t, "rate")
		s.step.MaxInFlight = rapid.SampledFrom([]int{0, 2, 20}).Draw(t, "max in flight")
	}
	if rapid.Bool().Draw(t, "limited") {
		s.step.TokenRate = &swap.TokenRate{
			Limit: rapid.SampledFrom([]float64{3, 100, 1000}).Draw(t, "tokens"), Burst: swap.Duration(time.Second),
		}
	}
	return s
}

var errStopped = errors.New("stopped")

// drive drives the scenario on synthetic time, and cancels it unless cancelAt is 0.
func (s scenario) drive(t *testing.T) (p Plan, got driven, err error) {
	t.Helper()
	g := generator(t)
	if s.shape != "" {
		g = grouped(t, swap.Topology{Shape: s.shape, Size: 3, ThinkTime: swap.Duration(300 * time.Millisecond)})
	}
	p = PlanBlock(g, s.step, s.settle, 6*time.Second, 1, 7, nil)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if s.cancelAt > 0 {
			defer time.AfterFunc(s.cancelAt, func() { cancel(errStopped) }).Stop()
		}
		opt := options()
		opt.Shard = s.shard
		got, err = drive(ctx, &fakeServer{answer: always(swap.OK, s.answer)}, p, opt)
	})
	return p, got, err
}

// Whenever a block of whatever kind is cancelled: every planned request has one record.
func TestACancelledBlockLosesNoRecord(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScenario(rt)
		p, got, err := s.drive(t)
		require.NotErrorIs(rt, err, ErrLostRecords)
		if err != nil {
			require.ErrorIs(rt, err, errStopped)
		}
		requireAccounted(rt, p, s.shard, got)
	})
}

// What the step's own limits hold back is not sent for ever: a block ends, and says what it did not send.
func TestALimitedBlockSendsNothingLongAfterItsEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScenario(rt)
		s.cancelAt = 0
		p, got, err := s.drive(t)
		require.NoError(rt, err)
		requireAccounted(rt, p, s.shard, got)
		last := got.Started.Add(p.Length())
		if p.Open() {
			last = last.Add(p.Settle)
		}
		for _, r := range got.Records {
			require.LessOrEqual(rt, r.SentUnixNS, last.UnixNano())
			if r.SentUnixNS == 0 {
				require.Contains(rt, []string{heldBack, queuedTooLong}, r.Error)
			}
		}
	})
}

// requireAccounted checks that every planned request is recorded once, those of an open loop's plan among them.
func requireAccounted(t require.TestingT, p Plan, shard Shard, got driven) {
	require.Len(t, got.Records, got.Planned)
	require.Equal(t, got.Planned, got.Outcomes.Total())
	seen := map[int32]bool{}
	for _, r := range got.Records {
		require.False(t, seen[r.Seq], "request %d is recorded twice", r.Seq)
		seen[r.Seq] = true
	}
	sends := p.sends(shard)
	for i := range sends.len() {
		s := sends.at(i)
		require.True(t, seen[int32(s.unit*p.prompts.Size()+s.turn)], "unit %d, turn %d is not recorded", s.unit, s.turn)
	}
}
