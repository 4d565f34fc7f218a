package instrument

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func sent(lateUS, heldUS int64) *rawlog.Record {
	return &rawlog.Record{Measured: true, SentUnixNS: 1, LateUS: lateUS, HeldUS: heldUS, ConnReused: true}
}

func TestTallyOfNothingKnowsNothing(t *testing.T) {
	var tally Tally
	require.Equal(t, swap.InstrumentReading{}, tally.Reading())
}

func TestTally(t *testing.T) {
	var tally Tally
	lag := int64(4000)
	for i := range int64(97) {
		r := sent(i*10, 0)
		r.Chunks, r.KernelStamped, r.LagUS = 10, 10, &lag
		tally.Add(r)
	}
	tally.Add(sent(7_000_000, 6_990_000))
	tally.Add(sent(1_500_000, 0))
	stalled, long := sent(1_000_000, 0), int64(90_000)
	stalled.Chunks, stalled.KernelStamped, stalled.LagUS = 30, 0, &long
	tally.Add(stalled)
	tally.Add(&rawlog.Record{Measured: true, Outcome: string(swap.ConnectFailed)})
	settling := sent(50_000_000, 0)
	settling.Measured, settling.Chunks = false, 1000
	tally.Add(settling)

	r := tally.Reading()
	require.Equal(t, 100, r.Requests, "what was never sent tells nothing of the client")
	require.Equal(t, 1000, r.Tokens)
	require.InEpsilon(t, 1000, r.SendLatenessP99MS.Or(0), .01)
	require.InEpsilon(t, 90, r.LagP99MS.Or(0), .01)
	require.InDelta(t, .97, r.KernelStamped.Or(0), 1e-9)
	require.InDelta(t, .99, r.RateAchieved.Or(0), 1e-9, "one second late is still in time; held back is not late")
}

// A server that is slow to accept is not a client that is slow to send.
func TestRateAchievedLeavesOutWaitsForConnections(t *testing.T) {
	var tally Tally
	for range 50 {
		r := sent(1_900_000, 0)
		r.ConnReused = false
		tally.Add(r)
	}
	require.Zero(t, tally.Reading().RateAchieved.Or(1), "there is nothing else")
	tally.Add(sent(100, 0))
	require.InDelta(t, 1, tally.Reading().RateAchieved.Or(0), 0)
	require.Equal(t, 51, tally.Reading().Requests)
}

func TestWatchAndTallyAreJoinedByWorse(t *testing.T) {
	var tally Tally
	tally.Add(sent(100, 0))
	joined := StartWatch().Stop().Worse(tally.Reading())
	require.Equal(t, 1, joined.Requests)
	require.True(t, joined.SendLatenessP99MS.Valid())
	require.True(t, joined.GCPauseMaxMS.Valid())
}
