package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Tick is a labelled value on an axis.
type Tick struct {
	Value float64
	Label string
}

// Scale maps a range of values to [0, 1] and knows the round values in it.
type Scale struct {
	Low, High float64
	log       bool
	clock     bool
}

// Linear is a scale from low to high, widened where they are equal or not a range.
func Linear(low, high float64) Scale {
	if !finite(low) || !finite(high) || !finite(high-low) {
		low, high = 0, 1
	}
	if high-low <= math.Abs(low)*1e-12 {
		pad := math.Max(math.Abs(low)*0.1, 0.5)
		low, high = low-pad, low+pad
	}
	return Scale{Low: low, High: high}
}

// FromZero is a linear scale from 0 to a round value at or above high.
func FromZero(high float64) Scale {
	if !finite(high) || high <= 0 {
		high = 1
	}
	step := roundStep(high / 4)
	return Linear(0, math.Ceil(high/step-1e-9)*step)
}

// The limits of a logarithmic axis. Nothing that is measured in ms or tokens lies outside.
const (
	logLeast = 1e-9
	logMost  = 1e15
)

// Log is a logarithmic scale; a range that is not positive falls back to one decade.
func Log(low, high float64) Scale {
	if !finite(low) || !finite(high) || low <= 0 || high <= 0 {
		low, high = 1, 10
	}
	low, high = math.Min(math.Max(low, logLeast), logMost), math.Min(math.Max(high, logLeast), logMost)
	if high < low*1.5 {
		middle := math.Sqrt(low * high)
		low, high = middle/1.5, middle*1.5
	}
	return Scale{Low: low, High: high, log: true}
}

// Clock is a linear scale of time; its ticks read as UTC.
func Clock(from, to time.Time) Scale {
	s := Linear(seconds(from), math.Max(seconds(to), seconds(from)+1))
	s.clock = true
	return s
}

// At places v: 0 at Low, 1 at High, clamped to the range.
func (s Scale) At(v float64) float64 {
	var at float64
	if s.log {
		at = math.Log(math.Max(v, math.SmallestNonzeroFloat64)/s.Low) / math.Log(s.High/s.Low)
	} else {
		at = (v - s.Low) / (s.High - s.Low)
	}
	return math.Min(1, math.Max(0, at))
}

// Ticks returns the round values in the range, about count of them and never more than twice as many.
func (s Scale) Ticks(count int) []Tick {
	count = max(2, count)
	switch {
	case s.clock:
		return clockTicks(s.Low, s.High, count)
	case s.log:
		return logTicks(s.Low, s.High, count)
	}
	return linearTicks(s.Low, s.High, count)
}

func linearTicks(low, high float64, count int) []Tick {
	step := roundStep((high - low) / float64(count))
	first := math.Ceil(low/step - 1e-9)
	var ticks []Tick
	for i := range 2 * count {
		v := (first + float64(i)) * step
		if v > high+step*1e-9 {
			break
		}
		ticks = append(ticks, Tick{Value: v, Label: tickLabel(v, step)})
	}
	return ticks
}

// logTicks takes 1, 2 and 5 in every decade, fewer where they do not fit, and linear ticks within a narrow range.
func logTicks(low, high float64, count int) []Tick {
	for _, mantissas := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		ticks := decadeTicks(low, high, mantissas)
		if len(ticks) < 2 {
			return linearTicks(low, high, count)
		}
		if len(ticks) <= count+1 {
			return ticks
		}
	}
	ticks := decadeTicks(low, high, []float64{1})
	return everyNth(ticks, (len(ticks)+count)/(count+1))
}

func decadeTicks(low, high float64, mantissas []float64) []Tick {
	var ticks []Tick
	for decade := math.Floor(math.Log10(low)); decade <= math.Ceil(math.Log10(high)); decade++ {
		for _, m := range mantissas {
			v := m * math.Pow(10, decade)
			if v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				ticks = append(ticks, Tick{Value: v, Label: tickLabel(v, v)})
			}
		}
	}
	return ticks
}

func everyNth(ticks []Tick, n int) []Tick {
	var kept []Tick
	for i := 0; i < len(ticks); i += max(1, n) {
		kept = append(kept, ticks[i])
	}
	return kept
}

// roundStep is the smallest of 1, 2, 5 times a power of ten that is at least v.
func roundStep(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= v*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// tickLabel writes v with the digits that tell it from its neighbour a step away.
func tickLabel(v, step float64) string {
	if math.Abs(v) < step*1e-6 {
		return "0"
	}
	if abs := math.Abs(v); abs >= 1e9 || abs < 1e-6 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	if math.Abs(v) >= 10000 {
		digits := max(0, 3-int(math.Floor(math.Log10(step))))
		return trimZeros(strconv.FormatFloat(v/1000, 'f', digits, 64)) + "k"
	}
	return trimZeros(strconv.FormatFloat(v, 'f', max(0, -int(math.Floor(math.Log10(step)))), 64))
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
