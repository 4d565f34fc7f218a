package classic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/swapgate/swapgate/pkg/load/hold"
	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// The windows of CVWindow, in seconds: from the first to the last by a step, and the one that stands for "none".
const (
	firstWindow, lastWindow, windowStep = 30, 290, 10
	exhaustedWindow                     = 300
	// fewestSubWindows is the least number of values that have a coefficient of variation.
	fewestSubWindows = 2
)

// CVWindow looks for the shortest window in which the P99 of the sub-windows varies by less than Limit: 30 s, 40 s, … 290 s from the
// start, and 300 s where none does.
type CVWindow struct {
	// Limit of the coefficient of variation, with the population standard deviation; 0.15 as stated.
	Limit float64
}

// WindowReading is what CVWindow found. It fires where no window is steady.
type WindowReading struct {
	// Reading has the coefficient of variation of the window, or where none is steady the lowest of all, against the limit.
	Reading
	// Seconds is the window; 300 where none is steady.
	Seconds int
	// Converged tells a window from the lack of one, which the stated rule takes for a window of 300 s.
	Converged bool
}

// Name is classic_cv_r99.
func (CVWindow) Name() swap.RuleName { return swap.RuleCVR99 }

// Weakness is one sentence.
func (CVWindow) Weakness() string {
	return "it measures the size of the sub-windows more than the server: chance alone makes a P99 vary by 3.73·σ/√n, which is below 0.15 " +
		"from 155 requests on (σ 0.5), and the first success of up to 27 looks is taken"
}

// Read takes the P99 of sub-windows that follow each other, each so many seconds long. A window holds whole sub-windows, two at
// least.
func (c CVWindow) Read(p99 []float64, seconds float64) WindowReading {
	switch {
	case notFinite(p99) >= 0:
		return WindowReading{Reading: refuse("sub-window %d has no P99", notFinite(p99)+1)}
	case !c.looks(len(p99), seconds):
		return WindowReading{Reading: refuse("its windows are from %d to %d s long and hold %d sub-windows or more, and there are %d of %.3g s",
			firstWindow, lastWindow, fewestSubWindows, len(p99), seconds)}
	}
	lowest := math.Inf(1)
	for window := firstWindow; window <= lastWindow; window += windowStep {
		k := c.holds(window, len(p99), seconds)
		if k == 0 {
			continue
		}
		cv := populationSD(p99[:k]) / stats.Mean(p99[:k])
		if math.IsNaN(cv) {
			return WindowReading{Reading: refuse("the P99 of the first %d sub-windows is 0, and nothing is relative to 0", k)}
		}
		if lowest = min(lowest, cv); cv < c.Limit {
			return WindowReading{Reading: Reading{Value: cv, Threshold: c.Limit}, Seconds: window, Converged: true}
		}
	}
	return WindowReading{Reading: Reading{Fires: true, Value: lowest, Threshold: c.Limit}, Seconds: exhaustedWindow}
}

// subWindows is how many of n sub-windows the longest window holds; none of no length.
func (CVWindow) subWindows(n int, seconds float64) int {
	if !(seconds > 0) {
		return 0
	}
	return int(min(float64(n), lastWindow/seconds))
}

// holds is how many whole sub-windows a window holds; 0 where these are too few, or the n that there are do not fill it.
func (CVWindow) holds(window, n int, seconds float64) int {
	whole := float64(window) / seconds
	if !(whole >= fewestSubWindows && whole < float64(n+1)) {
		return 0
	}
	return int(whole)
}

// looks reports whether n sub-windows fill any window.
func (c CVWindow) looks(n int, seconds float64) bool {
	for window := firstWindow; window <= lastWindow; window += windowStep {
		if c.holds(window, n, seconds) > 0 {
			return true
		}
	}
	return false
}

// Reach is for so many sub-windows, each so many seconds long and with so many requests, which may be unknown.
func (c CVWindow) Reach(subWindows int, seconds float64, requests swap.Value) Reach {
	if !c.looks(subWindows, seconds) {
		next := "use a longer hold"
		if fewestSubWindows*seconds > lastWindow {
			next = "use shorter blocks"
		}
		return never("it compares the P99 of %d blocks or more of one step within windows of %d to %d s, and a step has %d blocks of %g s on "+
			"each arm: %s", fewestSubWindows, firstWindow, lastWindow, subWindows, seconds, next)
	}
	n, known := requests.Get()
	if !known || n < 1 {
		return Reach{ByChance: math.NaN()}
	}
	noise := hold.CVNoise(int(n), typicalSigma)
	r := Reach{ByChance: c.byChance(subWindows, seconds, noise)}
	if need := hold.CVRequests(c.Limit, typicalSigma); n < float64(need) {
		r.Noise = fmt.Sprintf("with about %.0f requests a block, chance alone makes a steady P99 vary by %s, and it needs %d to be below %g: "+
			"it finds no window in %s of perfectly steady steps", n, percent(noise), need, c.Limit, percent(r.ByChance))
	}
	return r
}

// byChance simulates steady sub-windows whose P99 vary by noise.
func (c CVWindow) byChance(subWindows int, seconds, noise float64) float64 {
	const runs = 2000
	random := rand.New(rand.NewPCG(seed, 3))
	p99, fired := make([]float64, c.subWindows(subWindows, seconds)), 0
	for range runs {
		for i := range p99 {
			p99[i] = math.Exp(noise * random.NormFloat64())
		}
		if c.Read(p99, seconds).Fires {
			fired++
		}
	}
	return float64(fired) / runs
}
