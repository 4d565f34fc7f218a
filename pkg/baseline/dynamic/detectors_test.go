package dynamic

import (
	"math"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/stats/conformal"
	"github.com/swapgate/swapgate/pkg/stats/outlier"
	"github.com/swapgate/swapgate/pkg/stats/smooth"
)

// detector says of each value of a series from the index from on whether it is unusually high.
type detector struct {
	name string
	// alarms judges series[from:]; values before are the past.
	alarms func(series []float64, from int) ([]bool, error)
}

// lookBack is the window of the classic rule; a band is this many deviations wide.
const lookBack, deviations = 30, 3

func detectors() []detector {
	return []detector{
		{"classic hybrid 0.6·EWMA(0.2) + 0.4·P95 of 30, the judged value included", hybrid(0)},
		{"the same, one window behind", hybrid(1)},
		{"EWMA(0.1) + 3 deviations, one window behind", band(.1)},
		{"EWMA(0.3) + 3 deviations, one window behind", band(.3)},
		{"P95 of the last 30, one window behind", rolling},
		{"Hampel: median + 3·1.4826·MAD of the last 16", hampel},
		{"fixed: P99 of the first 500", fixed},
		{"adaptive conformal, 1 % of alarms", adaptive},
	}
}

// above compares each value with the threshold behind windows before.
func above(series, threshold []float64, from, behind int) []bool {
	alarms := make([]bool, 0, len(series)-from)
	for i := from; i < len(series); i++ {
		alarms = append(alarms, series[i] > threshold[i-behind])
	}
	return alarms
}

func hybrid(behind int) func([]float64, int) ([]bool, error) {
	return func(series []float64, from int) ([]bool, error) {
		threshold, err := smooth.Hybrid(series, smooth.ClassicHybrid())
		if err != nil {
			return nil, err
		}
		return above(series, threshold, from, behind), nil
	}
}

func rolling(series []float64, from int) ([]bool, error) {
	threshold, err := smooth.RollingQuantile(series, lookBack, .95)
	if err != nil {
		return nil, err
	}
	return above(series, threshold, from, 1), nil
}

// band is the average and three standard deviations of the last values around it.
func band(decay float64) func([]float64, int) ([]bool, error) {
	return func(series []float64, from int) ([]bool, error) {
		threshold, err := smooth.EWMA(series, decay)
		if err != nil {
			return nil, err
		}
		for i := len(threshold) - 1; i >= lookBack; i-- {
			threshold[i] += deviations * stats.StandardDeviation(series[i+1-lookBack:i+1])
		}
		return above(series, threshold, from, 1), nil
	}
}

func hampel(series []float64, from int) ([]bool, error) {
	o := outlier.HampelDefaults()
	half := o.Window / 2
	alarms := make([]bool, 0, len(series)-from)
	for i := from; i < len(series); i++ {
		window := series[i-half : i+1]
		labelled, err := outlier.Hampel(window, o)
		if err != nil {
			return nil, err
		}
		last := len(labelled) > 0 && labelled[len(labelled)-1] == half
		alarms = append(alarms, last && series[i] > stats.Quantiles(window, .5)[0])
	}
	return alarms, nil
}

func fixed(series []float64, from int) ([]bool, error) {
	limit := stats.Quantiles(series[:from], .99)[0]
	alarms := make([]bool, 0, len(series)-from)
	for _, v := range series[from:] {
		alarms = append(alarms, v > limit)
	}
	return alarms, nil
}

// adaptive learns from what raised no alarm. Before from every value is healthy and only remembered.
func adaptive(series []float64, from int) ([]bool, error) {
	c := conformal.Defaults()
	state := c.Start()
	state.Healthy = append(state.Healthy, series[max(0, from-c.Window):from]...)
	alarms := make([]bool, 0, len(series)-from)
	for _, v := range series[from:] {
		next, j, err := c.Next(state, v, true)
		if err != nil {
			return nil, err
		}
		if j.Alarm {
			next.Healthy = state.Healthy
		}
		state = next
		alarms = append(alarms, j.Alarm)
	}
	return alarms, nil
}

// delay is how many windows pass until the first alarm, 1 for the first; +Inf for none.
func delay(alarms []bool) float64 {
	for i, alarm := range alarms {
		if alarm {
			return float64(i + 1)
		}
	}
	return math.Inf(1)
}
