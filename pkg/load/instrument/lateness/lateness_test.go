package lateness_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/load/instrument/lateness"
	"github.com/swapgate/swapgate/pkg/load/rawlog"
	"github.com/swapgate/swapgate/pkg/swap"
)

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		name       string
		configured swap.Duration
		median     swap.Value
		want       float64
	}{
		{"nothing known", 0, swap.Absent(), 5},
		{"a fast baseline", 0, swap.Of(20), 5},
		{"a slow baseline", 0, swap.Of(300), 30},
		{"configured", swap.Duration(2 * time.Millisecond), swap.Of(300), 2},
	} {
		t.Run(c.name, func(t *testing.T) { require.InDelta(t, c.want, lateness.LimitMS(c.configured, c.median), 1e-9) })
	}
}

func TestOnlyTheClientsOwnLatenessOnKeptConnectionsCounts(t *testing.T) {
	var tally lateness.Tally
	require.False(t, tally.P99MS().Valid(), "nothing was sent")
	tally.Add(&rawlog.Record{LateUS: 9_000_000})
	require.False(t, tally.P99MS().Valid(), "it was never sent")
	tally.Add(&rawlog.Record{SentUnixNS: 1, LateUS: 80_000})
	require.InDelta(t, 80, tally.P99MS().Or(0), 1e-9, "there is nothing else")
	tally.Add(&rawlog.Record{SentUnixNS: 1, LateUS: 503_000, HeldUS: 500_000, ConnReused: true})
	require.InDelta(t, 3, tally.P99MS().Or(0), 1e-9)
}
