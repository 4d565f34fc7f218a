package drift

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var began = time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)

// daily are runs a day apart whose level is multiplied by change from the given day on.
func daily(seed uint64, n, from int, change float64) []Run {
	random := rand.New(rand.NewPCG(seed, 9))
	runs := make([]Run, n)
	for i := range runs {
		v := 800 * math.Exp(.01*random.NormFloat64())
		if i >= from {
			v *= change
		}
		runs[i] = Run{At: began.AddDate(0, 0, i), RunID: fmt.Sprint("run-", i), Value: v}
	}
	return runs
}

func TestChangesSayWhenAndByHowMuch(t *testing.T) {
	found, err := Changes("ttft_p99", daily(1, 30, 18, 1.1), .03, 1)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, began.AddDate(0, 0, 18), found[0].At)
	require.Equal(t, "run-18", found[0].RunID)
	require.InDelta(t, .1, found[0].Relative.Or(0), .02)
	require.InDelta(t, 800, found[0].Before.Or(0), 10)
	require.Equal(t, 30, found[0].Runs)
	require.LessOrEqual(t, found[0].P.Or(1), .01)
}

func TestChangesBelowTheMagnitudeAreLeftOut(t *testing.T) {
	found, err := Changes("ttft_p99", daily(2, 60, 30, 1.025), .03, 1)
	require.NoError(t, err)
	require.Empty(t, found)
	found, err = Changes("ttft_p99", daily(2, 60, 30, 1.025), .01, 1)
	require.NoError(t, err)
	require.Len(t, found, 1)
}

func TestOneBadDayIsNoChange(t *testing.T) {
	runs := daily(3, 40, 99, 1)
	runs[20].Value *= 2
	found, err := Changes("ttft_p99", runs, .03, 1)
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestRunsWithoutAValueArePassedOver(t *testing.T) {
	runs := daily(4, 30, 15, 1.2)
	for _, bad := range []float64{math.NaN(), math.Inf(1), 0, -1} {
		runs = append(runs, Run{At: began.AddDate(0, 1, 0), Value: bad})
	}
	found, err := Changes("ttft_p99", runs, .03, 1)
	require.NoError(t, err)
	require.Len(t, found, 1)

	found, err = Changes("ttft_p99", nil, .03, 1)
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestSteadyHistoriesHaveFewChanges(t *testing.T) {
	alarms := 0
	for seed := range uint64(100) {
		found, err := Changes("ttft_p99", daily(100+seed, 30, 99, 1), .0, seed)
		require.NoError(t, err)
		if len(found) > 0 {
			alarms++
		}
	}
	require.LessOrEqual(t, alarms, 6, "about one in a hundred at the level of 1 %%")
}
