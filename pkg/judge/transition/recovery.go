package transition

import (
	"fmt"
	"math"
	"time"

	"github.com/swapgate/swapgate/pkg/stats"
	"github.com/swapgate/swapgate/pkg/swap"
)

// watched are the metrics whose return is measured.
var watched = [...]swap.Metric{swap.MetricTTFT, swap.MetricTPOT, swap.MetricErrorRate}

const (
	// binRequests is how many requests a bin holds on average, shortestBin the shortest bin, and fewest the fewest requests with
	// which a bin says something.
	binRequests = 10
	shortestBin = 100 * time.Millisecond
	fewest      = 5
	// bandBins is the fewest bins that make a band, and the fewest in it at the end of the load that make a return.
	bandBins = 8
	// sigmas is the width of a band in robust standard deviations of the bins' logarithms: one bin in 300 000 of an unchanged server is
	// outside, if bins are normal and the deviation is known.
	sigmas = 4.5
	// leastRise is the rise that is never called a departure.
	leastRise = 1.1
	// madToSigma makes the median absolute deviation of a normal distribution its standard deviation.
	madToSigma = 1.4826
	// failureOdds is the chance of more failures in a bin than are in the band.
	failureOdds = 1e-4
)

// bin is a stretch of time by when requests were sent, beginning at from.
type bin struct {
	from   time.Duration
	n      int
	failed int
	// value is the metric's median; +Inf where most requests failed.
	value float64
}

// band tells the bins of a normal time from others.
type band struct {
	level, limit swap.Value
	holds        func(bin) bool
}

// recovery finds out when a metric was back.
func recovery(m swap.Metric, all []request, from, to time.Duration) swap.Recovery {
	r := swap.Recovery{Metric: m, Unit: "ms"}
	if m == swap.MetricErrorRate {
		r.Unit = "fraction"
	}
	width, ok := binWidth(all, from)
	if !ok {
		r.Message = fmt.Sprintf("No band: fewer than %d requests before the swap.", bandBins*binRequests)
		return r
	}
	r.BinMS = swap.Of(ms(width))
	before, after := bins(m, all, from, 0, width), bins(m, all, 0, to, width)
	normal, ok := bandOf(m, before)
	if !ok {
		r.Message = fmt.Sprintf("No band: %d bins of %s before the swap say something, and %d are needed.", len(before), width, bandBins)
		return r
	}
	r.Level, r.Limit = normal.level, normal.limit
	r.AfterMS = since(after, normal)
	end := after[len(after)/2:]
	if last, ok := bandOf(m, end); ok && (m == swap.MetricErrorRate || steady(end)) {
		r.SettledMS = since(after, last)
	}
	r.Message = words(r, after)
	return r
}

// binWidth makes bins of about binRequests requests at the rate of before; false if they would be too few for a band.
func binWidth(all []request, from time.Duration) (time.Duration, bool) {
	n := 0
	for _, r := range all {
		if r.sent < 0 {
			n++
		}
	}
	if n < bandBins*binRequests {
		return 0, false
	}
	width := time.Duration(float64(-from) / float64(n) * binRequests)
	return max(shortestBin, width.Round(time.Millisecond)), true
}

// bins cuts [from, to) up, with an edge at Asked. A bin at an end that is cut short, or that holds too few requests, is left out.
func bins(m swap.Metric, all []request, from, to, width time.Duration) []bin {
	first := time.Duration(math.Ceil(float64(from)/float64(width))) * width
	var out []bin
	i := 0
	for at := first; at+width <= to; at += width {
		b := bin{from: at}
		var values []float64
		for ; i < len(all) && all[i].sent < at+width; i++ {
			r := all[i]
			v, ok := r.PerRequest(m).Get()
			switch {
			case r.sent < at || !r.failed && !r.Good():
				continue
			case r.failed:
				b.failed++
				v, ok = math.Inf(1), m == swap.MetricTTFT // as the worst latency
			}
			b.n++
			if ok {
				values = append(values, v)
			}
		}
		if m != swap.MetricErrorRate && len(values) < fewest || b.n < fewest {
			continue
		}
		if m != swap.MetricErrorRate {
			b.value = stats.Quantiles(values, 0.5)[0]
			if math.IsNaN(b.value) {
				b.value = math.Inf(1) // between two failures
			}
		}
		out = append(out, b)
	}
	return out
}

func bandOf(m swap.Metric, of []bin) (band, bool) {
	if len(of) < bandBins {
		return band{}, false
	}
	if m == swap.MetricErrorRate {
		return failureBand(of), true
	}
	return latencyBand(of)
}

