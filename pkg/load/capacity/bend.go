package capacity

import (
	"fmt"

	"github.com/swapgate/swapgate/pkg/stats/knee"
	"github.com/swapgate/swapgate/pkg/swap"
)

const (
	// furthest is up to how many times the largest load the scalability law is believed.
	furthest = 10
	// confirming is the share of resamples in which throughput must end within the loads measured.
	confirming = 0.95
	resamples  = 499
	// resampleSeed is fixed, so that the same blocks always have the same intervals.
	resampleSeed = 0x62656e64
)

// bend reads the knee by Kneedle and confirms it by the universal scalability law. Loads are taken relative to the smallest,
// because a share of a cache or a rate has no natural unit.
func bend(known []Point) *swap.Bend {
	if len(known) < fewestLevels {
		return nil
	}
	loads, rates := make([]float64, len(known)), make([]float64, len(known))
	for i, p := range known {
		loads[i], rates[i] = p.Load/known[0].Load, p.rate()
	}
	law, ok := knee.FitUSL(loads, rates)
	if !ok {
		return nil
	}
	unit, last := known[0].Load, loads[len(loads)-1]
	b := &swap.Bend{FitError: swap.Of(law.RelativeError(loads, rates))}
	peak, ends := law.Peak()
	b.PeakLoad = believed(peak, ends, last, unit)
	b.Confirmed = ends && peak <= last
	if at, found := knee.Kneedle(loads, rates, knee.Sensitivity); found {
		b.Knee = level(known[at])
		b.Confirmed = b.Confirmed && loads[at] <= peak
	}
	b.Confirmed = b.Confirmed && b.Knee != nil
	if u, ok := knee.Bootstrap(loads, blocksOf(known), resamples, resampleSeed); ok {
		b.KneeLow, b.KneeHigh = swap.Of(u.Knee.Low*unit), swap.Of(u.Knee.High*unit)
		b.PeakLow, b.PeakHigh = believed(u.Peak.Low, true, last, unit), believed(u.Peak.High, true, last, unit)
		b.Confirmed = b.Confirmed && u.PeakReached >= confirming
	}
	b.Message = kneedleWords(b, known[len(known)-1].Label) + lawWords(b, known[len(known)-1])
	return b
}

// believed is absent where the law says that throughput ends far beyond the loads measured, or nowhere.
func believed(load float64, ends bool, last, unit float64) swap.Value {
	if !ends || load > furthest*last {
		return swap.Absent()
	}
	return swap.Of(load * unit)
}

func blocksOf(known []Point) [][]float64 {
	blocks := make([][]float64, len(known))
	for i, p := range known {
		blocks[i] = p.Blocks
	}
	return blocks
}

func kneedleWords(b *swap.Bend, last string) string {
	switch {
	case b.Knee == nil:
		return "Kneedle sees no knee up to " + last + "; by the universal scalability law "
	case b.Confirmed:
		return "Kneedle sees the knee at " + b.Knee.Label + interval(b.KneeLow, b.KneeHigh) +
			", and the universal scalability law confirms that growth ends: "
	}
	return "Kneedle sees the knee at " + b.Knee.Label + interval(b.KneeLow, b.KneeHigh) +
		", which the universal scalability law does not confirm: "
}

func lawWords(b *swap.Bend, last Point) string {
	peak, ok := b.PeakLoad.Get()
	said := fmt.Sprintf("throughput is highest at a load of %s%s", b.PeakLoad, interval(b.PeakLow, b.PeakHigh))
	switch {
	case !ok:
		said = "throughput grows beyond " + last.Label
	case peak > last.Load:
		said += ", beyond " + last.Label
	}
	return fmt.Sprintf("%s; it fits to within %.1f %%", said, 100*b.FitError.Or(0))
}

// interval is empty where it is not known.
func interval(low, high swap.Value) string {
	switch {
	case !low.Valid():
		return ""
	case !high.Valid():
		return fmt.Sprintf(" (95 %% interval from %s on)", low)
	}
	return fmt.Sprintf(" (95 %% interval %s to %s)", low, high)
}
