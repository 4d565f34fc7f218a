package load

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/swap"
)

// inTurn answers one request after the other, each of which takes as long.
func inTurn(service time.Duration) func(int) (swap.Outcome, time.Duration) {
	var mu sync.Mutex
	var free time.Time
	return func(int) (swap.Outcome, time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if free.Before(now) {
			free = now
		}
		free = free.Add(service)
		return swap.OK, free.Sub(now)
	}
}

// Only a server that falls behind misses the rate: not one whose answers are long against the block.
func TestTheAchievedRateOfADrivenBlock(t *testing.T) {
	for name, c := range map[string]struct {
		step   swap.Step
		answer func(int) (swap.Outcome, time.Duration)
		says   string
	}{
		"at once":                       {swap.Step{Rate: 10}, always(swap.OK, time.Millisecond), ""},
		"longer than the block":         {swap.Step{Rate: 10}, always(swap.OK, 55*time.Second), ""},
		"busy":                          {swap.Step{Rate: 10}, inTurn(90 * time.Millisecond), ""},
		"behind":                        {swap.Step{Rate: 10}, inTurn(250 * time.Millisecond), "their answers ended over 2"},
		"refuses most":                  {swap.Step{Rate: 10}, refusing(.7), "achieved rate was 30 % of the planned rate"},
		"held by max_in_flight":         {swap.Step{Rate: 10, MaxInFlight: 3}, always(swap.OK, time.Second), "achieved rate was 3"},
		"held by max_in_flight, a bit":  {swap.Step{Rate: 10, MaxInFlight: 7}, always(swap.OK, time.Second), ""},
		"held by max_in_flight, enough": {swap.Step{Rate: 10, MaxInFlight: 30}, always(swap.OK, time.Second), ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				plan := BlockAt(1, 0)
				opt := options()
				opt.Start = time.Now().Add(Lead)
				tally := NewBlockTally(plan, opt.Start)
				opt.Block, opt.OnRecord, opt.Timeout = plan, tally.Add, time.Hour
				p := PlanBlock(generator(t), c.step, 2*time.Second, 20*time.Second, 1, 7, nil)
				_, err := drive(t.Context(), &fakeServer{answer: c.answer}, p, opt)
				require.NoError(t, err)
				course := hold.Begin(hold.Plan{
					Step: c.step, Blocks: 4, Block: 20 * time.Second, Limits: swap.Limits{AchievedRate: hold.DefaultAchievedRate}, Level: .95,
				})
				course.Add(tally.Hold())
				end, ended := course.End()
				require.Equal(t, c.says != "", ended, end.Message)
				require.Contains(t, end.Message, c.says)
			})
		})
	}
}

// refusing answers with an error that comes at once, but for every so many.
func refusing(share float64) func(int) (swap.Outcome, time.Duration) {
	return func(n int) (swap.Outcome, time.Duration) {
		if float64(n%10) < 10*share {
			return swap.HTTP429, time.Millisecond
		}
		return swap.OK, time.Second
	}
}