// latencyBand is around the median of the bins' logarithms. The median of a bin with fewer requests may be farther off.
func latencyBand(of []bin) (band, bool) {
	level, sigma, ok := levelOf(of)
	if !ok {
		return band{}, false
	}
	limit := func(requests int) float64 {
		return math.Exp(level + max(math.Log(leastRise), sigmas*sigma/math.Sqrt(float64(requests))))
	}
	return band{swap.Of(math.Exp(level)), swap.Of(limit(binRequests)), func(b bin) bool { return b.value <= limit(b.n) }}, true
}

// levelOf is the median of the logarithms of bins, and their robust standard deviation for a bin of one request.
func levelOf(of []bin) (level, sigma float64, ok bool) {
	logs := make([]float64, len(of))
	for i, b := range of {
		logs[i] = math.Log(b.value)
	}
	level = stats.Quantiles(logs, 0.5)[0]
	if math.IsInf(level, 0) || math.IsNaN(level) {
		return 0, 0, false
	}
	for i, l := range logs {
		logs[i] = math.Abs(l-level) * math.Sqrt(float64(of[i].n))
	}
	sigma = madToSigma * stats.Quantiles(logs, 0.5)[0]
	return level, sigma, !math.IsInf(sigma, 0) && !math.IsNaN(sigma)
}

// steady says whether the halves of some bins are at one level.
func steady(of []bin) bool {
	first, sigma, ok1 := levelOf(of[:len(of)/2])
	second, other, ok2 := levelOf(of[len(of)/2:])
	if !ok1 || !ok2 {
		return false
	}
	// The median of k medians of binRequests requests, each of two halves, has about this error.
	deviation := max(sigma, other) * math.Sqrt(math.Pi/float64(len(of)/2)/binRequests)
	return math.Abs(first-second) <= max(math.Log(leastRise), sigmas*deviation)
}

// failureBand allows in a bin what the failures of before may bring by chance. Where none failed before, three failures more than
// none are still possible (the rule of three).
func failureBand(of []bin) band {
	n, failed := 0, 0
	for _, b := range of {
		n, failed = n+b.n, failed+b.failed
	}
	rate := float64(failed+3) / float64(n)
	allowed := func(requests int) int { return mostByChance(rate * float64(requests)) }
	typical := n / len(of)
	return band{
		level: swap.Of(float64(failed) / float64(n)), limit: swap.Of(min(1, float64(allowed(typical))/float64(max(1, typical)))),
		holds: func(b bin) bool { return b.failed <= allowed(b.n) },
	}
}

// mostByChance is the smallest count that a Poisson variable of this mean exceeds with at most failureOdds.
func mostByChance(mean float64) int {
	p := math.Exp(-mean)
	rest := 1 - p
	k := 0
	for ; rest > failureOdds && k < 1000; k++ {
		p *= mean / float64(k+1)
		rest -= p
	}
	return k
}

// since is when the bins entered a band to stay there until the end; absent if too few are in it at the end to say so.
func since(after []bin, b band) swap.Value {
	first := len(after)
	for first > 0 && b.holds(after[first-1]) {
		first--
	}
	if len(after)-first < bandBins {
		return swap.Absent()
	}
	if first == 0 {
		return swap.Of(0)
	}
	return swap.Of(ms(after[first].from))
}

// words says it to a person.
func words(r swap.Recovery, after []bin) string {
	name := map[swap.Metric]string{
		swap.MetricTTFT: "Time to first token", swap.MetricTPOT: "Time per output token", swap.MetricErrorRate: "The error rate",
	}[r.Metric]
	was := "its level before the swap"
	if r.Metric != swap.MetricErrorRate {
		was = fmt.Sprintf("its level before the swap (%s %s)", r.Level, r.Unit)
	}
	at, back := r.AfterMS.Get()
	settled, still := r.SettledMS.Get()
	switch {
	case len(after) < 2*bandBins:
		return fmt.Sprintf("%s: too few requests after the swap to tell; observe for longer.", name)
	case back && at == 0:
		return fmt.Sprintf("%s never left %s.", name, was)
	case back:
		return fmt.Sprintf("%s was back at %s %.1f s after the swap was asked for.", name, was, at/1e3)
	case still:
		return fmt.Sprintf("%s did not come back to %s; from %.1f s on it stayed at a new level.", name, was, settled/1e3)
	}
	return fmt.Sprintf("%s did not come back to %s while it was observed, and was not steady at the end.", name, was)
}
