package chart

import (
	"math"
	"time"
)

// clockSteps are the distances between two ticks of time that people count in.
var clockSteps = [...]time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

func clockTicks(low, high float64, count int) []Tick {
	step := clockStep((high - low) / float64(count))
	format := "15:04"
	switch {
	case step >= (24 * time.Hour).Seconds():
		format = "2 Jan"
	case step < time.Minute.Seconds():
		format = "15:04:05"
	}
	var ticks []Tick
	for k := math.Ceil(low / step); k*step <= high; k++ {
		ticks = append(ticks, Tick{Value: k * step, Label: time.Unix(int64(k*step), 0).UTC().Format(format)})
	}
	return ticks
}

func clockStep(least float64) float64 {
	for _, s := range clockSteps {
		if s.Seconds() >= least {
			return s.Seconds()
		}
	}
	day := clockSteps[len(clockSteps)-1].Seconds()
	return math.Ceil(least/day) * day
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }
