package dynamic

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/swapgate/swapgate/pkg/sim/process"
	"github.com/swapgate/swapgate/pkg/stats"
)

const (
	// past is how many healthy windows go before, judged how many are looked at: at 10 s a window, half an hour.
	past, judged = 500, 180
	// requests are those of a window, whose P95 is the series.
	requests = 60
	// wander is the standard deviation of the level's logarithm where it is correlated.
	wander = .15
)

// steady are healthy series: the P95 of log-normal latencies whose level wanders from window to window with the given memory.
func steady(runs int, memory, deviation float64) [][]float64 {
	p := process.Process{Marginal: process.LogNormal(100, .5)}
	series := make([][]float64, runs)
	for i := range series {
		random := rand.New(rand.NewPCG(uint64(1+i), math.Float64bits(memory)))
		for _, level := range (process.Drift{Wander: deviation, Memory: memory}).Levels(random, past+judged) {
			series[i] = append(series[i], stats.Quantiles(p.Block(random, requests, level), .95)[0])
		}
	}
	return series
}

// shifted multiplies the judged part.
func shifted(series [][]float64, factor func(window int) float64) [][]float64 {
	changed := make([][]float64, len(series))
	for i, s := range series {
		changed[i] = append([]float64{}, s...)
		for w := range judged {
			changed[i][past+w] *= factor(w)
		}
	}
	return changed
}

func by(share float64) func(int) float64 { return func(int) float64 { return 1 + share } }

// rising gains a fifth in the course of the judged windows.
func rising(window int) float64 { return 1 + .2*float64(window+1)/judged }

// perTenThousand is how many of 10,000 healthy windows raise an alarm.
func perTenThousand(alarms [][]bool) float64 {
	n := 0
	for _, run := range alarms {
		for _, alarm := range run {
			if alarm {
				n++
			}
		}
	}
	return float64(n) / float64(len(alarms)*judged) * 1e4
}

// medianDelay is how many windows pass until half of the runs have raised an alarm.
func medianDelay(alarms [][]bool) float64 {
	delays := make([]float64, len(alarms))
	for i, run := range alarms {
		delays[i] = delay(run)
	}
	return stats.Quantiles(delays, .5)[0]
}

// judge is what a detector says of the judged windows of each run.
func judge(t *testing.T, d detector, series [][]float64) [][]bool {
	t.Helper()
	alarms := make([][]bool, len(series))
	for i, s := range series {
		var err error
		alarms[i], err = d.alarms(s, past)
		require.NoError(t, err)
		require.Len(t, alarms[i], judged)
	}
	return alarms
}

// What the documentation says of the options, on fewer runs than its table has.
func TestDetection(t *testing.T) {
	healthy, slow := steady(8, 0, 0), steady(8, .9, wander)
	for _, d := range detectors() {
		require.LessOrEqual(t, medianDelay(judge(t, d, shifted(healthy, by(.5)))), 2., "half as much again is noticed at once: %s", d.name)
	}
	classic, moving, conformal := detectors()[0], detectors()[4], detectors()[7]
	require.InDelta(t, 2300, perTenThousand(judge(t, classic, healthy)), 500, "every fourth healthy window is above it")
	require.InDelta(t, 760, perTenThousand(judge(t, moving, healthy)), 250)
	for _, series := range [][][]float64{healthy, slow} {
		require.InDelta(t, 100, perTenThousand(judge(t, conformal, series)), 80)
	}
}
